/** The text of BigQuery's rows becomes the same bytes as it would by way of JSON.parse, or an error: never others. */
import { expect } from 'chai'
import fc from 'fast-check'
import { readAnswerBody } from '../../../runner/engines/bigquery/answer-body.js'
import { resultEncoder } from '../../../runner/engines/bigquery/encode-result.js'
import type { RestQueryResponse } from '../../../runner/engines/bigquery/rest.js'
import { drawAnswer, drawFrom, drawText, expectedRows, oneOf } from './rest-answers.js'

function encoded(answer: Buffer, maxRows = 100): string {
  const { schema = {}, rows } = readAnswerBody(answer) as RestQueryResponse
  const encoder = resultEncoder({ format: 'arrays', timestamps: 'iso8601', maxRows, maxBytes: 1e6 })
  if (rows) encoder.add(schema, rows)
  return Buffer.from(encoder.finish().body).toString()
}

/** Null where it is refused. */
function encodedOrNull(answer: Buffer): string | null {
  try {
    return encoded(answer)
  } catch {
    return null
  }
}

const ONE = { schema: { fields: [{ name: 'n', type: 'INTEGER' }] }, rows: [{ f: [{ v: '1' }] }] }

describe('the text of BigQuery’s rows', () => {
  it('becomes what JSON.parse would read, however it is laid out', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const text = drawText(draw, drawAnswer(draw))
        expect(encoded(Buffer.from(text)), `seed ${seed}`).to.equal(expectedRows(text))
      }),
      { numRuns: 300, endOnFailure: true },
    )
  })

  it('with bytes changed, left out or put in, becomes that or an error', () => {
    let accepted = 0
    const BYTES = Array.from('{}[],:"\\ 0-ntuv\n', letter => letter.charCodeAt(0)).concat(0, 0xc3, 0xff)
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const bytes = [...Buffer.from(drawText(draw, drawAnswer(draw)))]
        for (let changes = 1 + draw(3); changes > 0; changes--) {
          const at = draw(bytes.length)
          bytes.splice(at, draw(3), ...(draw(2) === 0 ? [oneOf(draw, BYTES)] : []))
        }
        const given = Buffer.from(bytes)
        const result = encodedOrNull(given)
        if (result === null) return
        accepted += 1
        expect(result, given.toString()).to.equal(expectedRows(given.toString()))
      }),
      { numRuns: 1_000, endOnFailure: true },
    )
    expect(accepted).to.be.greaterThan(100)
  })

  it('that ends anywhere but at its end is an error', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const bytes = Buffer.from(drawText(draw, drawAnswer(draw)))
        for (let end = 0; end < bytes.length; end++) {
          expect(encodedOrNull(bytes.subarray(0, end)), bytes.subarray(0, end).toString()).to.equal(null)
        }
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })

  it('keeps every escape as JSON.stringify writes it, and what follows it', () => {
    const units = [
      '0000',
      '0008',
      '000A',
      '001f',
      '0022',
      '002f',
      '0041',
      '005c',
      '007f',
      '0080',
      '07FF',
      '0800',
      'd7ff',
    ]
      .concat(['d800', 'DBFF', 'dc00', 'dfff', 'e000', 'ffff'])
      .map(hex => `\\u${hex}`)
    const escapes = [...units, ...Array.from('"\\/bfnrt', letter => `\\${letter}`), 'x', 'é', '😀']
    const texts = escapes.flatMap(first => escapes.map(second => `"${first}${second}"`))
    const schema = '{"fields":[{"name":"s","type":"STRING"}]}'
    const rows = texts.map(text => `{"f":[{"v":${text}}]}`)
    const result = encoded(Buffer.from(`{"schema":${schema},"rows":[${rows}]}`), texts.length)
    expect(result).to.equal(JSON.stringify(texts.map(text => [JSON.parse(text)])))
  })

  it('may stand before the schema', () => {
    const { schema, rows } = ONE
    expect(encoded(Buffer.from(JSON.stringify({ rows, schema })))).to.equal('[[1]]')
  })

  it('may be laid out for people', () => {
    expect(encoded(Buffer.from(JSON.stringify(ONE, null, 2)))).to.equal('[[1]]')
  })

  for (const wrong of ['\\x', '\\u12', '\\u12g4', '\\u 123', '\\U0041', '\\']) {
    it(`with the escape ${wrong} is refused`, () => {
      const text = `{"schema":{"fields":[{"name":"s","type":"STRING"}]},"rows":[{"f":[{"v":"${wrong}"}]}]}`
      expect(() => encoded(Buffer.from(text))).to.throw()
    })
  }

  for (const [name, text] of [
    ['rows twice', '{"rows":[],"rows":[]}'],
    ['rows that are no list', '{"rows":{}}'],
    ['a value twice', '{"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1","v":"2"}]}]}'],
    ['cells twice', '{"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1"}],"f":[{"v":"2"}]}]}'],
    ['a cell without a value', '{"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{}]}]}'],
    ['something behind it', '{"rows":[]}x'],
    ['something behind the rows', '{"rows":[]]}'],
    ['a surplus comma', '{"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1"},]}]}'],
    ['brackets that do not match', '{"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1"]}}]}'],
    ['an unknown member that is no JSON', '{"schema":{},"rows":[{"x":{],"f":[]}]}'],
    ['a line end in a string', '{"schema":{"fields":[{"name":"s","type":"STRING"}]},"rows":[{"f":[{"v":"a\nb"}]}]}'],
  ] as const) {
    it(`with ${name} is refused`, () => {
      expect(() => encoded(Buffer.from(text))).to.throw()
    })
  }

  it('that is no UTF-8 is refused', () => {
    const bytes = Buffer.from(JSON.stringify({ ...ONE, etag: 'x' }))
    bytes[bytes.indexOf('"x"') + 1] = 0xe9
    expect(() => encoded(bytes)).to.throw('UTF-8')
  })
})
