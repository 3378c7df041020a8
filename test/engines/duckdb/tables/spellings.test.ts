/** What the SELECT over a text file takes is what the reader of rows takes, with the same value: texts with one to three mistakes. */
import { expect } from 'chai'
import type { ScalarKind } from '../../../../googlesql/data.js'
import { duckdbType, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { type FileValueForm, fromFileValue } from '../../../../runner/engines/duckdb/tables/file-column.js'
import { leafOfText } from '../../../../runner/engines/duckdb/tables/rows/leaf.js'
import { UNLIMITED } from '../../../../runner/engines/duckdb/tables/rows/row-schema.js'
import { type Random, randomOf } from '../../../../tools/fuzz/random.js'
import { openSqlSession, type SqlSession } from '../../../googlesql-duckdb/sql-session.js'
import { sampleSize } from '../../../sample-size.js'

const COUNT = sampleSize(6_000)

const SPELLINGS: Partial<Record<ScalarKind, readonly string[]>> = {
  INT64: ['12345', '0', '-7', '9223372036854775807'],
  DATE: ['2026-01-31', '0001-01-01', '9999-12-31'],
  TIME: ['12:34:56', '12:34:56.123456', '24:00:00'],
  DATETIME: ['2026-01-31T12:34:56.123456', '2026-01-31 12:34:56', '2026-01-31T24:00:00'],
  TIMESTAMP: [
    '2026-01-31T12:34:56.123456Z',
    '2026-01-31 12:34:56Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31 24:00:00Z',
    '0001-01-01T00:00:00',
    '9999-12-31 23:59:59 UTC',
    '2026-01-31T23:59:59.5+05:30',
    '1704164645',
  ],
}
const CHARACTERS = [...' \t\n\r0123456789-:.,TZ+/eExUC_()']

function withMistakes(text: string, random: Random): string {
  const characters = [...text]
  for (let mistakes = random.between(1, 3); mistakes > 0; mistakes--) {
    const added = random.pick([[], [random.pick(CHARACTERS)]])
    characters.splice(random.between(0, characters.length), random.between(0, 1), ...added)
  }
  return characters.join('')
}

describe('Spellings of values in text files', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  /** The values of texts as DuckDB writes them; null for one that `value` refuses. */
  async function valuesOf(texts: readonly (string | null)[], value: string): Promise<readonly unknown[]> {
    const list = texts.map(text => (text === null ? 'NULL' : quoteText(text))).join(', ')
    const rows = await session.rows(
      `SELECT CAST(TRY(${value}) AS VARCHAR) FROM (SELECT unnest([${list}]::VARCHAR[]) AS x)`,
    )
    return rows.map(([text]) => text)
  }

  for (const [name, spellings] of Object.entries(SPELLINGS)) {
    const kind = name as ScalarKind
    for (const form of ['json', 'csv'] satisfies FileValueForm[]) {
      it(`of ${kind} mean the same to both readers of ${form}`, async () => {
        const random = randomOf('spellings', kind, form)
        const texts = Array.from({ length: COUNT }, () => withMistakes(random.pick(spellings), random))
        const context = { path: 'x', form, texts: new Map([['x', null]]) }
        // TRY takes no error() within it.
        const select = fromFileValue({ kind }, 'x', context).replaceAll("error('')", 'NULL')
        const selected = await valuesOf(texts, select)
        const leaves = texts.map(text => leafOfText(kind, text, UNLIMITED)?.replaceAll('"', '') ?? null)
        const read = await valuesOf(leaves, `CAST(x AS ${duckdbType({ kind })})`)
        const differences = texts.flatMap((text, i) =>
          selected[i] === null || selected[i] === read[i]
            ? []
            : [`${JSON.stringify(text)} is ${selected[i]}, and ${read[i]} by the reader of rows`],
        )
        expect(selected.filter(value => value !== null)).to.have.length.above(COUNT / 10)
        expect(differences).to.deep.equal([])
      }).timeout(60_000)
    }
  }
})
