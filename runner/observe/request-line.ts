/** The log line of a successful request, in pino's format, built without pino's generic serialisation. */
import type { CacheOutcome, Event } from '../model/events.js'

type RequestDone = Extract<Event, { kind: 'request.done' }>

/** The most paths for which the middle part of the line is cached. */
const MAX_REMEMBERED = 2_000
/** The most row counts, per cache outcome, for which the end of the line is cached. */
const MAX_ENDS = 1_000

/** The part of the line that requests of one path usually share. */
interface Middle extends Pick<RequestDone, 'method' | 'via' | 'endpoint' | 'token' | 'status' | 'cache'> {
  /** The text between the request id and the duration. */
  readonly text: string
  /**
   * The cached ends of the line by the number of rows, for requests without a cost. All `Middle`s with the same cache outcome
   * share this map.
   */
  readonly ends: Map<number | null, string>
}

/** Returns a function that writes the line `{"level":"info",…}` with its line end, in ASCII and without null members. */
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
    const { method, path, via, endpoint, token, status, cache } = event
    const before = middles.get(path)
    if (
      before?.method === method &&
      before.via === via &&
      before.endpoint === endpoint &&
      before.token === token &&
      before.status === status &&
      before.cache === cache
    ) {
      return before
    }
    const facts = {
      method,
      path,
      ...(via && { via }),
      ...(endpoint !== null && { endpoint }),
      ...(token !== null && { token }),
      status,
    }
    const text = `",${asciiJson(facts).slice(1, -1)},"durationMs":`
    const ends = endsOf.get(cache) ?? new Map<number | null, string>()
    endsOf.set(cache, ends)
    const middle = { method, ...(via && { via }), endpoint, token, status, cache, text, ends }
    if (middles.size >= MAX_REMEMBERED) middles.clear()
    middles.set(path, middle)
    return middle
  }

  function endFor(event: RequestDone, ends: Map<number | null, string>): string {
    if (event.cost) return endOf(event)
    let end = ends.get(event.rows)
    if (end === undefined) {
      if (ends.size >= MAX_ENDS) ends.clear()
      end = Buffer.from(endOf(event), 'latin1').toString('latin1') // Stored as one flat string.
      ends.set(event.rows, end)
    }
    return end
  }

  return (event, nowMs) => {
    const { text, ends } = middleOf(event)
    const end = endFor(event, ends)
    // The line is joined from few pieces: V8 keeps them as a rope (a tree of strings), and writing the line visits each of them.
    return `${headOf(nowMs)}${event.requestId}${text}${thousandths(event.durationMs)}${end}`
  }
}

function endOf({ cache, rows, cost }: RequestDone): string {
  const outcome = cache === null ? '' : `,"cache":"${cache}"`
  const count = rows === null ? '' : `,"rows":${rows}`
  const paid = cost ? `,"cost":${asciiJson(cost)}` : ''
  return `${outcome}${count}${paid},"msg":"request.done"}\n`
}

/** JSON in which every character beyond ASCII is escaped as `\u…`, so that each character is one byte. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const THREE_DIGITS: readonly string[] = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))
/** The texts `0.000` to `0.999`: the duration of most requests. */
const BELOW_ONE: readonly string[] = THREE_DIGITS.map(digits => `0.${digits}`)

/** A number with three decimals, faster than toFixed. */
function thousandths(ms: number): string {
  const all = Math.max(0, Math.round(ms * 1000))
  if (all < 1000) return BELOW_ONE[all]!
  const rest = all % 1000
  return `${(all - rest) / 1000}.${THREE_DIGITS[rest]}`
}
