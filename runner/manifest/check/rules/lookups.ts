/** Rules about lookup tables. */
import { didYouMean } from '../../../model/suggest.js'
import { quotedList } from '../../report.js'
import { eachLookup, type ManifestFacts, type Rule, type TemplateFacts } from '../rule.js'
import { checkWords } from './constants.js'

/** Names that mean something else in a template. */
const RESERVED: ReadonlySet<string> = new Set(['given', 'constants', 'this', 'if', 'unless', 'each', 'else'])

export const lookupRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'lookup/reserved-name',
    says: 'The name of a lookup table means something else in templates.',
    check: eachLookup(([table], { source }, report) => {
      const message = `the name "${table}" means something else in templates; choose another`
      if (RESERVED.has(table)) report(source.keyAt(['lookups', table]), message)
    }),
  },
  {
    id: 'lookup/unknown-parameter',
    says: '`by` does not name a parameter.',
    check: eachLookup(([table, { by }], { manifest: { parameters = {} }, source }, report) => {
      if (Object.hasOwn(parameters, by)) return
      const message = `"by" of lookup table "${table}" names "${by}", which is not a parameter`
      const more = didYouMean(by, Object.keys(parameters), '; declare it under "parameters"')
      report(source.valueAt(['lookups', table, 'by']), message, more)
    }),
  },
  {
    id: 'lookup/by-type',
    says: '`by` names a parameter that is not a string.',
    check: eachLookup(([table, { by }], { manifest, source }, report) => {
      const type = Object.hasOwn(manifest.parameters ?? {}, by) ? manifest.parameters![by]!.type : 'string'
      const message = `parameter "${by}" is of type ${type}; only a string can pick the row of a lookup table`
      if (type !== 'string') report(source.valueAt(['lookups', table, 'by']), message)
    }),
  },
  {
    id: 'lookup/unequal-rows',
    says: 'The rows of a lookup table do not all have the same fields.',
    check: eachLookup(([table, { rows }], { source }, report) => {
      const [first, ...others] = Object.entries(rows)
      if (first === undefined) return
      const fields = new Set(Object.keys(first[1]))
      for (const [row, values] of others) {
        const missing = [...fields].filter(field => !Object.hasOwn(values, field))
        const added = Object.keys(values).filter(field => !fields.has(field))
        if (missing.length + added.length === 0) continue
        const lacks = missing.length > 0 && `lacks ${quotedList(missing)}`
        const has = added.length > 0 && `also has ${quotedList(added)}`
        const differences = [lacks, has].filter(Boolean).join(' and ')
        const message = `row "${row}" of lookup table "${table}" ${differences}; every row must have the fields of row "${first[0]}"`
        report(source.keyAt(['lookups', table, 'rows', row]), message)
      }
    }),
  },
  {
    id: 'lookup/unknown-default',
    says: 'The default is not the name of a row.',
    check: eachLookup(([table, lookup], { source }, report) => {
      if (lookup.default === 'reject' || Object.hasOwn(lookup.rows, lookup.default)) return
      const rows = Object.keys(lookup.rows)
      const more = didYouMean(lookup.default, [...rows, 'reject'], `; expected reject or one of ${quotedList(rows)}`)
      const message = `lookup table "${table}" has no row "${lookup.default}"`
      report(source.valueAt(['lookups', table, 'default']), message, more)
    }),
  },
  {
    id: 'lookup/reject',
    says: '`reject` is the name of a row, or the parameter may be absent.',
    check: eachLookup(([table, { by, rows, default: row }], { manifest, source }, report) => {
      if (Object.hasOwn(rows, 'reject')) {
        const message = 'a row cannot be named "reject": as a default that word refuses all other arguments'
        report(source.keyAt(['lookups', table, 'rows', 'reject']), message)
      }
      if (row !== 'reject' || !Object.hasOwn(manifest.parameters ?? {}, by)) return
      const { required, default: fallback } = manifest.parameters![by]!
      const place = source.valueAt(['lookups', table, 'default'])
      const absent = `lookup table "${table}" rejects arguments that are not a row, so parameter "${by}" must be required or have a default`
      const rejected = `the default of parameter "${by}", "${fallback}", is not a row of lookup table "${table}", which rejects it`
      if (!required && fallback === undefined) report(place, absent)
      else if (fallback !== undefined && !Object.hasOwn(rows, String(fallback))) report(place, rejected)
    }),
  },
  {
    id: 'lookup/value-form',
    says: 'A value is not a word, a number or a boolean.',
    check: eachLookup(([table, { rows }], { source }, report) =>
      checkWords(rows, ['lookups', table, 'rows'], source, report),
    ),
  },
]

export const lookupUseRules: readonly Rule<TemplateFacts>[] = [
  {
    id: 'lookup/unused',
    says: 'The template does not read the lookup table.',
    check: eachLookup(([table, { rows }], { source, expansion }, report) => {
      if (expansion.used.lookups.has(table)) return
      const field = Object.keys(Object.values(rows)[0] ?? {})[0] ?? 'field'
      const message = `lookup table "${table}" is never read; write {{${table}.${field}}} in the SQL, or delete it`
      report(source.keyAt(['lookups', table]), message, { unused: table })
    }),
  },
]
