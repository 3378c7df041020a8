/** Every `@name` in the SQL must be a declared parameter or `@now`. */
import { didYouMean } from '../../report.js'
import type { Rule, TemplateFacts } from '../rule.js'

export const parameterUndeclared: Rule<TemplateFacts> = {
  id: 'parameter/undeclared',
  severity: 'error',
  check: ({ manifest, texts }, report) => {
    const declared = new Set([...Object.keys(manifest.parameters ?? {}), 'now'])
    for (const { argumentNames } of texts) {
      for (const { name, place } of argumentNames ?? []) {
        if (declared.has(name)) continue
        const row = Object.values(manifest.lookups?.[name]?.rows ?? {})[0]
        const more = row
          ? { hint: `; it is a lookup table: write {{${name}.${Object.keys(row)[0]}}} for a field`, table: name }
          : didYouMean(name, declared, '; declare it under "parameters"')
        report(place(), `no parameter is named "${name}"`, more)
      }
    }
  },
}
