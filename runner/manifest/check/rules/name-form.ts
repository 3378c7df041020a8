/** A name must not look like an id: callers use either in the same place. */
import type { ManifestFacts, Rule } from '../rule.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const nameForm: Rule<ManifestFacts> = {
  id: 'manifest/name-form',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    if (UUID.test(manifest.name)) report(source.valueAt(['name']), 'a name must not have the form of an id')
  },
}
