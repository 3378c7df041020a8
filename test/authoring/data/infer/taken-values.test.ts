/** Whatever values a file has, the reader takes them as the type that `tables infer` chooses for them. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import fc from 'fast-check'
import { inferTable } from '../../../../authoring/data/infer/infer-table.js'
import { fieldsToColumns, requiredPaths, typeLimits } from '../../../../googlesql/index.js'
import { badRowLine, RowStream } from '../../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { rowFormat } from '../../../../runner/engines/duckdb/tables/rows/stage-rows.js'

const SEED = 20_261_127
const FILES = 2_000

/** Texts as cells of CSV have them, and in quotes texts of JSON. */
const TEXTS: readonly (readonly string[])[] = [
  ['true', 'FALSE', 'yes', 't', '1', '0'],
  ['0', '-0', '7', '-12', '9223372036854775807', '-9223372036854775808', '9223372036854775808', '007'],
  ['1.5', '.5', '-0.25', '1e3', '1E-3', '5.', '-.5', '1e400', '12345678901234567890123456789', '-', '1.', '+5'],
  ['NaN', 'nan', 'Infinity', '-Infinity', 'inf', 'NULL', 'N/A', '\\N', '-'],
  ['2017-1-5', '2017-01-05', '2016-02-29', '2017-02-29', '0000-01-01', '9999-12-31', '2017/01/05', '2017/1/5'],
  ['2017-01-05 9:5:3', '2017-01-05T09:05:03', '2017-01-05t09:05:03.1234567', '2017-01-05 24:00:00', '2017-1-5 1:2:60'],
  ['2017/01/05 01:00:00', '2017-01-05 01:00:00Z', '2017-01-05 01:00:00z', '2017-01-05 01:00:00 UTC', '2017-01-05 +01'],
  ['2017-01-05 01:00:00+1', '2017-01-05 01:00:00 -05:00', '2017-01-05 01:00:00+14:01', '2017-01-05 01:00:00 +0530'],
  ['2017-01-05 01:00:00 Europe/Berlin', '2017-01-05 01:00:00 Europe/Nowhere', '2017-01-05 01:00:00 CET', '12:00:00'],
  ['1767261600', '1767261600.5', '1767261600000', '17672616000000000000', '05/01/2017', '31.01.2017', '1.234,50'],
]

/** Other values of JSON. */
const OTHERS: readonly (readonly string[])[] = [
  ['true', 'false', 'null'],
  ['0', '-0', '1', '1.0', '1.5', '-1e3', '1e400', '9223372036854775808', '123456789012345678901234567890', '0.1E+2'],
  ['[]', '[1]', '[1.5, 2]', '["2017-1-5"]', '["a", "2017/01/05 00:00:00"]', '[true]', '[[1]]', '[{"b": 1}]'],
  [
    '{}',
    '{"b": 1}',
    '{"B": 1.5}',
    '{"b": "x", "c": {"d": ["2017-01-05 01:00:00 CET"]}}',
    '{"1": 1e300}',
    '{"b": null}',
  ],
]

/** The values of a column: of one list or of two, so that also few of a list stand alone. */
const columnOf = (lists: readonly (readonly string[])[]): fc.Arbitrary<readonly string[]> =>
  fc
    .array(fc.constantFrom(...lists), { minLength: 1, maxLength: 2 })
    .chain(some => fc.array(fc.constantFrom(...some.flat()), { minLength: 1, maxLength: 4 }))

const FORMATS = {
  csv: {
    values: columnOf(TEXTS),
    textOf: (values: readonly string[]) => `a,b\n${values.map(value => `"${value}",1\n`).join('')}`,
  },
  ndjson: {
    values: columnOf([...TEXTS.map(texts => texts.map(text => JSON.stringify(text))), ...OTHERS]),
    textOf: (values: readonly string[]) => values.map(value => `{"a": ${value}}\n`).join(''),
  },
} as const

describe('The type that infer chooses for values', () => {
  for (const format of ['ndjson', 'csv'] as const) {
    it(`is one that takes them, in ${FILES} files of ${format} (seed ${SEED})`, async () => {
      const { values, textOf } = FORMATS[format]
      const refused: string[] = []
      for (const text of fc.sample(values, { numRuns: FILES, seed: SEED }).map(textOf)) {
        const problem = await refusal(format, text)
        // Among values of which no type but JSON could be, it has no type at all, as in BigQuery.
        if (problem?.includes('found 1e400, expected a JSON value')) continue
        if (problem !== null) refused.push(`${problem}\n${text}`)
      }
      expect(refused.slice(0, 5).join('\n')).to.equal('')
    })
  }
})

/** Why the reader refuses a row of a file by the schema that is inferred from it; null where it takes all rows. */
async function refusal(format: 'ndjson' | 'csv', text: string): Promise<string | null> {
  const { fields, badRows, textForm } = await inferTable({
    files: ['-'],
    inputFormat: format,
    standardInput: () => Readable.from([Buffer.from(text)]),
    maxBadRows: 1,
  })
  const problems = badRows.map(badRowLine)
  const table = {
    name: 't',
    textForm,
    columns: fieldsToColumns(fields)!,
    required: requiredPaths(fields),
    limits: typeLimits(fields),
  }
  const stream = new RowStream('in', rowFormat(format, table, 'nothing', []), {
    row: () => undefined,
    bad: row => void problems.push(`${badRowLine(row)} ${JSON.stringify(fields)}`),
  })
  stream.push(Buffer.from(text))
  stream.end()
  return problems[0] ?? null
}
