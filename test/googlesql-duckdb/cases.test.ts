/**
 * Runs the GoogleSQL cases: each query is translated, run on DuckDB, and compared with its rows or its error in BigQuery. What it
 * answers is held against its schema and in every derived format too. `make test` runs a quarter of the cases, of which a quarter
 * in the formats, and besides them those that are the first to use a function or a keyword.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { distinctNames, type OutputFacts, resolveQuery, type Type } from '../../googlesql/index.js'
import { type TableCatalogue, tableCatalogue } from '../../googlesql/tables.js'
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import { translate } from '../../googlesql-duckdb/translate.js'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import type { RunnerError } from '../../runner/model/errors.js'
import type { ResultSet } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { rowsOf, runOptions } from '../engines/ask-engine.js'
import { expectFormats } from '../formats/expect-formats.js'
import { caseFiles, caseTables, pathOfCases, readCases, type SqlCase, withDuckdbSql } from '../googlesql/case-files.js'
import { sampleOf } from '../sample-size.js'
import { openCasesEngine } from './cases-engine.js'

/** Files whose cases are run with timestamps as numbers, too. */
const WITH_NUMBERS = new Set(['arrays.yaml', 'timestamps.yaml', 'types.yaml'])

describe('GoogleSQL cases', () => {
  const tables = caseTables()
  const catalogue = tableCatalogue([...tables].map(([name, { columns }]) => ({ name, columns })))
  let engine: DuckdbEngine
  before(async () => {
    engine = await openCasesEngine(tables)
  })
  after(() => engine.close())

  const names = new Set<string>()
  function usesNewName({ sql }: SqlCase): boolean {
    const before = names.size
    for (const [name] of sql.matchAll(/[A-Z][A-Z0-9_.]+/g)) names.add(name)
    return names.size > before
  }

  for (const file of caseFiles()) {
    // UPDATE_CASES=1 rewrites the DuckDB SQL in the files; read the difference before you keep it.
    if (process.env['UPDATE_CASES'] === '1') updateDuckdbSql(file, catalogue)
    describe(file, () => {
      const sampled = new Set(sampleOf(readCases(file)))
      const inFormats = new Set(sampleOf([...sampled]))
      for (const each of readCases(file).filter(one => usesNewName(one) || sampled.has(one))) {
        it(`line ${each.line}: ${each.says ?? shortened(each.sql)}`, async () => {
          const result = await run(engine, each)
          if (result !== null && inFormats.has(each)) await expectFormats(result, 'iso8601', each.sql)
        })
        if (each.rows && sampled.has(each))
          it(`line ${each.line}: keeps to what its columns promise`, () => checkFacts(each, catalogue))
        if (each.duckdb !== undefined) {
          it(`line ${each.line}: its DuckDB SQL`, () => expect(duckdbSql(each, catalogue)).to.equal(each.duckdb))
        }
      }
      if (!WITH_NUMBERS.has(file)) return
      it('in derived formats, with timestamps as numbers', async () => {
        for (const { sql, parameters = {}, error, line } of inFormats) {
          if (error !== undefined) continue
          const result = await engine.run({ sql, parameters }, runOptions({ timestamps: 'unix_micros' }))
          await expectFormats(result, 'unix_micros', `line ${line}: ${sql}`)
        }
      })
    })
  }
})

/** Runs a case; returns its result, or null where it is the error that was expected. */
async function run(engine: DuckdbEngine, { sql, parameters = {}, ...expected }: SqlCase): Promise<ResultSet | null> {
  const asked = engine.run({ sql, parameters }, runOptions()).catch((error: RunnerError) => {
    // The text that a caller over HTTP does not see.
    throw error.cause instanceof QueryFault ? error.cause : error
  })
  if (expected.error !== undefined) {
    const outcome = await asked.then(result => `no error, but ${JSON.stringify(rowsOf(result))}`, String)
    expect(outcome).to.contain(expected.error)
    return null
  }
  const result = await asked
  const rows = rowsOf(result)
  if (expected.unordered) expect(rows).to.have.deep.members([...expected.rows!])
  else expect(rows).to.deep.equal(expected.rows)
  if (expected.columns) expect(result.columns.map(column => column.name)).to.deep.equal(expected.columns)
  return result
}

/** No value of the rows contradicts what the plan shows of its column. */
function checkFacts({ sql, parameters = {}, rows = [] }: SqlCase, catalogue: TableCatalogue): void {
  const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])
  resolveQuery(sql, catalogue, Object.fromEntries(types)).columns.forEach((column, i) => {
    for (const row of rows) holdFacts(column.name, column.type, column, row[i])
  })
}

/** Holds a value, and those within it, against what the query shows of them. */
function holdFacts(path: string, type: Type, facts: OutputFacts, value: unknown): void {
  if (facts.isNeverNull) expect(value, `${path} is never NULL`).not.to.equal(null)
  if (facts.isSmallInteger && value !== null) expect(value, `${path} is a small integer`).to.be.a('number')
  const record = type.kind === 'ARRAY' ? type.element : type
  if (record.kind !== 'STRUCT' || facts.fields === undefined || value === null) return
  for (const item of type.kind === 'ARRAY' ? (value as object[]) : [value as object]) {
    if (item === null) continue
    distinctNames(record.fields.map(field => field.name)).forEach((name, i) => {
      expect(item, path).to.have.property(name)
      const { [name]: member } = item as Record<string, unknown>
      holdFacts(`${path}.${name}`, record.fields[i]!.type, facts.fields![i]!, member)
    })
  }
}

function duckdbSql({ sql, parameters = {} }: SqlCase, catalogue: TableCatalogue): string {
  const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])
  return translate(sql, catalogue, Object.fromEntries(types)).sql
}

function updateDuckdbSql(file: string, catalogue: TableCatalogue): void {
  const sql = new Map(
    readCases(file)
      .filter(each => each.duckdb !== undefined)
      .map(each => [each.line, duckdbSql(each, catalogue)]),
  )
  if (sql.size === 0) return
  const path = pathOfCases(file)
  writeFileSync(path, withDuckdbSql(readFileSync(path, 'utf8'), sql))
}

function shortened(sql: string): string {
  const line = sql.replace(/\s+/g, ' ').trim()
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}
