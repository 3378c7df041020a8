import { expect } from 'chai'
import { BodyTooLargeError, bodyBuilder } from '../../runner/encode/body.js'
import { compileRowWriter } from '../../runner/encode/row-writer.js'
import type { EngineFormat } from '../../runner/model/query.js'

function bodyOf(format: EngineFormat, names: string[], rows: (string | null)[][], maxBytes = 1_000_000): string {
  const body = bodyBuilder(compileRowWriter(names, format), maxBytes)
  for (const row of rows) body.add(row)
  return new TextDecoder().decode(body.finish())
}

describe('the body of a result', () => {
  const rows = [
    ['1', '"x"'],
    ['2', 'null'],
  ]
  const CASES: { name: string; format: EngineFormat; rows: (string | null)[][]; body: string }[] = [
    {
      name: 'is one JSON object with its rows as objects',
      format: 'json',
      rows,
      body: '{"result":[{"a":1,"b \\"":"x"},{"a":2,"b \\"":null}]}',
    },
    { name: 'is an empty JSON list without rows', format: 'json', rows: [], body: '{"result":[]}' },
    {
      name: 'is one object a line as NDJSON',
      format: 'ndjson',
      rows,
      body: '{"a":1,"b \\"":"x"}\n{"a":2,"b \\"":null}\n',
    },
    { name: 'is nothing as NDJSON without rows', format: 'ndjson', rows: [], body: '' },
    { name: 'is a list of lists as arrays', format: 'arrays', rows, body: '[[1,"x"],[2,null]]' },
    {
      name: 'is RFC 4180 as CSV, with NULL and the empty string told apart',
      format: 'csv',
      rows: [
        ['plain', 'a,b'],
        ['"q"', 'two\nlines'],
        [null, ''],
      ],
      body: 'a,"b """\r\nplain,"a,b"\r\n"""q""","two\nlines"\r\n,""\r\n',
    },
  ]
  for (const { name, format, rows: given, body } of CASES) {
    it(name, () => expect(bodyOf(format, ['a', 'b "'], given)).to.equal(body))
  }

  it('keeps every row when it is assembled from many pieces', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [String(i), JSON.stringify('ü'.repeat(i % 20))])
    const parsed = JSON.parse(bodyOf('arrays', ['i', 's'], many))
    expect(parsed).to.have.length(20_000)
    expect(parsed[19_999]).to.deep.equal([19_999, 'ü'.repeat(19)])
  })

  it('is refused as soon as it exceeds its limit', () => {
    const many = Array.from({ length: 20_000 }, () => ['1', '"aaaaaaaaaa"'])
    expect(() => bodyOf('json', ['a', 'b'], many, 100_000)).to.throw(BodyTooLargeError)
  })
})
