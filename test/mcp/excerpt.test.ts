import { expect } from 'chai'
import fc from 'fast-check'
import { excerptOf } from '../../runner/mcp/excerpt.js'
import { rawJson, withRawJson } from '../../runner/mcp/raw-json.js'
import { anyText } from '../any-text.js'

const BOUNDS = { maxRows: 50, maxBytes: 65_536 }

/** A result of these rows, each given as its JSON. */
const resultOf = (rows: readonly string[], isTruncated = false) => ({
  body: Buffer.from(`{"result":[${rows.join()}]}`),
  rowCount: rows.length,
  isTruncated,
})

describe('mcp: excerpts', () => {
  it('have all rows where all fit', () => {
    const excerpt = excerptOf(resultOf(['{"a":1}', '{"a":2}']), BOUNDS)
    expect([excerpt.rows, excerpt.isTruncated]).to.deep.equal([2, false])
    expect(excerpt.text(null)).to.equal('{"result":[{"a":1},{"a":2}],"row_count":2,"truncated":false}')
    expect(excerptOf(resultOf([]), BOUNDS).text(null)).to.equal('{"result":[],"row_count":0,"truncated":false}')
  })

  it('keep every digit', () => {
    const row = '{"a":12345678901234567890,"b":{"c":0.10000000000000000000001,"c":1e400}}'
    expect(excerptOf(resultOf([row]), BOUNDS).text(null)).to.include(row)
  })

  it('have whole rows, as many as are asked for and as fit, and count all', () => {
    const rows = Array.from({ length: 100 }, (_, i) => `{"a":${1000 + i}}`)
    const asked = excerptOf(resultOf(rows), { ...BOUNDS, maxRows: 7 })
    expect([asked.rows, asked.isTruncated]).to.deep.equal([7, true])
    expect(JSON.parse(asked.text('more'))).to.deep.include({ row_count: 100, truncated: true, note: 'more' })
    const cut = excerptOf(resultOf(['{"a":1}'], true), BOUNDS)
    expect([cut.rows, cut.isTruncated]).to.deep.equal([1, true])
  })

  it('are not read beyond what fits: a row may have as many bytes as a result', () => {
    const endless = {
      body: Buffer.from(`{"result":[{"a":1},{"a":"${'x'.repeat(200_000)}`),
      rowCount: 2,
      isTruncated: false,
    }
    expect(excerptOf(endless, BOUNDS).text(null)).to.equal('{"result":[{"a":1}],"row_count":2,"truncated":true}')
    const row = `{"a":"${'x'.repeat(1_000)}"}`
    const tooMuch = '{"result":[],"row_count":1,"truncated":false}'.length
    expect(excerptOf(resultOf([row]), { maxRows: 1, maxBytes: row.length + tooMuch }).rows).to.equal(1)
  })

  it('have no row where the first alone is too large', () => {
    const excerpt = excerptOf(resultOf([`{"a":"${'x'.repeat(100_000)}"}`, '{"a":"b"}']), BOUNDS)
    expect(excerpt.text(null)).to.equal('{"result":[],"row_count":2,"truncated":true}')
  })

  it('never exceed their bytes, and never give away a row that would fit', () => {
    const row = fc.record({ id: fc.integer(), text: anyText({ maxLength: 40 }) })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.integer({ min: 60, max: 900 }), (rows, maxBytes) => {
        const texts = rows.map(value => JSON.stringify(value))
        const excerpt = excerptOf(resultOf(texts), { maxRows: 200, maxBytes })
        const text = excerpt.text(null)
        expect(Buffer.byteLength(text)).to.be.at.most(maxBytes)
        expect(JSON.parse(text).result).to.deep.equal(
          rows.slice(0, excerpt.rows).map(one => JSON.parse(JSON.stringify(one))),
        )
        if (excerpt.rows === rows.length) return
        const next = Buffer.byteLength(texts[excerpt.rows]!) + (excerpt.rows > 0 ? 1 : 0)
        // `true` is a byte shorter than `false`.
        expect(Buffer.byteLength(text) + next + 1).to.be.greaterThan(maxBytes)
      }),
    )
  })

  it('are one line, whatever white space a JSON value has', () => {
    const text = excerptOf(resultOf(['{"a":{\n"b" :\r\n1}}']), BOUNDS).text(null)
    expect(text).not.to.match(/[\r\n]/)
    expect(JSON.parse(text).result).to.deep.equal([{ a: { b: 1 } }])
  })
})

describe('mcp: JSON texts inside messages', () => {
  it('take the places of their placeholders', () => {
    const texts = ['{"n":12345678901234567890,"$&":"$1","a\\"b\\\\":"\\u2028}"}', '[]']
    const message = JSON.stringify({ a: rawJson(texts[0]!), b: rawJson(texts[1]!), c: 1 })
    expect(withRawJson(message)).to.equal(`{"a":${texts[0]},"b":${texts[1]},"c":1}`)
  })

  it('are not to be had by data that looks like a placeholder', () => {
    rawJson('{"secret":1}')
    const forged = '{"a":{"raw-json:00000000-0000-0000-0000-000000000000":"{}"}}'
    expect(withRawJson(forged)).to.equal(forged)
  })
})
