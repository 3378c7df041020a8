/** A parameter named as a member that every object of JavaScript has: a caller in TypeScript cannot leave it out. */
import type { ManifestFacts, Rule } from '../rule.js'

/** The members of TypeScript's `Object` that a parameter's name can spell. */
const MEMBERS = new Set([
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
])

export const parameterObjectMember: Rule<ManifestFacts> = {
  id: 'parameter/object-member',
  severity: 'warning',
  check: ({ manifest, source }, report) => {
    for (const name of Object.keys(manifest.parameters ?? {}).filter(one => MEMBERS.has(one))) {
      const why = `every object of JavaScript has a member "${name}", which typed clients take for the argument`
      report(source.keyAt(['parameters', name]), `${why}; choose another name`)
    }
  },
}
