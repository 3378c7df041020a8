/** The declared columns must equal the query's columns in every variant: names, order and types. */
import { nearest } from '../../../../googlesql/index.js'
import type { ResultColumn } from '../../../model/query.js'
import { fitsColumnType, parseColumnType } from '../../column-type.js'
import { proposing, quotedList } from '../../report.js'
import { repeatedColumns } from '../repeated-columns.js'
import type { CheckedSql, Report, Rule, SqlFacts } from '../rule.js'

export const columnsMismatch: Rule<SqlFacts> = {
  id: 'columns/mismatch',
  severity: 'error',
  check: (facts, report) => {
    // Variants whose validity is implied by another one share its columns.
    const compared = new Set<readonly ResultColumn[]>()
    for (const checked of facts.checked) {
      if (!compared.has(checked.columns)) compare(facts, checked, report)
      compared.add(checked.columns)
    }
  },
}

function compare({ manifest, source }: SqlFacts, { text, columns: actual }: CheckedSql, report: Report): void {
  const declared = manifest.columns
  if (declared === undefined) return
  const declaredNames = declared.map(column => column.name)
  const actualNames = actual.map(column => column.name)
  const added = actualNames.filter(name => !declaredNames.includes(name))
  const repeated =
    added.length === 0 ? [] : repeatedColumns(text.sql, actualNames).filter(({ name }) => added.includes(name))
  const undeclared = new Set(added)
  for (const { name } of repeated) undeclared.delete(name)
  const missing: string[] = []
  for (const [index, { name, type }] of declared.entries()) {
    const at = actualNames.indexOf(name)
    if (at < 0) {
      const meant = nearest(name, undeclared)
      if (meant !== undefined) undeclared.delete(meant)
      if (meant === undefined && missing.length < repeated.length) {
        missing.push(name)
        continue
      }
      const more = meant === undefined ? { hint: `; it has ${quotedList(actualNames)}` } : proposing(meant)
      report(source.valueAt(['columns', index, 'name']), `the query has no column "${name}"`, more)
      continue
    }
    const found = parseColumnType(actual[at]!.type)
    const expected = parseColumnType(type)
    if (found === null || expected === null || fitsColumnType(expected, found)) continue
    const message = `column "${name}" is declared as ${type}, but the query makes it ${actual[at]!.type}`
    report(source.valueAt(['columns', index, 'type']), message)
  }
  for (const [i, { written, at, first }] of repeated.entries()) {
    const more = missing[i] === undefined ? { hint: '; give this one another name' } : proposing(missing[i])
    const { line } = text.placeAt(first)
    report(text.placeAt(at), `the query has another column "${written}", in line ${line}`, more)
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
