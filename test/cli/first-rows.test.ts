import { expect } from 'chai'
import fc from 'fast-check'
import { firstRows } from '../../authoring/call/first-rows.js'

describe('the first rows of a result', () => {
  it('are indented, and every number and text is as it was', () => {
    const json = '{"result":[{"a":[],"b":{},"n":12345678901234567890.10,"s":"x, \\"}]\\\\"},{"a":[1,null]},{"a":[2]}]}'
    expect(firstRows(json, 2)).to.equal(
      [
        '{',
        '  "result": [',
        '    {',
        '      "a": [],',
        '      "b": {},',
        '      "n": 12345678901234567890.10,',
        '      "s": "x, \\"}]\\\\"',
        '    },',
        '    {',
        '      "a": [',
        '        1,',
        '        null',
        '      ]',
        '    }',
        '  ]',
        '}',
        '',
      ].join('\n'),
    )
  })

  it('are what JSON.stringify would indent', () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 4 }), (result, most) => {
        const expected = JSON.stringify({ result: result.slice(0, most) }, null, 2)
        expect(firstRows(JSON.stringify({ result }), most)).to.equal(`${expected}\n`)
      }),
    )
  })
})
