/** The rows of BigQuery's answers become the bytes that a slow and simple reference gives, or an error: never others. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { SchemaField } from '../../../../googlesql/index.js'
import { ResultEncoder } from '../../../../runner/engines/bigquery/decode/encode-result.js'
import { toTable } from '../../../../runner/formats/table.js'
import type { ResultSet } from '../../../../runner/model/query.js'
import { type DrawnAnswer, drawAnswer, drawFrom, drawText, expectedRows, oneOf, type RestRow } from '../rest-answers.js'

function encoded(answer: string): string {
  const { schema = {}, rows = [] } = JSON.parse(answer) as Partial<DrawnAnswer>
  const encoder = new ResultEncoder({ timestamps: 'iso8601', maxRows: 100, maxBytes: 1e6 })
  encoder.add(schema, rows)
  return rowTexts(encoder.finish())
}

/** The rows as arrays, each value with its own bytes. */
function rowTexts({ columns, body }: Pick<ResultSet, 'columns' | 'body'>): string {
  const facts = { endpoint: 'test', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
  const table = Buffer.from(toTable(columns, body, facts)).toString()
  return table.slice(`{"columns":${JSON.stringify(columns)},"rows":`.length, -',"truncated":false,"next":null}'.length)
}

/** The encoded rows; null where the answer is refused. */
function encodedOrNull(answer: string): string | null {
  try {
    return encoded(answer)
  } catch {
    return null
  }
}

const TEXTS = ['', 'a', 'São Paulo', '"', '\\', '\u0000', '\u001f', '\u007f', '\u0080', '߿', 'ࠀ', '\u2028']
  .concat(['日本', '😀', '\ud800', '\udc00x', '\n', '\ufeff', '\uffff'])
  .flatMap(text => [text, `plain ${text}`, `${text}${'x'.repeat(38)}`, 'x'.repeat(39) + text, text.repeat(300)])

const rowsOf = (values: readonly unknown[]): readonly RestRow[] => values.map(v => ({ f: [{ v }] }))
const STRINGS: readonly SchemaField[] = [{ name: 's', type: 'STRING' }]

function bodyOf(fields: readonly SchemaField[], rows: readonly RestRow[], maxRows = 1_000): Buffer {
  const encoder = new ResultEncoder({ timestamps: 'iso8601', maxRows, maxBytes: 1e9 })
  const half = rows.length >> 1
  encoder.add({ fields }, rows.slice(0, half))
  encoder.add({ fields }, rows.slice(half))
  return Buffer.from(encoder.finish().body)
}

describe('rows of BigQuery', () => {
  it('become what the reference reads, for 300 schemas', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const text = drawText(draw, drawAnswer(draw))
        expect(encoded(text), `seed ${seed}`).to.equal(expectedRows(text))
      }),
      { numRuns: 300, endOnFailure: true },
    )
  })

  it('in an answer with changed, removed or inserted letters become what the reference reads, or an error', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const letters = [...drawText(draw, drawAnswer(draw))]
        for (let changes = 1 + draw(3); changes > 0; changes--) {
          letters.splice(
            draw(letters.length),
            draw(3),
            ...(draw(2) === 0 ? [oneOf(draw, [...'{}[],:"\\ 0-ntuv\n'])] : []),
          )
        }
        const result = encodedOrNull(letters.join(''))
        if (result === null) return
        accepted += 1
        expect(result, letters.join('')).to.equal(expectedRows(letters.join('')))
      }),
      { numRuns: 1_000, endOnFailure: true },
    )
    expect(accepted).to.be.greaterThan(100)
  })

  it('keep every text as JSON.stringify writes it', () => {
    expect(bodyOf(STRINGS, rowsOf(TEXTS)).toString()).to.equal(JSON.stringify({ result: TEXTS.map(s => ({ s })) }))
  })

  it('are complete where one row is larger than a piece of the body', () => {
    const texts = ['x', 'ü'.repeat(300_000), '"'.repeat(300_000), 'y'.repeat(300_000)]
    const expected = Buffer.from(JSON.stringify({ result: texts.map(s => ({ s })) }))
    expect(bodyOf(STRINGS, rowsOf(texts)).equals(expected)).to.equal(true)
  })

  it('beyond the limit are read and left out', () => {
    const fields = [{ name: 'n', type: 'INTEGER' }]
    const encoder = new ResultEncoder({ timestamps: 'iso8601', maxRows: 1, maxBytes: 1_000 })
    encoder.add({ fields }, rowsOf(['1', '2', '3']))
    const { rowCount, isTruncated, body } = encoder.finish()
    expect([rowCount, isTruncated]).to.deep.equal([1, true])
    expect(Buffer.from(body).toString()).to.equal('{"result":[{"n":1}]}')
    expect(() => bodyOf(fields, rowsOf(['1', '2', '3', 'x']), 1)).to.throw('row 4, column n, INT64')
  })

  it('that are not rows are refused', () => {
    for (const row of [null, 1, 'x', [], {}, { f: {} }, { f: [] }, { f: [{}] }, { f: [null] }]) {
      expect(() => bodyOf(STRINGS, [row as unknown as RestRow])).to.throw('row 1')
    }
  })
})
