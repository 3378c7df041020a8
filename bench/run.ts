/** Measures the speed and size that docs/benchmarks.md promises, and writes RESULTS.md beside this file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busiestProject } from '../authoring/sample/generate.js'
import { tableCatalogue } from '../googlesql/tables.js'
import { parseTypeName } from '../googlesql/types/parse-type-name.js'
import type { Type } from '../googlesql/types/types.js'
import { translate } from '../googlesql-duckdb/translate.js'
import { loadTableSchemas } from '../runner/manifest/tables/load.js'
import { createRunner, type Runner } from '../runner/serve/runner.js'
import { caseFiles, caseTables, readCases } from '../test/googlesql/case-files.js'
import { arithmetic } from './arithmetic.js'
import { decoding, inFrontOfFake } from './bigquery.js'
import { deriving } from './derive.js'
import { inBrowser } from './explorer.js'
import { exporting } from './exports.js'
import { type Figure, percentile, spread, table, timed } from './figures.js'
import { readingFiles } from './files.js'
import { formatHits } from './format-hits.js'
import { measureHttp, writeHttp } from './http.js'
import { load } from './load.js'
import { pageHits } from './pages.js'
import { planning } from './planning.js'
import { PROGRAM, residentMemory, secondsOf, startServer } from './processes.js'
import { refreshing } from './refresh.js'
import { writeSection } from './results-file.js'
import { atSize } from './size.js'
import { planningWideUnions } from './wide-union.js'

const SEED = 1
const TOKEN = 'benchmark-token-of-32-characters'
const PROJECT = busiestProject(SEED)
const CALLS: readonly (readonly [name: string, args: Readonly<Record<string, string>>])[] = [
  ['logs.all', { project: PROJECT, project_tier: 'PRO' }],
  ['functions.invocation-stats', { project: PROJECT, interval: '1day' }],
  ['usage.api-counts', { project: PROJECT, interval: 'daily' }],
]

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const pathOf = (name: string, args: Readonly<Record<string, string>>): string =>
  `/api/endpoints/query/${name}?${new URLSearchParams(args)}`

async function translating(runner: Runner): Promise<readonly Figure[]> {
  const { tables } = await loadTableSchemas('schemas/tables')
  const catalogue = tableCatalogue(tables.map(({ name, columns }) => ({ name, columns })))
  const figures: Figure[] = []
  for (const [name, args] of CALLS) {
    const { sql, parameters } = await runner.explain(name, args)
    const types: Record<string, Type> = {}
    for (const [parameter, { type }] of Object.entries(parameters)) types[parameter] = parseTypeName(type)!
    const samples = await timed(400, 100, () => translate(sql, catalogue, types))
    figures.push({ what: `translate and check a variant of ${name}, warm`, value: spread(samples), bar: '≤ 2 ms' })
  }
  return figures
}

/** The report of test/cases/googlesql/warehouse/ that takes longest. */
async function translatingReports(): Promise<Figure> {
  const catalogue = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
  const reports = caseFiles()
    .filter(file => file.startsWith('warehouse/'))
    .flatMap(readCases)
  let slowest: { readonly samples: readonly number[]; readonly says: string } | undefined
  for (const { sql, parameters = {}, says = '' } of reports) {
    const types: Record<string, Type> = {}
    for (const [parameter, { type }] of Object.entries(parameters)) types[parameter] = parseTypeName(type)!
    const samples = await timed(20, 10, () => translate(sql, catalogue, types))
    if (!slowest || percentile(samples, 50) > percentile(slowest.samples, 50)) slowest = { samples, says }
  }
  return {
    what: `translate the slowest of ${reports.length} reports, warm: ${slowest!.says}`,
    value: spread(slowest!.samples),
    bar: '≤ 20 ms',
  }
}

async function calling(runner: Runner): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, args] of CALLS) {
    const began = performance.now()
    await runner.call(name, args, { nowMicros: nowMicros() })
    const first = performance.now() - began
    const samples = await timed(200, 20, () => runner.call(name, args, { nowMicros: nowMicros() }))
    figures.push({
      what: `call of ${name} over 10,000 rows, in the process`,
      value: `${spread(samples)}; the first, which reads the file, ${first.toFixed(0)} ms`,
      bar: '≤ 20 ms',
    })
  }
  return figures
}

const nowMicros = (): bigint => BigInt(Date.now()) * 1000n

