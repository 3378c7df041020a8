/** A process that exchanges a data file, or its folder, for a link to a file outside: its rows never reach a query. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { sampleSize } from '../../../sample-size.js'
import { openRawEngine, type RawEngine, scratchFolder, source } from '../raw-engine.js'

/** Exchanges argv[1] for links to argv[2] and back, without a pause. */
const SWAP = `
const { linkSync, renameSync, statSync, symlinkSync, unlinkSync } = require('node:fs')
const [path, outside] = process.argv.slice(1)
const isFolder = statSync(path).isDirectory()
const [aside, next] = [path + '.aside', path + '.next']
if (isFolder) {
  for (;;) {
    renameSync(path, aside)
    symlinkSync(outside, path)
    unlinkSync(path)
    renameSync(aside, path)
  }
}
linkSync(path, aside)
for (;;) {
  symlinkSync(outside, next)
  renameSync(next, path)
  linkSync(aside, next)
  renameSync(next, path)
}
`

const READS_MS = sampleSize(2_000)

const FILES: readonly (readonly [name: string, options: string])[] = [
  ['json.ndjson', 'FORMAT json'],
  ['csv.csv', 'FORMAT csv, HEADER'],
  ['gz.ndjson.gz', 'FORMAT json, COMPRESSION gzip'],
  ['zst.csv.zst', 'FORMAT csv, HEADER, COMPRESSION zstd'],
  ['parquet.parquet', 'FORMAT parquet'],
  ['unknown.parquet', 'FORMAT parquet'],
  ['folder/1.ndjson', 'FORMAT json'],
  ['parquets/1.parquet', 'FORMAT parquet'],
]

describe('a file that is exchanged for a link while it is read', () => {
  const scratch = scratchFolder()
  const at = (...names: readonly string[]): string => join(scratch.path, ...names)
  let raw: RawEngine
  let attacker: ChildProcess | null = null

  before(async () => {
    for (const folder of ['data/d', 'outside'])
      for (const below of ['folder', 'parquets']) mkdirSync(at(folder, below), { recursive: true })
    for (const [who, folder] of [
      ['inside', 'data/d'],
      ['outside', 'outside'],
    ] as const) {
      for (const [name, options] of FILES) await writeRow(at(folder, name), who, options)
    }
    const names = ['json', 'csv', 'gz', 'zst', 'parquet', 'folder', 'parquets']
    raw = await openRawEngine({
      dataDir: at('data'),
      tables: names.map(name => source(`d.${name}`, [{ name: 'who', type: 'STRING' }])),
    })
  })
  afterEach(() => {
    attacker?.kill('SIGKILL')
    attacker = null
  })
  after(async () => {
    await raw?.engine.close()
    scratch.remove()
  })

  const EXCHANGED: readonly (readonly [what: string, table: string, path: string, outside: string])[] = [
    ['NDJSON', 'json', 'data/d/json.ndjson', 'outside/json.ndjson'],
    ['CSV', 'csv', 'data/d/csv.csv', 'outside/csv.csv'],
    ['NDJSON in gzip', 'gz', 'data/d/gz.ndjson.gz', 'outside/gz.ndjson.gz'],
    ['CSV in zstd', 'zst', 'data/d/zst.csv.zst', 'outside/zst.csv.zst'],
    ['Parquet', 'parquet', 'data/d/parquet.parquet', 'outside/parquet.parquet'],
    ['Parquet without a schema', 'unknown', 'data/d/unknown.parquet', 'outside/unknown.parquet'],
    ['a folder of NDJSON', 'folder', 'data/d/folder', 'outside/folder'],
    ['a folder of Parquet', 'parquets', 'data/d/parquets', 'outside/parquets'],
  ]
  for (const [what, table, path, outside] of EXCHANGED) {
    it(`gives no row from outside: ${what}`, async function () {
      this.timeout(60_000)
      expect(await whoIn(table)).to.deep.equal([['inside']])
      attacker = spawn(process.execPath, ['-e', SWAP, at(path), at(outside)], { stdio: 'ignore' })
      const reads = { inside: 0, failed: 0, none: 0 }
      const end = performance.now() + READS_MS
      while (performance.now() < end || reads.inside === 0) {
        const rows = await whoIn(table).catch(() => null)
        expect(rows ?? []).not.to.deep.include(['outside'])
        reads[rows === null ? 'failed' : rows.length === 0 ? 'none' : 'inside']++
      }
      expect(attacker.exitCode, 'the attacker runs to the end').to.equal(null)
    })
  }

  const whoIn = (table: string) =>
    raw.rows({
      sql: `SELECT who FROM "d.${table}"`,
      columns: [{ name: 'who', type: { kind: 'STRING' } }],
      tables: [`d.${table}`],
    })
})

async function writeRow(path: string, who: string, options: string): Promise<void> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT '${who}' AS who) TO '${path}' (${options})`)
  instance.closeSync()
}
