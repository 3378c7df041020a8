/** Derived formats against the JSON that they are derived from, over all GoogleSQL cases. */
import { tmpdir } from 'node:os'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { derive } from '../../../runner/encode/derive/derive.js'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/engine.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import type { ContractColumn } from '../../../runner/model/endpoint.js'
import type { DerivedFormat, ResultColumn } from '../../../runner/model/query.js'
import type { Described } from '../../../runner/openapi/schema.js'
import { runOptions } from '../../engines/ask-engine.js'
import { CLOCK } from '../../engines/duckdb/raw-engine.js'
import { caseFiles, caseTables, readCases } from '../../googlesql/case-files.js'
import { breachOf } from '../../openapi/published-schema.js'
import { readCsv } from './read-csv.js'

const FACTS = { endpoint: 'corpus', revision: 'r', isTruncated: false } as const

describe('derived formats of the GoogleSQL cases', () => {
  let engine: DuckdbEngine
  before(async () => {
    const tables = [...caseTables()].map(([name, { columns, rows }]) => ({
      definition: { name, columns },
      rows: rows.map(row => Object.fromEntries(columns.map((column, i) => [column.name, row[i]]))),
    }))
    engine = await openDuckdbEngine({
      dataDir: null,
      database: null,
      tables,
      memoryLimitMb: 1_024,
      threads: 2,
      tempDir: tmpdir(),
      maxResultBytes: 256_000_000,
      observe: () => undefined,
      clock: CLOCK,
    })
  })
  after(() => engine.close())

  for (const timestamps of ['iso8601', 'unix_micros'] as const) {
    const files = timestamps === 'iso8601' ? caseFiles() : ['arrays.yaml', 'timestamps.yaml', 'types.yaml']
    for (const file of files) {
      it(`${file}, timestamps as ${timestamps}`, async function () {
        this.timeout(120_000)
        for (const { sql, parameters = {}, error, line } of readCases(file)) {
          if (error !== undefined) continue
          const query = { sql, parameters }
          const { columns, body, rowCount } = await engine.run(query, runOptions({ maxRows: 100_000, timestamps }))
          const json = text(body)
          const where = `${file} line ${line}: ${sql}`
          expect(breachOf(published(columns, timestamps), body), where).to.equal(null)
          const derived = (format: DerivedFormat): Promise<Uint8Array> =>
            derive(format, columns, body, { ...FACTS, timestamps })

          const lines = text(await derived('ndjson'))
          expect(`{"result":[${lines.trimEnd().replaceAll('\n', ',')}]}`, where).to.equal(json)
          expect(tableFromIPC(await derived('arrow')).numRows, where).to.equal(rowCount)

          const table: { readonly rows: unknown[][] } = JSON.parse(text(await derived('table')))
          const [names, ...rows] = readCsv(text(await derived('csv')))
          expect(names, where).to.deep.equal(columns.map(({ name }) => name))
          const numbers = new Set(timestamps === 'iso8601' ? NUMBERS : [...NUMBERS, 'TIMESTAMP'])
          const values = rows.map(row => row.map((cell, i) => cellValue(cell, columns[i]!.type, numbers)))
          const expected = table.rows.map(row =>
            row.map((value, i) => (typeof value === 'string' && numbers.has(columns[i]!.type) ? Number(value) : value)),
          )
          expect(values, where).to.deep.equal(expected)
        }
      })
    }
  }
})

/** What an endpoint of these columns publishes that promises nothing. */
function published(columns: readonly ResultColumn[], timestamps: 'iso8601' | 'unix_micros'): Described {
  const contract = columns.map(({ name, type }): ContractColumn => {
    const json = /^(?:BIG)?NUMERIC$/.test(type) ? 'string' : null
    return { name, type, description: '', required: false, json, unit: null }
  })
  return { columns: contract, maxRows: 100_000, timestamps }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** The value that a cell of CSV has: nested values and JSON as JSON text, numbers as numbers, though JSON has some as strings. */
function cellValue(cell: string | null, type: string, numbers: ReadonlySet<string>): unknown {
  if (cell === null) return null
  if (type === 'JSON' || /^(?:ARRAY|STRUCT)</.test(type)) return JSON.parse(cell)
  if (type === 'BOOL') return cell === 'true'
  return numbers.has(type) ? Number(cell) : cell
}

const NUMBERS = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']
