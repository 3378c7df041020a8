/** Without `columns:`, all variants must have the same columns. */
import type { Rule, SqlFacts } from '../rule.js'

export const columnsVary: Rule<SqlFacts> = {
  id: 'columns/vary',
  severity: 'error',
  check: ({ manifest, source, checked }, report) => {
    if (manifest.columns !== undefined || checked.length < 2) return
    const shape = (columns: SqlFacts['checked'][number]['columns']): string =>
      JSON.stringify(columns.map(({ name, type }) => [name, type]))
    const [first, ...others] = checked
    const other = others.find(({ columns }) => shape(columns) !== shape(first!.columns))
    if (other === undefined) return
    report(
      source.keyAt(['sql']),
      `the query has other columns when ${other.text.variant.label} than when ${first!.text.variant.label}; make them equal and declare "columns"`,
    )
  },
}
