/** Rules about constants. */
import { type Word, wordProblem } from '../../../template/word.js'
import { describeValue } from '../../report.js'
import type { NodePath } from '../../source.js'
import type { ManifestFacts, Rule, TemplateFacts } from '../rule.js'

export const constantRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'constants/value-form',
    says: 'A value is not a word, a number or a boolean.',
    check: ({ manifest, source }, report) => {
      const visit = (value: unknown, path: NodePath): void => {
        if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index])
        else if (value !== null && typeof value === 'object') {
          for (const [name, member] of Object.entries(value)) visit(member, [...path, name])
        } else {
          const wrong = wordProblem(value as Word)
          if (wrong !== null) report(source.valueAt(path), `${describeValue(value)} ${wrong}`)
        }
      }
      visit(manifest.constants ?? {}, ['constants'])
    },
  },
]

export const constantUseRules: readonly Rule<TemplateFacts>[] = [
  {
    id: 'constants/unused',
    severity: 'warning',
    says: 'The template does not read the constant.',
    check: ({ manifest, source, expansion }, report) => {
      for (const name of Object.keys(manifest.constants ?? {})) {
        if (expansion.used.constants.has(name)) continue
        report(source.keyAt(['constants', name]), `the constant "${name}" is never read`, { unused: name })
      }
    },
  },
]
