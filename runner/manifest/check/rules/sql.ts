/** Rules about the text of the SQL. */
import type { Token } from '../../../../googlesql/index.js'
import type { Rule, SqlFacts } from '../rule.js'

const COMPARISONS: ReadonlySet<string> = new Set('= != <> < > <= >= LIKE IN'.split(' '))

export const sqlRules: readonly Rule<SqlFacts>[] = [
  {
    id: 'sql/text-for-column',
    severity: 'warning',
    says: 'A text in double quotes that has the name of a column is compared with an argument or a literal. Double quotes make a text, backticks a name.',
    check: ({ checked, tables }, report) => {
      for (const { text } of checked) {
        const tokens = text.tokens ?? []
        const suspects = tokens.filter((token, i) => isInDoubleQuotes(token, text.sql) && isBesideValue(tokens, i))
        if (suspects.length === 0) continue
        const columns = new Set(
          tableNames(tokens).flatMap(name => tables.find(name)?.columns.map(column => column.name.toLowerCase()) ?? []),
        )
        for (const { text: name, at } of suspects.filter(token => columns.has(token.text.toLowerCase()))) {
          report(text.placeAt(at), `"${name}" is a text, not the column; write ${name} without quotes for the column`)
        }
      }
    },
  },
]

const isInDoubleQuotes = ({ kind, at }: Token, sql: string): boolean => kind === 'string' && sql[at] === '"'

/** Whether the text at this index is compared with an argument or a literal, so that no column is compared. */
function isBesideValue(tokens: readonly Token[], index: number): boolean {
  const isValue = (token: Token | undefined): boolean =>
    token !== undefined && (token.term === '@' || ['string', 'int', 'float'].includes(token.kind))
  if (COMPARISONS.has(tokens[index + 1]?.term ?? '')) {
    const operand = tokens[index + 2]
    return isValue(operand?.term === '(' ? tokens[index + 3] : operand)
  }
  // `@shop = "shop"`: the name of an argument stands after its @.
  return COMPARISONS.has(tokens[index - 1]?.term ?? '') && (isValue(tokens[index - 2]) || isValue(tokens[index - 3]))
}

/** The names of tables after FROM and JOIN, as they are written. */
function tableNames(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ term }, i) => {
    if (term !== 'FROM' && term !== 'JOIN') return []
    let name = tokens[i + 1]?.text ?? ''
    for (let at = i + 2; tokens[at]?.term === '.'; at += 2) name += `.${tokens[at + 1]?.text ?? ''}`
    return [name]
  })
}
