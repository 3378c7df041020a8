/** Rules about `columns`: those that are declared, and those that the queries have. */

import { ANY_STRUCT, meantType, nearest, parseOpenTypeName, type Type } from '../../../../googlesql/index.js'
import type { ResultColumn } from '../../../model/query.js'
import { proposing } from '../../../model/suggest.js'
import { quotedList } from '../../report.js'
import type { CheckedSql, ManifestFacts, Report, Rule, SqlFacts } from '../rule.js'

/** The forms that `json:` may choose, by the type of the column. */
const JSON_FORMS: Readonly<Record<string, readonly string[]>> = {
  INT64: ['number', 'string'],
  FLOAT64: ['number'],
  NUMERIC: ['number', 'string'],
  BIGNUMERIC: ['number', 'string'],
}

export const columnRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'columns/unknown-type',
    says: 'The type of a declared column is unknown.',
    check: ({ manifest, source }, report) => {
      manifest.columns?.forEach(({ type }, index) => {
        if (parseOpenTypeName(type)) return
        const meant = meantType(type)
        const proposal = meant === type.toUpperCase() ? undefined : meant
        const more = proposing(proposal, '; expected for example INT64, TIMESTAMP or ARRAY<STRUCT>')
        report(source.valueAt(['columns', index, 'type']), `"${type}" is not a type of GoogleSQL`, more)
      })
    },
  },
  {
    id: 'columns/duplicate-name',
    says: 'Two declared columns have the same name.',
    check: ({ manifest, source }, report) => {
      const indexes = new Map<string, number>()
      manifest.columns?.forEach(({ name }, index) => {
        const first = indexes.get(name.toLowerCase())
        indexes.set(name.toLowerCase(), first ?? index)
        if (first === undefined) return
        const { line } = source.valueAt(['columns', first, 'name'])
        report(source.valueAt(['columns', index, 'name']), `the column "${name}" is already in line ${line}`)
      })
    },
  },
  {
    id: 'columns/json-form',
    says: 'The type of a declared column does not have the form that `json` chooses.',
    check: ({ manifest, source }, report) => {
      manifest.columns?.forEach(({ name, type, json }, index) => {
        const kind = parseOpenTypeName(type)?.kind
        if (json === undefined || kind === undefined) return
        const forms = JSON_FORMS[kind] ?? []
        if (forms.includes(json)) return
        const fix =
          forms.length === 0
            ? 'only INT64, FLOAT64, NUMERIC and BIGNUMERIC have a choice; remove "json"'
            : `a ${type} can only be "${forms.join('" or "')}"`
        const message = `json: ${json} does not fit column "${name}" of type ${type}: ${fix}`
        report(source.valueAt(['columns', index, 'json']), message)
      })
    },
  },
]

export const resultRules: readonly Rule<SqlFacts>[] = [
  {
    id: 'columns/mismatch',
    says: 'The query gives other columns than the manifest declares.',
    check: (facts, report) => {
      // Variants that share their columns are compared once.
      const compared = new Set<readonly ResultColumn[]>()
      for (const checked of facts.checked) {
        if (!compared.has(checked.columns)) compareColumns(facts, checked, report)
        compared.add(checked.columns)
      }
    },
  },
  {
    id: 'columns/vary',
    says: 'Variants of the SQL give different columns.',
    check: ({ manifest, source, checked: [first, ...others] }, report) => {
      if (manifest.columns !== undefined || first === undefined) return
      const shape = ({ columns }: CheckedSql): string => JSON.stringify(columns.map(({ name, type }) => [name, type]))
      const other = others.find(variant => shape(variant) !== shape(first))
      if (other === undefined) return
      const message = `the query has other columns when ${other.text.variant.label} than when ${first.text.variant.label}; make them equal and declare "columns"`
      report(source.keyAt(['sql']), message)
    },
  },
]

/** The declared columns must equal the query's columns: names, order and types. */
function compareColumns({ manifest, source }: SqlFacts, { columns: actual }: CheckedSql, report: Report): void {
  const declared = manifest.columns
  if (declared === undefined) return
  const declaredNames = declared.map(column => column.name)
  const actualNames = actual.map(column => column.name)
  const added = actualNames.filter(name => !declaredNames.includes(name))
  const undeclared = new Set(added)
  for (const [index, { name, type }] of declared.entries()) {
    const position = actualNames.indexOf(name)
    if (position < 0) {
      const meant = nearest(name, undeclared)
      if (meant !== undefined) undeclared.delete(meant)
      const more = proposing(meant, `; it has ${quotedList(actualNames)}`)
      report(source.valueAt(['columns', index, 'name']), `the query has no column "${name}"`, more)
      continue
    }
    const [declaredType, queryType] = [parseOpenTypeName(type), parseOpenTypeName(actual[position]!.type)]
    if (!queryType || !declaredType || fitsType(declaredType, queryType)) continue
    const message = `column "${name}" is declared as ${type}, but the query makes it ${actual[position]!.type}`
    report(source.valueAt(['columns', index, 'type']), message)
  }
  if (undeclared.size > 0) {
    report(source.keyAt(['columns']), `the query has columns that are not declared: ${quotedList(undeclared)}`)
  }
  // The order is reported only where the names agree.
  if (added.length > 0 || actualNames.length !== declaredNames.length) return
  const moved = declaredNames.findIndex((name, index) => actualNames[index] !== name && actualNames.includes(name))
  if (moved < 0) return
  const name = declaredNames[moved]!
  const message = `column "${name}" is number ${moved + 1} here, but number ${actualNames.indexOf(name) + 1} of the query`
  report(source.valueAt(['columns', moved, 'name']), message)
}

/** Whether a query's type fits the declared one; a declared STRUCT without fields fits every STRUCT. */
export function fitsType(declared: Type, actual: Type): boolean {
  if (declared.kind !== actual.kind || declared === ANY_STRUCT || actual === ANY_STRUCT) {
    return declared.kind === actual.kind
  }
  if (declared.kind === 'ARRAY') return fitsType(declared.element, (actual as typeof declared).element)
  if (declared.kind !== 'STRUCT') return true
  const { fields } = actual as typeof declared
  return (
    declared.fields.length === fields.length &&
    declared.fields.every(
      ({ name, type }, i) => name.toLowerCase() === fields[i]!.name.toLowerCase() && fitsType(type, fields[i]!.type),
    )
  )
}
