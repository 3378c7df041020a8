/** Drops diagnostics that only follow from another one: one mistake, one diagnostic. */
import type { Diagnostic } from '../../model/diagnostic.js'
import type { RuleId } from '../../model/rules.js'

/** Rules that compare with the type of a parameter, which is a guess where the type itself is wrong. */
const RULES_ABOUT_TYPES: ReadonlySet<RuleId> = new Set(['parameter/bad-constraint', 'lookup/by-type'])

/** Messages of SQL that cannot be parsed: it may be meant to read the parameters that seem to be unused. */
const UNPARSED = /^(?:Syntax error|Positional parameters)/

/**
 * Drops diagnostics that follow from another one. It also drops the diagnostic of an unused name that another diagnostic proposes:
 * the author probably meant that name.
 */
export function withoutKnockOns(diagnostics: readonly Diagnostic[], hasGuessedTypes: boolean): readonly Diagnostic[] {
  const meant = new Set(
    diagnostics.flatMap(({ message }) =>
      [...message.matchAll(/did you mean "([^"]+)"\?|write \{\{(\w+)\.\w+\}\} for a field/gi)].flatMap(
        ([, name, table]) => (table === undefined ? [name!, ...name!.split('.')] : [table]),
      ),
    ),
  )
  const isUnusedMeant = ({ rule, message }: Diagnostic): boolean =>
    (rule.endsWith('/unused') || rule === 'tenant/unread') && meant.has(/["@]([\w-]+)/.exec(message)?.[1] ?? '')
  const has = (rule: RuleId): boolean => diagnostics.some(one => one.rule === rule)
  const isUnbounded = has('tenant/not-bounded')
  const isTenantMistaken = has('tenant/unknown-table') || has('tenant/unknown-column')
  const isUnparsed = diagnostics.some(({ rule, message }) => rule === 'sql/error' && UNPARSED.test(message))
  return diagnostics.filter(
    one =>
      !(hasGuessedTypes && RULES_ABOUT_TYPES.has(one.rule)) &&
      !isUnusedMeant(one) &&
      !(isUnbounded && one.rule === 'tenant/unread') &&
      !(isTenantMistaken && one.rule === 'tenant/not-bounded') &&
      !(isUnparsed && one.rule === 'parameter/unused'),
  )
}
