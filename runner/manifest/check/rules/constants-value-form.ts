/** A constant must be a word, a number or a boolean, since the template writes it into SQL text. */
import { type Word, wordProblem } from '../../../template/word.js'
import { describeValue } from '../../report.js'
import type { NodePath } from '../../source.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const constantsValueForm: Rule<ManifestFacts> = {
  id: 'constants/value-form',
  severity: 'error',
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
}
