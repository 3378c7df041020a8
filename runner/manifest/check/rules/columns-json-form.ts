/** `json:` chooses between number and string, and only for types that JSON can have as either. */
import { parseColumnType } from '../../column-type.js'
import type { ManifestFacts, Rule } from '../rule.js'

const FORMS: Readonly<Record<string, readonly string[]>> = {
  INT64: ['number', 'string'],
  FLOAT64: ['number'],
  NUMERIC: ['number', 'string'],
  BIGNUMERIC: ['number', 'string'],
}

export const columnsJsonForm: Rule<ManifestFacts> = {
  id: 'columns/json-form',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    manifest.columns?.forEach(({ name, type, json }, index) => {
      const parsed = parseColumnType(type)
      if (json === undefined || parsed === null) return
      const forms = parsed.kind === 'scalar' && Object.hasOwn(FORMS, parsed.name) ? FORMS[parsed.name]! : []
      if (forms.includes(json)) return
      const fix =
        forms.length === 0
          ? 'only INT64, FLOAT64, NUMERIC and BIGNUMERIC have a choice; remove "json"'
          : `a ${type} can only be "${forms.join('" or "')}"`
      report(
        source.valueAt(['columns', index, 'json']),
        `json: ${json} does not fit column "${name}" of type ${type}: ${fix}`,
      )
    })
  },
}
