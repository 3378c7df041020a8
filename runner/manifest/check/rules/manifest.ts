/** Rules about the manifest as a whole. */
import type { ManifestFacts, Rule } from '../rule.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const manifestRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'manifest/name-form',
    says: 'The name looks like an id.',
    // Callers use either in the same place.
    check: ({ manifest, source }, report) => {
      if (UUID.test(manifest.name)) report(source.valueAt(['name']), 'a name must not have the form of an id')
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
