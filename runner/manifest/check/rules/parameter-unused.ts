/** Refuses a parameter that nothing reads, since it misleads callers. */
import type { Rule, TemplateFacts } from '../rule.js'

export const parameterUnused: Rule<TemplateFacts> = {
  id: 'parameter/unused',
  severity: 'error',
  check: ({ manifest, source, expansion, texts }, report) => {
    const used = new Set(expansion.used.given)
    for (const lookup of Object.values(manifest.lookups ?? {})) used.add(lookup.by)
    for (const text of texts) {
      // A text that cannot be tokenised may read any parameter.
      if (text.argumentNames === null) return
      for (const { name } of text.argumentNames) used.add(name)
    }
    for (const name of Object.keys(manifest.parameters ?? {})) {
      if (!used.has(name))
        report(
          source.keyAt(['parameters', name]),
          `parameter "${name}" is never used; read it as @${name}${isQuoted(name, manifest.sql) ? ', without quotes around it' : ''}, or delete it`,
          { unused: name },
        )
    }
  },
}

/** Whether it is written as a text, `'@name'`. */
const isQuoted = (name: string, sql: string): boolean => [`'@${name}'`, `"@${name}"`].some(text => sql.includes(text))
