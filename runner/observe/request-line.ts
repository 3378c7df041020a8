/** The line of a request that went well, written as pino would write it but without looking at what it may hold. */
import type { Event } from '../model/events.js'

type RequestDone = Extract<Event, { kind: 'request.done' }>

/** Paths of which the middle of the line is remembered. */
const MAX_REMEMBERED = 2_000

/** What requests of one path mostly have in common. */
interface Middle extends Pick<RequestDone, 'method' | 'endpoint' | 'token' | 'status'> {
  readonly text: string
}

/** `{"level":"info",…}` with its line end; null members are left out. */
export function createRequestLine(): (event: RequestDone, nowMs: number) => string {
  const middles = new Map<string, Middle>()
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
    head = `{"level":"info","time":"${secondText}${threeDigits(nowMs - current * 1000)}Z","requestId":"`
    return head
  }

  function middleOf(event: RequestDone): string {
    const { method, path, endpoint, token, status } = event
    const before = middles.get(path)
    if (
      before?.method === method &&
      before.endpoint === endpoint &&
      before.token === token &&
      before.status === status
    ) {
      return before.text
    }
    const facts = { method, path, ...(endpoint !== null && { endpoint }), ...(token !== null && { token }), status }
    const text = `",${JSON.stringify(facts).slice(1, -1)},"durationMs":`
    if (middles.size >= MAX_REMEMBERED) middles.clear()
    middles.set(path, { method, endpoint, token, status, text })
    return text
  }

  return (event, nowMs) => {
    const { requestId, durationMs, cache, rows, cost } = event
    const result = `${cache === null ? '' : `,"cache":"${cache}"`}${rows === null ? '' : `,"rows":${rows}`}`
    const paid = cost ? `,"cost":${JSON.stringify(cost)}` : ''
    return `${headOf(nowMs)}${requestId}${middleOf(event)}${thousandths(durationMs)}${result}${paid},"msg":"request.done"}\n`
  }
}

/** Three digits behind the point, without the general printing of fractions. */
function thousandths(ms: number): string {
  const all = Math.max(0, Math.round(ms * 1000))
  const rest = all % 1000
  return `${(all - rest) / 1000}.${threeDigits(rest)}`
}

function threeDigits(number: number): string {
  return `${number < 10 ? '00' : number < 100 ? '0' : ''}${number}`
}
