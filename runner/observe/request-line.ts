/** The line of a request that went well, written as pino would write it but without looking at what it may hold. */
import type { CacheOutcome, Event } from '../model/events.js'

type RequestDone = Extract<Event, { kind: 'request.done' }>

/** Paths of which the middle of the line is remembered. */
const MAX_REMEMBERED = 2_000
/** Numbers of rows, of each outcome, for which the end of the line is remembered. */
const MAX_ENDS = 1_000

/** What requests of one path mostly have in common. */
interface Middle extends Pick<RequestDone, 'method' | 'endpoint' | 'token' | 'status' | 'cache'> {
  /** What stands between the id of the request and its duration. */
  readonly text: string
  /** What stands behind that, by the number of rows, where nothing was paid. Middles of one outcome share them. */
  readonly ends: Map<number | null, string>
}

/** `{"level":"info",…}` with its line end, in ASCII; null members are left out. */
export function createRequestLine(): (event: RequestDone, nowMs: number) => string {
  const middles = new Map<string, Middle>()
  const endsOf = new Map<CacheOutcome | null, Map<number | null, string>>()
  let second = -1
  let secondText = ''
  let timeMs = -1
  let head = ''

  function headOf(nowMs: number): string {
    if (nowMs === timeMs) return head
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      secondText = new Date(current * 1000).toISOString().slice(0, -4)
    }
    timeMs = nowMs
    head = `{"level":"info","time":"${secondText}${THREE_DIGITS[nowMs - current * 1000]}Z","requestId":"`
    return head
  }

  function middleOf(event: RequestDone): Middle {
    const { method, path, endpoint, token, status, cache } = event
    const before = middles.get(path)
    if (
      before?.method === method &&
      before.endpoint === endpoint &&
      before.token === token &&
      before.status === status &&
      before.cache === cache
    ) {
      return before
    }
    const facts = { method, path, ...(endpoint !== null && { endpoint }), ...(token !== null && { token }), status }
    const text = `",${asciiJson(facts).slice(1, -1)},"durationMs":`
    const ends = endsOf.get(cache) ?? new Map<number | null, string>()
    endsOf.set(cache, ends)
    const middle = { method, endpoint, token, status, cache, text, ends }
    if (middles.size >= MAX_REMEMBERED) middles.clear()
    middles.set(path, middle)
    return middle
  }

  function endFor(event: RequestDone, ends: Map<number | null, string>): string {
    if (event.cost) return endOf(event)
    let end = ends.get(event.rows)
    if (end === undefined) {
      if (ends.size >= MAX_ENDS) ends.clear()
      end = Buffer.from(endOf(event), 'latin1').toString('latin1') // in one piece
      ends.set(event.rows, end)
    }
    return end
  }

  return (event, nowMs) => {
    const { text, ends } = middleOf(event)
    const end = endFor(event, ends)
    // Few pieces: V8 joins them to a tree, which is walked as it is written.
    return `${headOf(nowMs)}${event.requestId}${text}${thousandths(event.durationMs)}${end}`
  }
}

function endOf({ cache, rows, cost }: RequestDone): string {
  const outcome = cache === null ? '' : `,"cache":"${cache}"`
  const count = rows === null ? '' : `,"rows":${rows}`
  const paid = cost ? `,"cost":${asciiJson(cost)}` : ''
  return `${outcome}${count}${paid},"msg":"request.done"}\n`
}

/** Other characters as `\u…`: a text without them is bytes already. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const THREE_DIGITS: readonly string[] = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))
/** `0.000` to `0.999`: what most requests take. */
const BELOW_ONE: readonly string[] = THREE_DIGITS.map(digits => `0.${digits}`)

/** Three digits behind the point, without the general printing of fractions. */
function thousandths(ms: number): string {
  const all = Math.max(0, Math.round(ms * 1000))
  if (all < 1000) return BELOW_ONE[all]!
  const rest = all % 1000
  return `${(all - rest) / 1000}.${THREE_DIGITS[rest]}`
}
