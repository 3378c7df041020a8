/** SQL must be a literal block, so that every mistake in it can be placed. */
import type { ManifestFacts, Rule } from '../rule.js'

export const sqlBlock: Rule<ManifestFacts> = {
  id: 'manifest/sql-block',
  severity: 'error',
  check: ({ source }, report) => {
    if (source.isSqlLiteral) return
    report(
      source.valueAt(['sql']),
      'SQL must be a literal block, "sql: |" and the text indented below it, so that mistakes in it can be placed',
    )
  },
}
