/** Pages of 100 rows of a stored result of 20,000, compared with hits of a whole result of 100 rows on the same server. */
import type { Figure } from './figures.js'
import { inTurns, type Measured, processorMs } from './in-turns.js'
import type { Server } from './processes.js'
import { type Bench, HEADERS, ROUTE, startSluice } from './rows-server.js'

const ROUND_SECONDS = 0.5
const CONNECTIONS = 32
const [ROWS, SIZE] = [20_000, 100]
/** Walks over pages that were not asked for before. */
const WALKS = 20

export async function pageHits(bench: Bench): Promise<readonly Figure[]> {
  const server = await startSluice(bench)
  try {
    const paths = await walk(server, 'warm')
    const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS, paths: [], headers: HEADERS }
    const sides = [
      { name: 'page', server, load: { paths } },
      { name: 'whole', server, load: { paths: [`${ROUTE}?rows=${SIZE}`] } },
    ]
    const [page, whole] = (await inTurns(sides, load)) as [Measured, Measured]
    const ofCpu = `${page.cpu.toFixed(1)} µs of processor a request against ${whole.cpu.toFixed(1)}`
    const before = processorMs(server.pid)
    for (let i = 0; i < WALKS; i++) await walk(server, `walk-${i}`)
    const first = ((processorMs(server.pid) - before) * 1000) / (WALKS * paths.length)
    return [
      {
        what: `pages of ${SIZE} of ${ROWS} rows, each asked for before: against whole results of ${SIZE} rows`,
        value: `**${(page.rate / whole.rate).toFixed(2)}** (${page.rate.toFixed(0)}/s against ${whole.rate.toFixed(0)}/s; ${ofCpu})`,
        bar: '≥ 0.7',
      },
      {
        what: `pages of ${SIZE} of ${ROWS} rows, each asked for the first time, and the queries of ${WALKS} walks`,
        value: `${first.toFixed(0)} µs of processor a page`,
        bar: '',
      },
    ]
  } finally {
    await server.end()
  }
}

/** The paths of all pages of a result. */
async function walk(server: Server, tag: string): Promise<readonly string[]> {
  const paths: string[] = []
  let path: string | undefined = `${ROUTE}?rows=${ROWS}&tag=${tag}&page_size=${SIZE}`
  while (path !== undefined) {
    paths.push(path)
    const response: Response = await fetch(server.url + path, { headers: HEADERS })
    if (response.status !== 200) throw new TypeError(await response.text())
    await response.arrayBuffer()
    path = /^<(.*)>/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return paths
}
