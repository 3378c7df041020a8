/** A `role` is for a time, and for one parameter. */
import type { ManifestFacts, Rule } from '../rule.js'

/** The types in which a tool can write the beginning or the end of its period. */
const TYPES = ['timestamp', 'datetime', 'date', 'string', 'int64']

export const parameterRole: Rule<ManifestFacts> = {
  id: 'parameter/role',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const first = new Map<string, string>()
    for (const [name, { role, type }] of Object.entries(manifest.parameters ?? {})) {
      if (role === undefined) continue
      const tell = (mistake: string): void => report(source.valueAt(['parameters', name, 'role']), mistake)
      const other = first.get(role)
      if (!TYPES.includes(type)) {
        tell(`parameter "${name}" has a role, so its type must be one of ${TYPES.join(', ')}; found ${type}`)
      } else if (other !== undefined) {
        tell(`parameter "${other}" has the role ${role} already; a period has one ${role}`)
      } else first.set(role, name)
    }
  },
}
