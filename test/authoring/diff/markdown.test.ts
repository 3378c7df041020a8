/** A comparison as Markdown: it fits a comment, folds what is long, and hostile texts of manifests stay text. */
import { expect } from 'chai'
import { type Change, changeOf } from '../../../authoring/diff/change-rules.js'
import { markdownText } from '../../../authoring/diff/markdown.js'
import { type Comparison, plainText } from '../../../authoring/diff/report.js'

const comparison = (changes: readonly Change[], more: Partial<Comparison> = {}): Comparison => ({
  base: 'main',
  head: 'the working tree',
  changes,
  diagnostics: [],
  ...more,
})
const lines = (count: number, width = 10): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${i % 2 === 0 ? '-' : '+'} ${String(i).padEnd(width, 'x')}`)
const sizeOf = (text: string): number => Buffer.byteLength(text)

describe('a comparison as Markdown', () => {
  it('shows short differences, and folds long ones', () => {
    const text = markdownText(
      comparison([changeOf('a', 'sql/changed', 'short', lines(3)), changeOf('a', 'sql/changed', 'long', lines(100))]),
    )
    expect(text).to.contain('`short` (sql/changed)\n\n  ```diff\n  - 0xxxxxxxxx\n')
    expect(text).to.contain('`long` (sql/changed)\n\n  <details><summary>100 lines</summary>\n\n  ```diff\n')
    expect(text.match(/<details>/g)).to.have.length(text.match(/<\/details>/g)!.length)
  })

  for (const [says, changes] of [
    ['one huge difference', [changeOf('a', 'sql/changed', 'x', lines(50_000, 400))]],
    ['many differences', Array.from({ length: 500 }, (_, i) => changeOf(`e${i}`, 'sql/changed', 'x', lines(60)))],
    ['very many changes', Array.from({ length: 5_000 }, (_, i) => changeOf(`e${i}`, 'column/added', `column ${i}`))],
    ['long details', Array.from({ length: 400 }, (_, i) => changeOf(`e${i}`, 'tests/changed', 'ü'.repeat(5_000)))],
  ] as const) {
    it(`is at most 60 kB with ${says}, and breaking changes stay`, () => {
      const breaking = changeOf('zz.last', 'endpoint/removed', 'the endpoint is gone')
      const text = markdownText(comparison([...changes, breaking]))
      expect(sizeOf(text)).to.be.at.most(60_000)
      expect(text).to.contain('the endpoint is gone')
      expect(text.match(/```/g)?.length ?? 0).to.satisfy((count: number) => count % 2 === 0)
      expect(text).to.match(/… (?:and )?\d+ more (?:lines|changes)|^- 🔴/m)
    })
  }

  const HOSTILE = [
    '<img src=x onerror=alert(1)>',
    '</details><script>alert(1)</script>',
    '```\n# heading',
    '`` ` ``',
    '@everyone [link](javascript:alert(1)) ![i](http://x)',
    '| a | b |\n|---|---|',
    '\u202eevil\u0000',
  ]
  for (const hostile of HOSTILE) {
    it(`keeps ${JSON.stringify(hostile)} as text`, () => {
      const change = changeOf(hostile, 'tests/changed', hostile, [`- ${hostile}`])
      const diagnostic = {
        file: hostile,
        line: 1,
        column: 1,
        rule: 'sql/error',
        severity: 'error',
        message: hostile,
      } as const
      const text = markdownText(comparison([change], { base: hostile, diagnostics: [diagnostic] }))
      const outside = text
        .replace(/^ *(`{3,})diff\n[\s\S]*?\n *\1$/gm, '')
        .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
        .replace(/\\[^\n]/g, '')
        .replace(/<\/?details>|<\/?summary>/g, '')
      expect(outside).to.not.match(/<|@|\]\(|\u202e|\u0000|^\|/m)
      expect(text).to.not.match(/^#(?!## Endpoints)/m)
      expect(plainText(comparison([change]))).to.not.match(/[\u0000\u202e]/)
    })
  }

  it('says that nothing changed', () => {
    expect(markdownText(comparison([]))).to.equal('### Endpoints\n\n`main` → `the working tree`: no changes\n')
  })
})
