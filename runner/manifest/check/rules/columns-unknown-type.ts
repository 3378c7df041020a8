/** The type of a declared column must be a GoogleSQL type. */
import { meantType } from '../../../../googlesql/index.js'
import { parseColumnType } from '../../column-type.js'
import { proposing } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

/** Types that are not written without what they hold. */
const WHOLE: Readonly<Record<string, string>> = { ARRAY: 'ARRAY<STRING>', RANGE: 'RANGE<DATE>' }

export const columnsUnknownType: Rule<ManifestFacts> = {
  id: 'columns/unknown-type',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    manifest.columns?.forEach((column, index) => {
      if (parseColumnType(column.type) !== null) return
      const element = /^(.*)\[\]$/.exec(column.type)?.[1]
      const meant = element === undefined ? meantType(column.type) : `ARRAY<${meantType(element) ?? 'STRING'}>`
      const more =
        meant === undefined
          ? { hint: '; expected for example INT64, TIMESTAMP or ARRAY<STRUCT>' }
          : proposing(WHOLE[meant] ?? meant)
      report(source.valueAt(['columns', index, 'type']), `"${column.type}" is not a type of GoogleSQL`, more)
    })
  },
}
