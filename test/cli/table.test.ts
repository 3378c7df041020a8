import { expect } from 'chai'
import { textTable } from '../../authoring/terminal/table.js'

describe('textTable', () => {
  const columns = [
    { name: 'name', type: 'STRING', mode: 'NULLABLE' },
    { name: 'n', type: 'INT64', mode: 'NULLABLE' },
  ] as const

  it('aligns numbers right and everything else left', () => {
    expect(
      textTable(columns, [
        ['a', '10'],
        [null, '7'],
      ]),
    ).to.equal('name   n\n----  --\na     10\nNULL   7\n')
  })

  it('cuts a long value, and shows control characters instead of sending them to the terminal', () => {
    const [, , line] = textTable([columns[0]], [[`\u001b[2J${'x'.repeat(100)}`]]).split('\n')
    expect(line).to.equal(`\\u001b[2J${'x'.repeat(50)}…`)
  })

  it('takes more rows than a call can have arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ['a', String(i)])
    expect(textTable(columns, rows).split('\n')[200_001]).to.equal('a     199999')
  })
})
