/**
 * The text of BigQuery's rows is encoded as the bytes that a decoder with JSON.parse would give, or as an error: never as
 * others.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { resultEncoder } from '../../../../runner/engines/bigquery/decode/encode-result.js'
import { readAnswerBody } from '../../../../runner/engines/bigquery/rest/answer-body.js'
import type { RestQueryResponse } from '../../../../runner/engines/bigquery/rest/messages.js'
import { toTable } from '../../../../runner/formats/table.js'
import type { ResultSet } from '../../../../runner/model/query.js'
import { drawAnswer, drawFrom, drawText, expectedRows, oneOf } from '../rest-answers.js'

function encoded(answer: Buffer, maxRows = 100): string {
  const { schema = {}, rows } = readAnswerBody(answer) as RestQueryResponse
  const encoder = resultEncoder({ timestamps: 'iso8601', maxRows, maxBytes: 1e6 })
  if (rows) encoder.add(schema, rows)
  return rowTexts(encoder.finish())
}

/** The rows as arrays, each value with its own bytes. */
function rowTexts({ columns, body }: Pick<ResultSet, 'columns' | 'body'>): string {
  const facts = { endpoint: 'test', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
  const table = Buffer.from(toTable(columns, body, facts)).toString()
  return table.slice(`{"columns":${JSON.stringify(columns)},"rows":`.length, -',"truncated":false,"next":null}'.length)
}

/** The encoded rows; null where the answer is refused. */
function encodedOrNull(answer: Buffer): string | null {
  try {
    return encoded(answer)
  } catch {
    return null
  }
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const ONE = { schema: { fields: [{ name: 'n', type: 'INTEGER' }] }, rows: [{ f: [{ v: '1' }] }] }

describe('the text of BigQuery’s rows', () => {
  it('becomes what JSON.parse would read, however it is formatted', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const draw = drawFrom(seed)
        const text = drawText(draw, drawAnswer(draw))
        expect(encoded(Buffer.from(text)), `seed ${seed}`).to.equal(expectedRows(text))
      }),
      { numRuns: 300, endOnFailure: true },
    )
  })

  it('with changed, removed or inserted bytes becomes what JSON.parse would read, or an error', () => {
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

  it('that is cut off anywhere is an error', () => {
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

  describe('of an answer that is long', () => {
    const HARD = ['plain', ']', '}]}', '","', '\\', '\\\\"]', '"]}', 'é'.repeat(40), '{"f":[{"v":"', '\n']
    const field = { name: 's', type: 'STRING' }
    const fields = [field, { ...field, mode: 'REPEATED' }, { name: 'none', type: 'STRING' }]
    const rows = Array.from({ length: 6_000 }, (_, i) => ({
      f: [{ v: HARD[i % HARD.length] }, { v: HARD.slice(0, i % 4).map(v => ({ v })) }, { v: i % 3 === 0 ? null : 'x' }],
    }))
    const before = { kind: 'bigquery#queryResponse', schema: { fields } }
    const expected = JSON.stringify(
      rows.map(({ f: [a, b, c] }) => [a!.v, (b!.v as { v: string }[]).map(one => one.v), c!.v]),
    )
    const listBehind = { errors: HARD.map(message => ({ message, location: [[]] })), jobComplete: true }

    for (const [name, behind] of [
      ['nothing', {}],
      ['what BigQuery mostly sends', { totalRows: '6000', jobComplete: true, cacheHit: false, queryId: 'a]b' }],
      ['texts that look like an end', Object.fromEntries(HARD.map(text => [`x${text}`, `${text}]`]))],
      ['lists and objects', listBehind],
      ['the schema', { schema: { fields } }],
      ['a long text', { etag: 'x]}"'.repeat(30_000) }],
    ] as const) {
      it(`is read to its end with ${name} after it`, () => {
        for (const space of [undefined, 1]) {
          const answer = { ...('schema' in behind ? {} : before), rows, ...behind }
          const text = Buffer.from(JSON.stringify(answer, null, space))
          expect(text.length).to.be.greaterThan(400_000)
          const { rows: _, ...rest } = answer
          const { rows: read, ...restRead } = readAnswerBody(text) as RestQueryResponse
          expect(restRead).to.deep.equal(rest)
          expect(JSON.stringify(JSON.parse(String(read))) === JSON.stringify(rows)).to.equal(true)
          expect(encoded(text, rows.length) === expected).to.equal(true)
        }
      })
    }

    it('is never treated as complete where it is cut off', () => {
      const text = Buffer.from(JSON.stringify({ ...before, rows, ...listBehind }))
      const end = text.length
      for (let lost = 1; lost < end - 270_000; lost += lost < 300 ? 1 : 4_999) {
        expect(encodedOrNull(text.subarray(0, end - lost)), `without the last ${lost} bytes`).to.equal(null)
      }
    })

    it('is refused where its rows are broken, or where a list of the same length follows', () => {
      const text = JSON.stringify({ ...before, rows })
      for (const at of [270_000, Math.floor(text.length / 2), text.length - 70_000, text.length - 100]) {
        for (const put of ['}', ']', '"', '{']) {
          const broken = `${text.slice(0, at)}${put}${text.slice(at)}`
          const isJson = isValid(broken)
          const result = encodedOrNull(Buffer.from(broken))
          if (result !== null) expect(isJson && result === expectedRows(broken), `${put} at ${at}`).to.equal(true)
        }
      }
      const twice = `${text.slice(0, -1)},"errors":${JSON.stringify(rows)}}`
      expect(encodedOrNull(Buffer.from(twice))).to.equal(null)
    })
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

  it('may come before the schema', () => {
    const { schema, rows } = ONE
    expect(encoded(Buffer.from(JSON.stringify({ rows, schema })))).to.equal('[[1]]')
  })

  it('may be pretty-printed', () => {
    expect(encoded(Buffer.from(JSON.stringify(ONE, null, 2)))).to.equal('[[1]]')
  })

  for (const wrong of ['\\x', '\\u12', '\\u12g4', '\\u 123', '\\U0041', '\\']) {
    it(`with the escape ${wrong} is refused`, () => {
      const text = `{"schema":{"fields":[{"name":"s","type":"STRING"}]},"rows":[{"f":[{"v":"${wrong}"}]}]}`
      expect(() => encoded(Buffer.from(text))).to.throw()
    })
  }

  it('of records without fields is read equally strictly', () => {
    const schema = '{"fields":[{"name":"r","type":"RECORD","fields":[]}]}'
    const of = (cell: string): Buffer => Buffer.from(`{"schema":${schema},"rows":[{"f":[{"v":${cell}}]}],"x":1}`)
    expect(encoded(of('{"f":[]}'))).to.equal('[[{}]]')
    expect(encodedOrNull(of('{"f":[}]}'))).to.equal(null)
  })

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

  it('that is not UTF-8 is refused', () => {
    const bytes = Buffer.from(JSON.stringify({ ...ONE, etag: 'x' }))
    bytes[bytes.indexOf('"x"') + 1] = 0xe9
    expect(() => encoded(bytes)).to.throw('UTF-8')
  })
})
