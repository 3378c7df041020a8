/** Rules about constants. */
import { type Word, wordProblem } from '../../../template/word.js'
import { describeValue } from '../../report.js'
import type { NodePath, PlaceSource } from '../../source.js'
import type { ManifestFacts, Report, Rule, TemplateFacts } from '../rule.js'

export const constantRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'constants/value-form',
    says: 'A value is not a word, a number or a boolean.',
    check: ({ manifest, source }, report) => checkWords(manifest.constants ?? {}, ['constants'], source, report),
  },
]

/** Reports each value in these lists and maps that may not be written into SQL. */
export function checkWords(value: unknown, path: NodePath, source: PlaceSource, report: Report): void {
  if (typeof value === 'object' && value !== null) {
    const steps = Array.isArray(value) ? value.entries() : Object.entries(value)
    for (const [step, member] of steps) checkWords(member, [...path, step], source, report)
  } else {
    const problem = wordProblem(value as Word)
    if (problem !== null) report(source.valueAt(path), `${describeValue(value)} ${problem}`)
  }
}

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
