/** The declared columns must equal the query's columns in every variant: names, order and types. */
import { nearest } from '../../../../googlesql/index.js'
import type { ResultColumn } from '../../../model/query.js'
import { fitsColumnType, parseColumnType } from '../../column-type.js'
import { quotedList } from '../../report.js'
import type { Report, Rule, SqlFacts } from '../rule.js'

export const columnsMismatch: Rule<SqlFacts> = {
  id: 'columns/mismatch',
  severity: 'error',
  check: (facts, report) => {
    // Variants whose validity is implied by another one share its columns.
    for (const columns of new Set(facts.checked.map(checked => checked.columns))) compare(facts, columns, report)
  },
}

function compare({ manifest, source }: SqlFacts, actual: readonly ResultColumn[], report: Report): void {
  const declared = manifest.columns
  if (declared === undefined) return
  const declaredNames = declared.map(column => column.name)
  const actualNames = actual.map(column => column.name)
  const added = actualNames.filter(name => !declaredNames.includes(name))
  const undeclared = new Set(added)
  for (const [index, { name, type }] of declared.entries()) {
    const at = actualNames.indexOf(name)
    if (at < 0) {
      const meant = nearest(name, undeclared)
      if (meant !== undefined) undeclared.delete(meant)
      const hint = meant === undefined ? `; it has ${quotedList(actualNames)}` : `; did you mean "${meant}"?`
      report(source.valueAt(['columns', index, 'name']), `the query has no column "${name}"${hint}`)
      continue
    }
    const found = parseColumnType(actual[at]!.type)
    const expected = parseColumnType(type)
    if (found === null || expected === null || fitsColumnType(expected, found)) continue
    const message = `column "${name}" is declared as ${type}, but the query makes it ${actual[at]!.type}`
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
