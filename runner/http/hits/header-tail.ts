/** The end of a hit's head: the lines that change each second, made once for all hits of that second that share them. */

import { agingHeaders, type Freshness } from '../headers.js'
import { KEEP_ALIVE_MS } from '../server/keep-alive.js'

const KEPT_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`

/** From `Cache-Status` to the empty line. */
export type HeaderTail = (freshness: Freshness, nowMs: number) => string

export function createHeaderTail(): HeaderTail {
  let second = -1
  let dateLine = ''
  /** By age and remaining freshness, in seconds: results that were made in the same second share one. */
  const ends = new Map<number, Map<number, string>>()
  let lastAge = -1
  let lastFresh = -1
  let lastEnd = ''

  function begin(current: number): void {
    second = current
    dateLine = `Date: ${new Date(current * 1000).toUTCString()}\r\n`
    ends.clear()
    lastAge = -1
  }

  function find({ ageSeconds, freshSeconds }: Freshness): string {
    let byFresh = ends.get(ageSeconds)
    if (!byFresh) {
      byFresh = new Map()
      ends.set(ageSeconds, byFresh)
    }
    let end = byFresh.get(freshSeconds)
    if (end === undefined) {
      end = flat(agingLines({ ageSeconds, freshSeconds }) + dateLine + KEPT_ALIVE)
      byFresh.set(freshSeconds, end)
    }
    return end
  }

  return (freshness, nowMs) => {
    const current = Math.floor(nowMs / 1000)
    if (current !== second) begin(current)
    const { ageSeconds, freshSeconds } = freshness
    if (ageSeconds === lastAge && freshSeconds === lastFresh) return lastEnd
    lastEnd = find(freshness)
    lastAge = ageSeconds
    lastFresh = freshSeconds
    return lastEnd
  }
}

function agingLines(freshness: Freshness): string {
  const list = agingHeaders({ isCacheable: true, outcome: 'hit', isStored: false, ...freshness })
  let lines = ''
  for (let i = 0; i < list.length; i += 2) lines += `${list[i]}: ${list[i + 1]}\r\n`
  return lines
}

/** The same text in one piece: V8 keeps one that was joined as a tree of its parts, and walks that each time. */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
