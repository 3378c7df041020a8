/** Which words in `columns:` would give callers narrower types: reported only where hints are asked for. */
import type { ContractColumn } from '../../../model/endpoint.js'
import { compileContract } from '../../contract.js'
import type { Rule, SqlFacts } from '../rule.js'

export const columnsNarrow: Rule<SqlFacts> = {
  id: 'columns/narrow',
  severity: 'hint',
  check: ({ manifest, source, checked }, report) => {
    compileContract(manifest.columns, checked).forEach((column, index) => {
      const words = narrowing(column)
      if (words.length === 0) return
      const isDeclared = manifest.columns !== undefined
      const place = isDeclared ? source.valueAt(['columns', index, 'name']) : source.keyAt(['sql'])
      const remedy = isDeclared ? '' : '; declare "columns" for it'
      report(place, `column "${column.name}" ${words.join('; it ')}${remedy}`)
    })
  },
}

function narrowing({ type, required, json }: ContractColumn): readonly string[] {
  const isNullable = !required && !type.startsWith('ARRAY<')
  return [
    ...(isNullable ? ['may be NULL: "required: true" says that it never is'] : []),
    ...(json === null && Object.hasOwn(FORMS, type) ? [FORMS[type]!] : []),
  ]
}

const FORMS: Readonly<Record<string, string>> = {
  INT64: 'is a string beyond ±(2^53−1): "json: number" or "json: string" gives it one type',
  FLOAT64: 'is a string where it is NaN or infinite: "json: number" says that it never is',
}
