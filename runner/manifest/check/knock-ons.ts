/** Drops diagnostics that only follow from another one: one mistake, one diagnostic. */
import type { Diagnostic } from '../../model/diagnostic.js'
import type { RuleId } from '../../model/rules.js'

/** Whether the SQL cannot be parsed: it may read the parameters that seem to be unused. */
const isUnparsed = ({ data }: Diagnostic): boolean =>
  data?.sql?.code === 'syntax' || data?.sql?.code === 'positional-parameter'

/** The names in the manifest that a diagnostic proposes to read: for `period.unit` also `period` and `unit`. */
function proposedNames({ data: { meant, table, sql } = {} }: Diagnostic): readonly string[] {
  const words = meant === undefined || sql !== undefined ? [] : [meant, ...meant.split('.')]
  return table === undefined ? words : [...words, table]
}

/**
 * Drops diagnostics that follow from another one, and the diagnostic of an unused name that another diagnostic proposes: the author
 * probably meant that name.
 */
export function withoutKnockOns(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const meant = new Set(diagnostics.flatMap(proposedNames))
  const has = (rule: RuleId): boolean => diagnostics.some(diagnostic => diagnostic.rule === rule)
  const isUnbounded = has('tenant/not-bounded')
  const isTenantMistaken = has('tenant/unknown-table') || has('tenant/unknown-column')
  const isSqlUnparsed = diagnostics.some(isUnparsed)
  return diagnostics.filter(
    ({ rule, data }) =>
      !(data?.unused !== undefined && meant.has(data.unused)) &&
      !(isUnbounded && rule === 'tenant/unread') &&
      !(isTenantMistaken && rule === 'tenant/not-bounded') &&
      !(isSqlUnparsed && rule === 'parameter/unused'),
  )
}
