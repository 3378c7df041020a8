/** An answer whose rows are parsed in parts is the same as one that is parsed whole, or an error. */
import { expect } from 'chai'
import { parseAnswer, parseRows } from '../../../../runner/engines/bigquery/decode/parse-answer.js'

const HARD = [
  'plain',
  ']',
  '}]}',
  '","',
  '\\',
  '\\\\"]',
  '"]}',
  'é'.repeat(40),
  ',{"f":[{"v":"',
  '"rows":[{"f":[',
  ']}]',
  '\n',
]
const field = { name: 's', type: 'STRING' }
const record = { name: 'r', type: 'RECORD', mode: 'REPEATED', fields: [field] }
const ROWS = Array.from({ length: 6_000 }, (_, i) => ({
  f: [{ v: HARD[i % HARD.length] }, { v: HARD.slice(0, i % 4).map(v => ({ v: { f: [{ v }] } })) }, { v: null }],
}))
const BEFORE = { kind: 'bigquery#queryResponse', schema: { fields: [field, record, field] } }

function read(text: string): { readonly rest: object; readonly parts: readonly (readonly unknown[])[] } {
  const { rows, ...rest } = parseAnswer(text) as { readonly rows: Iterable<readonly unknown[]> }
  return { rest, parts: [...rows] }
}

describe('an answer of BigQuery with rows', () => {
  for (const [name, behind] of [
    ['nothing', {}],
    ['what BigQuery mostly sends', { totalRows: '6000', jobComplete: true, cacheHit: false, queryId: 'a]b' }],
    ['texts that look like an end', Object.fromEntries(HARD.map(text => [`x${text}`, `${text}]`]))],
    ['warnings', { errors: HARD.map(message => ({ message, reason: 'invalid' })) }],
    ['the schema', { schema: BEFORE.schema }],
    ['a long text', { etag: 'x]}]"'.repeat(30_000) }],
  ] as const) {
    it(`is read to its end with ${name} after them`, () => {
      for (const space of [undefined, 1]) {
        const before = 'schema' in behind ? {} : BEFORE
        const { rest, parts } = read(JSON.stringify({ ...before, rows: ROWS, ...behind }, null, space))
        expect(rest).to.deep.equal({ ...before, ...behind })
        expect(JSON.stringify(parts.flat()) === JSON.stringify(ROWS)).to.equal(true)
      }
    })
  }

  it('is parsed in parts, so that other work has its turn between them', () => {
    const { parts } = read(JSON.stringify({ ...BEFORE, rows: ROWS, totalRows: '6000' }))
    expect(parts.length).to.be.greaterThan(5)
    for (const part of parts) expect(JSON.stringify(part).length).to.be.lessThan(100_000)
  })

  it('has the text of a part that is long because of one row', () => {
    const long = { f: [{ v: Array.from({ length: 20_000 }, (_, i) => ({ v: { f: [{ v: `${i}` }] } })) }] }
    const rows = [...ROWS.slice(0, 2), long, ...ROWS.slice(0, 2)]
    const { rows: parts } = parseAnswer(JSON.stringify({ ...BEFORE, rows, totalRows: '5' })) as {
      rows: Iterable<unknown>
    }
    const [first, ...others] = parts
    expect(first).to.be.a('string')
    expect([...parseRows(String(first)), ...others.flat()]).to.deep.equal(rows)
  })

  it('that is cut off anywhere is an error', () => {
    const text = JSON.stringify({ ...BEFORE, rows: ROWS.slice(0, 40), totalRows: '40' })
    for (let end = 0; end < text.length; end++) expect(() => read(text.slice(0, end)), String(end)).to.throw()
  })

  it('that is broken anywhere is an error, or another JSON text', () => {
    const text = JSON.stringify({ ...BEFORE, rows: ROWS.slice(0, 2_000), totalRows: '2000' })
    for (let at = 1; at < text.length; at += 11_777) {
      for (const put of ['}', ']', '"', '{', ',{"f":[]}', '],"rows":[']) {
        const broken = text.slice(0, at) + put + text.slice(at)
        let whole: { readonly rows: readonly unknown[] } | null = null
        try {
          whole = JSON.parse(broken)
        } catch {
          // It is not JSON.
        }
        if (whole === null) expect(() => read(broken), `${put} at ${at}`).to.throw()
        else
          expect(JSON.stringify(read(broken).parts.flat()) === JSON.stringify(whole.rows), `${put} at ${at}`).to.equal(
            true,
          )
      }
    }
  })

  it('that are broken is refused without quoting them', () => {
    const broken = '{"schema":{},"rows":[{"f":[{"v":"hunter2"}]},{"f":["x]}],"x":"]}]"}'
    expect(() => read(broken))
      .to.throw()
      .with.property('message')
      .that.does.not.match(/hunter2/)
  })

  it('without any is as it is', () => {
    for (const value of [null, [], 'x', 1, { jobComplete: false }]) {
      expect(parseAnswer(JSON.stringify(value))).to.deep.equal(value)
    }
    expect(read('{"rows":[]}').parts).to.deep.equal([[]])
    expect(read('{"rows":{}}').parts).to.deep.equal([{}])
  })
})
