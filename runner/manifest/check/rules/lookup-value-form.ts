/** A lookup value must be a word, a number or a boolean, since the template writes it into SQL text. */
import { wordProblem } from '../../../template/word.js'
import { describeValue } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupValueForm: Rule<ManifestFacts> = {
  id: 'lookup/value-form',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [table, { rows }] of Object.entries(manifest.lookups ?? {})) {
      for (const [row, values] of Object.entries(rows)) {
        for (const [field, value] of Object.entries(values)) {
          const wrong = wordProblem(value)
          if (wrong !== null)
            report(source.valueAt(['lookups', table, 'rows', row, field]), `${describeValue(value)} ${wrong}`)
        }
      }
    }
  },
}
