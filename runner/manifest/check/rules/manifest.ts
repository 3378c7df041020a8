/** Rules about the manifest as a whole. */
import { isUuid } from '../../../model/typed-value.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const manifestRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'manifest/name-form',
    says: 'The name looks like an id.',
    // Callers write either an id or a name in the same place of an address.
    check: ({ manifest, source }, report) => {
      if (isUuid(manifest.name)) report(source.valueAt(['name']), 'a name must not have the form of an id')
    },
  },
  {
    id: 'manifest/sql-block',
    says: 'The SQL is not a literal block (`sql: |`).',
    check: ({ source }, report) => {
      const message =
        'SQL must be a literal block, "sql: |" and the text indented below it, so that mistakes in it can be placed'
      if (!source.isSqlLiteral) report(source.valueAt(['sql']), message)
    },
  },
]
