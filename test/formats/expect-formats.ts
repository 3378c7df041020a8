/** Holds what an engine answered against its published schema, and the derived formats against the JSON that they come from. */
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { derive, type ResultFormat } from '../../runner/formats/index.js'
import type { ContractColumn, Endpoint } from '../../runner/model/endpoint.js'
import type { ResultColumn, ResultSet } from '../../runner/model/query.js'
import type { ResultShape } from '../../runner/openapi/schema.js'
import { breachOf } from '../openapi/published-schema.js'
import { readCsv } from './read-csv.js'

const FACTS = { endpoint: 'corpus', revision: 'r', isTruncated: false } as const
const NUMBERS = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']

type Timestamps = Endpoint['timestamps']

/** Fails, with `where` in the message, when the schema or one of the formats does not fit the result. */
export async function expectFormats(
  { columns, body, rowCount }: ResultSet,
  timestamps: Timestamps,
  where: string,
): Promise<void> {
  expect(breachOf(published(columns, timestamps), body), where).to.equal(null)
  const derived = (format: ResultFormat): Promise<Uint8Array> => derive(format, columns, body, FACTS)

  const lines = text(await derived('ndjson'))
  expect(`{"result":[${lines.trimEnd().replaceAll('\n', ',')}]}`, where).to.equal(text(body))
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

/** What an endpoint of these columns publishes that promises nothing. */
function published(columns: readonly ResultColumn[], timestamps: Timestamps): ResultShape {
  const contract = columns.map(({ name, type }): ContractColumn => {
    const json = /^(?:BIG)?NUMERIC$/.test(type) ? 'string' : null
    return { name, type, description: '', required: false, json, unit: null }
  })
  return { columns: contract, maxRows: 1_000, timestamps }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** The value that a cell of CSV has: nested values and JSON as JSON text, numbers as numbers, though JSON has some as strings. */
function cellValue(cell: string | null, type: string, numbers: ReadonlySet<string>): unknown {
  if (cell === null) return null
  if (type === 'JSON' || /^(?:ARRAY|STRUCT)</.test(type)) return JSON.parse(cell)
  if (type === 'BOOL') return cell === 'true'
  return numbers.has(type) ? Number(cell) : cell
}
