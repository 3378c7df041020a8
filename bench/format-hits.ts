/** Cache hits of a result in other formats, compared with hits of JSON with as many bytes on the same server. */

import { RESULT_FORMATS } from '../runner/formats/index.js'
import type { Figure } from './figures.js'
import { inTurns, type Measured } from './in-turns.js'
import { type Bench, HEADERS, ROUTE, startSluice } from './rows-server.js'

const ROUND_SECONDS = 0.5
const CONNECTIONS = 32
/** A little longer than the deriver's thread waits for work. */
const THREAD_IDLE_MS = 32_000

export async function formatHits(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const server = await startSluice(bench)
  const sizeOf = async (path: string): Promise<number> => {
    const response = await fetch(server.url + path, { headers: { ...HEADERS, 'Accept-Encoding': 'identity' } })
    if (response.status !== 200) throw new TypeError(await response.text())
    return (await response.arrayBuffer()).byteLength
  }
  const jsonPath = (rows: number): string => `${ROUTE}?rows=${rows}`
  /** The path of a JSON result with about this many bytes. */
  const jsonOfSize = async (bytes: number): Promise<string> => {
    let [low, high] = [0, 1]
    while ((await sizeOf(jsonPath(high))) < bytes) high *= 2
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((await sizeOf(jsonPath(middle))) < bytes) low = middle
      else high = middle
    }
    return jsonPath(high)
  }
  const side = (name: string, path: string) => ({ name, server, load: { paths: [path] } })
  try {
    const pairs: { readonly what: string; readonly path: string; readonly json: string; readonly bar: string }[] = []
    for (const rows of [10, 100]) {
      for (const format of RESULT_FORMATS) {
        const path = format === 'json' ? jsonPath(rows) : `${jsonPath(rows)}&format=${format}`
        const bytes = await sizeOf(path)
        const what = `hits of ${rows} rows as ${format}, ${bytes} bytes, ${CONNECTIONS} connections: against JSON of that size`
        const bar = format === 'json' ? 'the noise' : '≥ 0.95'
        pairs.push({ what, path, json: await jsonOfSize(bytes), bar })
      }
    }
    // All results are cached now. When the deriver's thread ends, its time disappears from the server's: wait for that first.
    await new Promise(resolve => setTimeout(resolve, THREAD_IDLE_MS))
    for (const { what, path, json, bar } of pairs) {
      const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS, paths: [], headers: HEADERS }
      const sides = [side('format', path), side('json', json)]
      const [own, other] = (await inTurns(sides, load)) as [Measured, Measured]
      const cpu = `${own.cpu.toFixed(1)} µs of processor a request against ${other.cpu.toFixed(1)}: ${(other.cpu / own.cpu).toFixed(2)}`
      const value = `**${(own.rate / other.rate).toFixed(2)}** (${own.rate.toFixed(0)}/s against ${other.rate.toFixed(0)}/s; ${cpu})`
      figures.push({ what, value, bar })
    }
    return figures
  } finally {
    await server.end()
  }
}