async function serving(folder: string): Promise<readonly Figure[]> {
  const serve = [...PROGRAM, 'serve', '--port', '0', '--log-level', 'error', '--data', folder]
  const environment = { SLUICE_TOKEN: TOKEN }
  const headers = { 'X-API-KEY': TOKEN }
  const figures: Figure[] = []

  const validations: number[] = []
  const starts: number[] = []
  for (let i = 0; i < 5; i += 1) {
    validations.push(await secondsOf([...PROGRAM, 'validate', '--data', folder]))
    const server = await startServer(serve, environment)
    starts.push(server.secondsToReady)
    await server.end()
  }
  const median = (samples: readonly number[]): string => `median ${percentile(samples, 50).toFixed(2)} s of 5`
  figures.push({ what: '`sluice validate`, built', value: median(validations), bar: '≤ 3 s' })
  figures.push({ what: '`sluice serve`, built and with data, until ready', value: median(starts), bar: '≤ 2 s' })

  const server = await startServer(serve, environment)
  try {
    await pause(5_000)
    figures.push({ what: 'resident memory, idle 5 s after ready', value: residentMemory(server.pid), bar: '≤ 230 MB' })
    const replies = await Promise.all(
      CALLS.map(async ([name, args]) => (await fetch(server.url + pathOf(name, args), { headers })).text()),
    )
    await pause(5_000)
    figures.push({
      what: 'resident memory, idle 5 s after one call of each endpoint',
      value: residentMemory(server.pid),
      bar: '',
    })
    const address = server.url + pathOf(...CALLS[0]!)
    const samples = await timed(200, 20, async () => (await fetch(address, { headers })).arrayBuffer())
    const what = 'call of logs.all over 10,000 rows, over HTTP'
    figures.push({ what, value: `${spread(samples)}, ${replies[0]!.length} characters`, bar: '≤ 20 ms' })
    figures.push(await cacheHits(folder, server.url, replies[1]!))
    figures.push({ what: 'resident memory, after all of the above', value: residentMemory(server.pid), bar: '' })
  } finally {
    await server.end()
  }
  return figures
}

/** Measures cache hits and a bare server in turns, so that other load on the machine affects both equally. */
async function cacheHits(folder: string, url: string, reply: string): Promise<Figure> {
  const file = join(folder, 'reply')
  writeFileSync(file, reply)
  const bare = await startServer(['--import', 'tsx', 'bench/bare-server.ts', file], {})
  const options = { connections: 16, seconds: 2, headers: { 'X-API-KEY': TOKEN } }
  const rates: { hit: number; bare: number }[] = []
  try {
    for (let round = 0; round < 6; round += 1) {
      const hit = (await load(url + pathOf(...CALLS[1]!), options)).perSecond
      rates.push({ hit, bare: (await load(bare.url, options)).perSecond })
    }
  } finally {
    await bare.end()
  }
  // The first round is a warm-up.
  const [hit, floor] = (['hit', 'bare'] as const).map(kind =>
    percentile(
      rates.slice(1).map(rate => rate[kind]),
      50,
    ),
  ) as [number, number]
  return {
    what: 'cache hits over HTTP, against bare node:http writing the same bytes',
    value: `${hit.toFixed(0)}/s against ${floor.toFixed(0)}/s: ${(hit / floor).toFixed(2)}`,
    bar: '',
  }
}

async function inProcess(folder: string): Promise<readonly Figure[]> {
  await secondsOf([...PROGRAM, 'sample', '--data', folder, '--seed', String(SEED)])
  const figures = [...(await serving(folder))]
  const runner = await createRunner({ dataDir: folder })
  try {
    // Calls come first, because an explanation reads its tables too.
    figures.push(...(await calling(runner)), ...(await translating(runner)), await translatingReports())
    return figures
  } finally {
    await runner.close()
  }
}

async function bigquery(folder: string): Promise<readonly Figure[]> {
  await secondsOf([...PROGRAM, 'sample', '--data', folder, '--seed', String(SEED)])
  const runner = await createRunner({ dataDir: folder })
  try {
    const [name, args] = CALLS[0]!
    const decoded = await decoding(name, await runner.call(name, args, { nowMicros: nowMicros() }))
    return [...decoded, ...(await inFrontOfFake())]
  } finally {
    await runner.close()
  }
}

async function formats(folder: string): Promise<readonly Figure[]> {
  return [...(await deriving()), ...(await formatHits({ folder, program: PROGRAM }))]
}

/** The parts that `ARGS` can name; without any, all of them run. */
const PARTS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  '--process': async folder => writeSection('In the process', table(await inProcess(folder))),
  '--unions': async folder => writeSection('Unions of many tables', table(await planningWideUnions(folder))),
  '--size': async () => writeSection('At 10 million entries', table(await atSize(console.log))),
  '--planning': async () => writeSection('Planning', await planning()),
  '--arithmetic': async folder => writeSection('Arithmetic', await arithmetic(folder)),
  '--files': async folder => writeSection('Text files', table(await readingFiles(folder))),
  '--formats': async folder => writeSection('Other formats of a result', table(await formats(folder))),
  '--exports': async folder => writeSection('Exports', table(await exporting(folder))),
  '--pages': async folder => writeSection('Pages', table(await pageHits({ folder, program: PROGRAM }))),
  '--refresh': async folder => writeSection('Refreshes', table(await refreshing(folder))),
  '--bigquery': async folder => writeSection('BigQuery', table(await bigquery(folder))),
  '--explorer': async () => writeSection('The explorer', table(await inBrowser())),
  '--http': async () => writeSection('Over HTTP', writeHttp(await measureHttp(PROGRAM))),
}

const wanted = process.argv.slice(2)
if (wanted.some(argument => !Object.hasOwn(PARTS, argument))) {
  console.error(`make bench [ARGS='${Object.keys(PARTS).join(' ')}']`)
  process.exit(2)
}
for (const [flag, run] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(flag)) continue
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(readFileSync('bench/RESULTS.md', 'utf8'))
