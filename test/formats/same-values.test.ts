/** Each format, read by its own reader, gives the typed values of the JSON that it was derived from. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Type } from '../../googlesql/index.js'
import type { Requirement } from '../../runner/formats/format.js'
import { derive, type ResultFormat } from '../../runner/formats/index.js'
import { sampleSize } from '../sample-size.js'
import { arrowRows } from './arrow-values.js'
import { readCsv } from './read-csv.js'
import { openParquetReader, type ParquetReader } from './read-parquet.js'
import { type Json, parseJson, typedOf, typedOfCell, typeOf } from './read-typed.js'
import { readXlsx } from './read-xlsx.js'
import { anySample, jsonOf, type Sample, type Typed } from './typed-values.js'

type Rows = readonly (readonly Typed[])[]
type Read = (bytes: Uint8Array, types: readonly Type[]) => Rows | Promise<Rows>

const items = (json: Json): readonly Json[] => ('items' in json ? json.items : [])
const rowsOf = (rows: readonly Json[], types: readonly Type[]): Rows =>
  rows.map(row => items(row).map((cell, i) => typedOf(cell, types[i]!)))

const textIn = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** What a spreadsheet's guard may add: `'` before what begins as formulas do, and before long numbers. */
function unguarded(cell: string | null, { kind }: Type): string | null {
  const isText = /^(?:STRING|BYTES|JSON|ARRAY|STRUCT)$/.test(kind)
  return cell?.replace(isText ? /'/g : /^'(?=-?[\d.]{16,}$)/, '') ?? null
}

/** Whether a text cannot be told from a guarded one. */
const isAmbiguous = (cell: string | null): boolean => cell?.includes("'") ?? false

/** How the rows are read from each format. */
let parquet: ParquetReader

type DerivedFormat = Exclude<ResultFormat, 'json'>

const READERS: Readonly<Record<DerivedFormat, Read>> = {
  ndjson: (bytes, types) => {
    const lines = textIn(bytes).split('\n')
    expect(lines.pop()).to.equal('')
    return rowsOf(lines.map(parseJson), types)
  },
  csv: (bytes, types) =>
    readCsv(textIn(bytes))
      .slice(1)
      .map(row => row.map((cell, i) => typedOfCell(cell, types[i]!))),
  excel: (bytes, types) => {
    const text = textIn(bytes)
    expect(text[0]).to.equal('\ufeff')
    return readCsv(text.slice(1))
      .slice(1)
      .map(row => row.map((cell, i) => typedOfCell(unguarded(cell, types[i]!), types[i]!)))
  },
  table: (bytes, types) => rowsOf(items(items(parseJson(textIn(bytes)))[1]!), types),
  arrow: arrowRows,
  parquet: (bytes, types) => parquet.read(bytes, types),
  xlsx: (bytes, types) => readXlsx(bytes, types).map(row => row.map((cell, i) => typedOfCell(cell, types[i]!))),
}

/** The narrowest requirement that these values keep to. */
function narrowest(type: Type, values: readonly Typed[]): Requirement {
  const present = values.filter(value => value !== null) as readonly (readonly Typed[])[]
  const required = present.length === values.length
  if (type.kind === 'ARRAY') return { ...narrowest(type.element, present.flat()), required }
  if (type.kind !== 'STRUCT') return { required }
  const fields = type.fields.map((field, i) =>
    narrowest(
      field.type,
      present.map(value => value[i]!),
    ),
  )
  return { required, fields: fields.map(field => ({ ...field, json: null })) }
}

describe('the typed values of every format', () => {
  before(async () => {
    parquet = await openParquetReader()
  })
  after(() => parquet.close())

  for (const [format, read] of Object.entries(READERS) as [DerivedFormat, Read][]) {
    it(`${format} has those of the JSON`, async function () {
      this.timeout(120_000)
      await fc.assert(
        fc.asyncProperty(anySample, fc.boolean(), async (sample: Sample, isNarrow: boolean) => {
          const { columns, rows } = sample
          if (format === 'excel') fc.pre(!rows.some(row => row.some(cell => isAmbiguous(cell.csv))))
          // SheetJS reads CR LF as LF; xlsx.test.ts has it as it is.
          if (format === 'xlsx') fc.pre(!rows.some(row => row.some(cell => cell.csv?.includes('\r\n'))))
          const types = columns.map(({ type }) => typeOf(type))
          const json = jsonOf(sample)
          const contract = types.map((type, i) => {
            const values = rows.map(row => row[i]!.typed)
            return { ...(isNarrow ? narrowest(type, values) : { required: false }), unit: null }
          })
          const facts = { endpoint: 'tests.all', revision: 'r', isTruncated: false, contract }
          const expected = rowsOf(items(items(parseJson(json.toString()))[0]!), types)
          expect(expected).to.deep.equal(rows.map(row => row.map(cell => cell.typed)))
          expect(await read(await derive(format, columns, json, facts), types)).to.deep.equal(expected)
        }),
        { numRuns: sampleSize(200) },
      )
    })
  }
})
