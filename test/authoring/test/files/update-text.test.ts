/** Values written into test files: only what differs changes. */
import { expect } from 'chai'
import { parse } from 'yaml'
import { updateText, type ValueUpdate } from '../../../../authoring/test/files/update-text.js'

const rows = (value: unknown, isUnordered = false): ValueUpdate => ({ path: ['expect', 'rows'], value, isUnordered })

const CASES: readonly (readonly [what: string, before: string, update: ValueUpdate, after: string])[] = [
  [
    'one member of a block row, in its own quotes',
    'expect:\n  rows:\n    - a: "x" # kept\n      b: 1\n    - a: \'y\'\n      b: 2\n',
    rows([
      { b: 1, a: 'z' },
      { b: 3, a: "it's" },
    ]),
    "expect:\n  rows:\n    - a: \"z\" # kept\n      b: 1\n    - a: 'it''s'\n      b: 3\n",
  ],
  [
    'a row in the middle of a block list',
    'expect:\n  rows:\n    # the first\n    - { a: 1 } # one\n    - { a: 3 } # three\n',
    rows([{ a: 1 }, { a: 2 }, { a: 3 }]),
    'expect:\n  rows:\n    # the first\n    - { a: 1 } # one\n    - { a: 2 }\n    - { a: 3 } # three\n',
  ],
  [
    'a row before all others',
    'expect:\n  rows:\n    - a: 2\n  count: 1\n',
    rows([{ a: 1 }, { a: 2 }]),
    'expect:\n  rows:\n    - a: 1\n    - a: 2\n  count: 1\n',
  ],
  [
    'a row less, and its line with it',
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: 2 } # gone\n    - { a: 3 }\n',
    rows([{ a: 1 }, { a: 3 }]),
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: 3 }\n',
  ],
  [
    'flow lists that grow, shrink at the end, and shrink at the beginning',
    'expect: { rows: [ { a: 1 }, { a: 2 } ], count: 2 }\n',
    rows([{ a: 1 }, { a: 2 }, { a: 'x, y' }]),
    'expect: { rows: [ { a: 1 }, { a: 2 }, { a: "x, y" } ], count: 2 }\n',
  ],
  [
    'the end of a flow list',
    'expect: { rows: [{ a: 1 }, { a: 2 }, { a: 3 }] }\n',
    rows([{ a: 1 }]),
    'expect: { rows: [ { a: 1 } ] }\n',
  ],
  [
    'a flow list in several lines',
    'expect:\n  rows: [\n    { a: 2 },\n    { a: 3 }\n  ]\n',
    rows([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }]),
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: 2 }\n    - { a: 3 }\n    - { a: 4 }\n',
  ],
  [
    'an empty list that gets rows',
    'expect:\n  rows: [] # none yet\n  count: 0\n',
    rows([{ a: 1 }, { a: null }]),
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: null } # none yet\n  count: 0\n',
  ],
  [
    'a list that gets empty',
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: 2 }\n  count: 2\n',
    rows([]),
    'expect:\n  rows: []\n  count: 2\n',
  ],
  [
    'a nested list, element by element',
    'expect:\n  rows:\n    - id: 1\n      tags:\n        - a # first\n        - c\n',
    rows([{ id: 1, tags: ['a', 'b', 'c'] }]),
    'expect:\n  rows:\n    - id: 1\n      tags:\n        - a # first\n        - b\n        - c\n',
  ],
  [
    'a row with other members, as a block',
    'expect:\n  rows:\n    - a: 1 # stays\n      b: 2\n',
    rows([{ a: 1, c: [1, { d: 'x' }] }]),
    'expect:\n  rows:\n    - a: 1 # stays\n      c: [ 1, { d: x } ]\n',
  ],
  [
    'rows in any order keep their places',
    'expect:\n  rows:\n    - { a: 3 } # three\n    - { a: 9 }\n    - { a: 1 }\n',
    rows([{ a: 1 }, { a: 2 }, { a: 3 }], true),
    'expect:\n  rows:\n    - { a: 3 } # three\n    - { a: 2 }\n    - { a: 1 }\n',
  ],
  [
    'line breaks of Windows, and a byte order mark',
    '\ufeffexpect:\r\n  rows:\r\n    - { a: 1 }\r\n',
    rows([{ a: 1 }, { a: 2 }]),
    '\ufeffexpect:\r\n  rows:\r\n    - { a: 1 }\r\n    - { a: 2 }\r\n',
  ],
  [
    'members that come and go in a flow row, and leaves the quotes and comments of the others',
    "expect:\n  rows:\n    - { a: 'x', \"b\": 2,  c:   3 } # one\n    - { a: 'y', b: 2 } # two\n",
    rows([
      { a: 'x', c: 3, d: '4' },
      { b: 2, e: null },
    ]),
    'expect:\n  rows:\n    - { a: \'x\', c: 3, d: "4" } # one\n    - { b: 2, e: null } # two\n',
  ],
  [
    'members that come and go in a block row',
    "expect:\n  rows:\n    - a: 'x' # kept\n      # of b\n      b: 2\n      c: [1,   2]\n      d: 4\n    - a: y\n  count: 1\n",
    rows([{ a: 'x', c: [1, 2], e: 5 }, { a: 'y' }]),
    "expect:\n  rows:\n    - a: 'x' # kept\n      c: [ 1, 2 ]\n      e: 5\n    - a: y\n  count: 1\n",
  ],
  [
    'a block row whose first member goes',
    'expect:\n  rows:\n    - a: 1\n      b: 2\n  count: 1\n',
    rows([{ b: 2 }]),
    'expect:\n  rows:\n    - b: 2\n  count: 1\n',
  ],
  [
    'no line break at the end',
    'expect:\n  rows:\n    - { a: 1 }\n    - { a: 2 }',
    rows([{ a: 1 }]),
    'expect:\n  rows:\n    - { a: 1 }',
  ],
  [
    'nothing outside the value, whatever its style',
    "a:   [1,2]\n\nexpect:\n\n  # of rows\n  rows:\n    # first\n    - { a: 1 }\n    - { a: 2 }\n    # last\n\n  # of count\n  count:   '2'   # as text\n",
    rows([{ a: 1 }]),
    "a:   [1,2]\n\nexpect:\n\n  # of rows\n  rows:\n    # first\n    - { a: 1 }\n    # last\n\n  # of count\n  count:   '2'   # as text\n",
  ],
  [
    'a test in one line, beside others in theirs',
    'expect:\n  - {a:   1}\n  - {rows: [{a: 1}]} # second\n  - {b:   1}\n',
    { path: ['expect', 1, 'rows'], value: [{ a: 1 }, { a: 2 }] },
    'expect:\n  - {a:   1}\n  - { rows: [ { a: 1 }, { a: 2 } ] } # second\n  - {b:   1}\n',
  ],
  [
    'no digit of a number that stays',
    'expect:\n  rows:\n    - { a: 12345678901234567890.125, b: 1 }\n',
    rows([{ a: '12345678901234567890.125', b: 2 }]),
    'expect:\n  rows:\n    - { a: "12345678901234567890.125", b: 2 }\n',
  ],
  [
    'text that no quotes of one line can hold',
    "expect:\n  rows:\n    - { a: 'x' }\n",
    rows([{ a: 'y\u0001\n z' }]),
    'expect:\n  rows:\n    - { a: "y\\x01\\n z" }\n',
  ],
]

describe('updateText', () => {
  for (const [what, before, update, after] of CASES) {
    it(`writes ${what}`, () => expect(updateText(before, [update])).to.equal(after))
  }

  it('gives the wanted values for whatever the layout', () => {
    const values = [
      [],
      [{ a: 1 }],
      [
        { c: 1, b: 'q', d: 2 },
        { b: 'r', a: 0 },
      ],
      [{ d: 1, a: 2, e: [] }],
      [{ a: 2 }, { a: 1, b: 'x: y' }],
      [{ b: null }, { a: [[], {}] }, { a: '1' }],
    ]
    const layouts = [
      'expect:\n  rows: [{ a: 1 }, { b: "q" }]\n',
      'expect:\n  rows:\n  - a: 1\n  -\n    b: q\n',
      'expect: {rows: []}\n',
    ]
    for (const layout of layouts) {
      for (const value of values)
        expect(parse(updateText(layout, [rows(value)]))).to.deep.equal({ expect: { rows: value } })
    }
  })
})
