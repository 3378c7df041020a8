/** Compares lookup tables: which arguments they take, and what the rows hold. */

import type { Lookup, Manifest } from '../../runner/model/manifest.js'
import { equalValues } from '../test/files/equal-values.js'
import type { Report } from './change-rules.js'
import { pairBy } from './pair-by.js'
import { show } from './show.js'

const REJECT = 'reject'

export function diffLookups(base: Manifest, head: Manifest, report: Report): void {
  const [before, after] = [Object.entries(base.lookups ?? {}), Object.entries(head.lookups ?? {})]
  // A table is paired by its name, or else by its parameter, because callers do not see the names of tables.
  const pairs = pairBy(before, after, [([name, { by }]) => `${name} ${by}`, ([, { by }]) => by])
  for (const entry of before) {
    const [name, lookup] = entry
    const other = pairs.get(entry)
    if (other !== undefined) diffLookup(other[0], lookup, other[1], report)
    // Without a table that rejects, only the parameter's own constraints refuse arguments; the comparison of SQL shows the rest.
    else if (lookup.default === REJECT && isParameter(head, lookup.by)) {
      report('lookup/accepts', `any argument ${lookup.by} is valid: there is no lookup table ${name}`)
    }
  }
  const paired = new Set(pairs.values())
  for (const entry of after) {
    const [name, lookup] = entry
    if (paired.has(entry) || lookup.default !== REJECT || !isParameter(base, lookup.by)) continue
    report('lookup/rejects', `the lookup table ${name} is new: ${lookup.by} must be one of ${rowNames(lookup)}`)
  }
}

const isParameter = (manifest: Manifest, name: string): boolean => Object.hasOwn(manifest.parameters ?? {}, name)
const rowNames = ({ rows }: Lookup): string => Object.keys(rows).map(show).join(', ')

function diffLookup(name: string, base: Lookup, head: Lookup, report: Report): void {
  const [didReject, rejects] = [base.default === REJECT, head.default === REJECT]
  if (rejects && !didReject) {
    report('lookup/rejects', `${head.by} must be one of ${rowNames(head)}; others had the row ${show(base.default)}`)
  } else if (didReject && !rejects) {
    report('lookup/accepts', `any other argument ${head.by} picks the row ${show(head.default)}; it was a 400`)
  } else if (base.default !== head.default) {
    report('lookup/default', `the default row of ${name} is ${show(head.default)}; it was ${show(base.default)}`)
  }
  for (const [row, fields] of Object.entries(base.rows)) {
    const newFields = Object.hasOwn(head.rows, row) ? head.rows[row]! : null
    if (newFields !== null) {
      if (!equalValues(fields, newFields)) report('lookup/row-changed', changedRow(name, row, fields, newFields))
    } else if (rejects) {
      report('lookup/row-removed', `${head.by}=${show(row)} is a 400: ${name} has no such row any more`)
    } else {
      report('lookup/row-falls-back', `${head.by}=${show(row)} picks the row ${show(head.default)} of ${name}`)
    }
  }
  const added = Object.keys(head.rows).filter(row => !Object.hasOwn(base.rows, row))
  for (const row of added) report('lookup/row-added', `${name} has the row ${show(row)}`)
}

type Fields = Lookup['rows'][string]

function changedRow(name: string, row: string, base: Fields, head: Fields): string {
  const fields = [...new Set([...Object.keys(base), ...Object.keys(head)])]
  const changed = fields
    .filter(field => !equalValues(base[field], head[field]))
    .map(field => `${field} is ${show(head[field])}, was ${show(base[field])}`)
  return `the row ${show(row)} of ${name}: ${changed.join('; ')}`
}
