/**
 * What the shipped endpoints pay for being refreshed where nothing is: the time until a server is ready, its memory at idle and its
 * hits, beside the same endpoints with `refresh: whole`, in turns.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { busiestProject } from '../authoring/sample/generate.js'
import { type Figure, percentile } from './figures.js'
import { inTurns, processorMs } from './in-turns.js'
import { megabytes, PROGRAM, pidsOf, type Server, secondsOf, startServer } from './processes.js'

const STARTS = 15
const SEED = 1
const TOKEN = 'benchmark-token-of-32-characters'
const BAR = '≤ 1.02 ×'

/** Both in the order in which they are compared: refreshed, whole. */
type Pair = readonly [number, number]

export async function besideWhole(folder: string): Promise<readonly Figure[]> {
  const data = join(folder, 'data')
  await secondsOf([...PROGRAM, 'sample', '--data', data, '--seed', String(SEED)])
  const start = (endpoints: string): Promise<Server> => {
    const flags = ['--port', '0', '--data', data, '--endpoints', endpoints]
    return startServer([...PROGRAM, 'serve', ...flags], { SLUICE_TOKEN: TOKEN }, 'ignore')
  }
  const sides = ['endpoints', wholeEndpoints(join(folder, 'whole'))] as const
  const [ready, memory] = await starts(sides, start)
  const servers = await Promise.all(sides.map(start))
  const query = new URLSearchParams({ project: busiestProject(SEED), interval: 'daily' })
  const load = {
    connections: 16,
    seconds: 2,
    paths: [`/api/endpoints/query/usage.api-counts?${query}`],
    headers: { 'X-API-KEY': TOKEN },
  }
  const hits = await inTurns(
    servers.map((server, i) => ({ name: sides[i]!, server, load: {} })),
    load,
  ).finally(() => Promise.all(servers.map(server => server.end())))
  return [
    figure('until ready, processor time', ready, 'ms'),
    figure('resident memory, idle 2 s after ready', memory, 'MB'),
    figure('a hit, processor time', hits.map(({ cpu }) => cpu) as unknown as Pair, 'µs'),
  ]
}

/** The shipped endpoints, none of which is refreshed. */
function wholeEndpoints(folder: string): string {
  cpSync('endpoints', folder, { recursive: true })
  for (const name of readdirSync(folder).filter(name => name.endsWith('.yaml'))) {
    const path = join(folder, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace('cache: { ', 'cache: { refresh: whole, '))
  }
  return folder
}

/** The medians of many starts. */
async function starts<T>(
  sides: readonly T[],
  start: (side: T) => Promise<Server>,
): Promise<readonly [ready: Pair, memory: Pair]> {
  const all = sides.map(() => ({ ready: [] as number[], memory: [] as number[] }))
  for (let round = 0; round < STARTS; round += 1) {
    const turns = [...sides.entries()]
    for (const [i, side] of round % 2 === 0 ? turns : turns.reverse()) {
      const server = await start(side)
      const pids = pidsOf(server.pid)
      all[i]!.ready.push(sum(pids.map(processorMs)))
      await new Promise(resolve => setTimeout(resolve, 2_000))
      all[i]!.memory.push(sum(pids.map(megabytes)))
      await server.end()
    }
  }
  const medians = (kind: 'ready' | 'memory') => all.map(samples => percentile(samples[kind], 50)) as unknown as Pair
  return [medians('ready'), medians('memory')]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const figure = (what: string, [ours, whole]: Pair, unit: string): Figure => ({
  what: `the shipped endpoints against the same with \`refresh: whole\`: ${what}`,
  value: `**${(ours / whole).toFixed(3)} ×** (${ours.toFixed(1)} ${unit} against ${whole.toFixed(1)})`,
  bar: BAR,
})
