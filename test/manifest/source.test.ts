/** Each character of a block scalar maps to its place in the file. */
import { expect } from 'chai'
import fc from 'fast-check'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'

const FORMS: Readonly<Record<string, string>> = {
  'an indented block': 'id: a\nsql: |\n  SELECT one,\n    two\n\n  FROM x\n',
  CRLF: 'id: a\r\nsql: |\r\n  SELECT one,\r\n    two\r\n\r\n  FROM x\r\n',
  'blank lines first': 'sql: |\n\n\n   SELECT one\n   FROM x\n',
  'an explicit indentation': 'sql: |2\n    SELECT one\n   FROM x\n',
  'a stripped end': 'sql: |-\n  SELECT one\n  FROM x\n\n\n',
  'a kept end': 'sql: |+\n  SELECT one\n  FROM x\n\n\n',
  'a comment in the header': 'sql: | # the query\n  SELECT one\n  FROM x\nname: b\n',
  'tabs inside': 'sql: |\n  SELECT\tone,\n  \ttwo\n',
  'blank lines with blanks': 'sql: |\n  SELECT one\n     \n  \n  FROM x\n',
  'characters beyond the basic plane': "sql: |\n  SELECT '😀', é\n  FROM x\n",
  'no line break at the end': 'sql: |\n  SELECT one',
}

function expectMapped(text: string): void {
  const { source, value } = parseManifest('x.yaml', text)
  const lines = text.split(/\r?\n/)
  const sql = (value as { sql: string }).sql
  for (let offset = 0; offset < sql.length; offset++) {
    if (sql[offset] === '\n') continue
    const { line, column } = source!.sqlAt(offset)
    expect(lines[line - 1]![column - 1], `offset ${offset}`).to.equal(sql[offset])
  }
}

describe('places in block scalars', () => {
  for (const [name, text] of Object.entries(FORMS)) it(`are right with ${name}`, () => expectMapped(text))

  it('are correct for any lines', () => {
    const line = fc.stringMatching(/^[ a-z{},.'-]{0,12}$/)
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, indent, end) => {
          const body = lines.map(text => `${' '.repeat(indent)}${text}${end}`).join('')
          expectMapped(`name: a${end}sql: |${indent}${end}${body}`)
        },
      ),
      { numRuns: 200 },
    )
  })
})
