/**
 * Made-up files: read in place and imported, by a declared schema or by the one that `tables infer` writes, they have the same cells, or
 * are refused by name. SLUICE_TEST_FILES=20000 makes as many files, and SLUICE_TEST_FILES_SEED is the first seed, to see a file again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { scratchFolder } from '../../../engines/duckdb/raw-engine.js'
import { sampleSize } from '../../../sample-size.js'
import { isColumnOf, isSpelled } from './cells.js'
import { type MadeUpFile, makeUpFile } from './made-up.js'
import { type MadeTable, type Reading, type Readings, type Rows, readThreeWays } from './three-ways.js'

const COUNT = Number(process.env['SLUICE_TEST_FILES'] ?? sampleSize(500))
/** A fixed one, so that a change meets the files that it met before. */
const SEED = Number(process.env['SLUICE_TEST_FILES_SEED'] ?? 827_928_038)
/** The tables of one engine. */
const BATCH = 500

const tableName = (seed: number): string => `t${seed}`

async function write(
  duckdb: DuckDBConnection,
  folder: string,
  seed: number,
  { ending, content, resource, flags }: MadeUpFile,
): Promise<MadeTable> {
  const table = tableName(seed)
  const path = join(folder, 'data/in', table + ending)
  if (typeof content === 'string') await duckdb.run(`COPY (${content}) TO '${path}' (FORMAT parquet)`)
  else writeFileSync(path, content)
  if (resource) {
    mkdirSync(join(folder, 'schemas', table), { recursive: true })
    writeFileSync(join(folder, 'schemas', table, `in.${table}.json`), JSON.stringify(resource))
  }
  return { table, files: [path], flags }
}

/** What is wrong about the readings of a file; null for nothing. */
function fault(file: MadeUpFile, table: string, { inPlace, imported }: Readings): string | null {
  const refusals = [inPlace, imported].map(reading => ('refused' in reading ? reading.refused : null))
  const nameless = refusals.find(text => text !== null && !text.includes(table))
  if (nameless !== undefined) return `a refusal without the file's name: ${nameless}`
  if (refusals[0] !== null && refusals[1] !== null) return null
  // A text in Parquet is read in place by its plain spellings alone.
  if (refusals[0] !== null && typeof file.content === 'string') return null
  if (refusals[0] !== null) return `refused in place alone: ${refusals[0]}`
  if (refusals[1] !== null) return `refused by import alone: ${refusals[1]}`
  const [placed, copied] = [inPlace, imported] as readonly [Rows, Rows]
  if (JSON.stringify(placed) !== JSON.stringify(copied))
    return `in place ${JSON.stringify(placed.rows)}, imported ${JSON.stringify(copied.rows)}`
  return file.resource === null ? misread(file, placed) : null
}

/** Which cell is not as it is spelled in the file. */
function misread({ columns, cells }: MadeUpFile, { columns: found, rows }: Rows): string | null {
  if (rows.length !== cells.length) return `${rows.length} rows of ${cells.length}`
  for (const [i, key] of columns.entries()) {
    const at = found.findIndex(({ name }) => isColumnOf(key, name))
    const type = found[at]?.type ?? ''
    for (const [row, values] of cells.entries()) {
      const raw = values[i]
      if (raw !== undefined && !isSpelled(raw, type, rows[row]![at] ?? null))
        return `row ${row + 1}, ${key}: wrote ${JSON.stringify(raw)}, read ${type} ${JSON.stringify(rows[row]![at])}`
    }
  }
  return null
}

/** Faults of one kind differ in their values alone. */
const kindOf = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"|\S*\/\S*|\bt?\d+\b/g, '…').slice(0, 80)

function shown({ ending, content, resource }: MadeUpFile): string {
  const isZipped = ending.endsWith('.gz') && typeof content !== 'string'
  const text = JSON.stringify((isZipped ? gunzipSync(content) : content).toString())
  return `${ending} ${text}${resource ? ` by ${JSON.stringify(resource)}` : ', inferred'}`
}

describe(`Made-up files, ${COUNT} from seed ${SEED}`, () => {
  it('are read alike in place and by import, or refused by name', async function () {
    this.timeout(0)
    const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
    await duckdb.run("SET TimeZone = 'UTC'")
    const kinds = new Map<string, { count: number; text: string }>()
    let refused = 0
    const isRefused = (reading: Reading): boolean => 'refused' in reading
    for (let from = SEED; from < SEED + COUNT; from += BATCH) {
      const scratch = scratchFolder()
      mkdirSync(join(scratch.path, 'data/in'), { recursive: true })
      const seeds = Array.from({ length: Math.min(BATCH, SEED + COUNT - from) }, (_, i) => from + i)
      const files = seeds.map(seed => makeUpFile(String(seed)))
      const tables: MadeTable[] = []
      for (const [i, file] of files.entries()) tables.push(await write(duckdb, scratch.path, seeds[i]!, file))
      const readings = await readThreeWays(scratch.path, tables)
      for (const [i, file] of files.entries()) {
        if (isRefused(readings[i]!.inPlace)) refused++
        const reason = fault(file, tableName(seeds[i]!), readings[i]!)
        if (reason === null) continue
        const text = `seed ${seeds[i]}: ${reason.trim()}\n    ${shown(file)}`
        const kind = kinds.get(kindOf(reason))
        const isSmallest = kind === undefined || text.length < kind.text.length
        kinds.set(kindOf(reason), { count: (kind?.count ?? 0) + 1, text: isSmallest ? text : kind.text })
      }
      rmSync(scratch.path, { recursive: true, force: true })
    }
    console.log(`      ${COUNT - refused} files read, ${refused} refused`)
    const faults = [...kinds.values()].map(({ count, text }) => `${count} such files, the smallest of ${text}`)
    expect(faults.length, faults.join('\n')).to.equal(0)
  })
})
