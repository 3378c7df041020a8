/** All rules, grouped by the stage of loading at which their facts are known. */
import { type Diagnostic, diagnosticLine } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { ManifestFacts, Rule, SqlFacts, TemplateFacts } from './rule.js'
import { cacheNowWithoutTtl } from './rules/cache-now-without-ttl.js'
import { cacheUntilDataChanges } from './rules/cache-until-data-changes.js'
import { cacheWarmLongerThanTtl } from './rules/cache-warm-longer-than-ttl.js'
import { columnsDuplicateName } from './rules/columns-duplicate-name.js'
import { columnsJsonForm } from './rules/columns-json-form.js'
import { columnsMismatch } from './rules/columns-mismatch.js'
import { columnsNarrow } from './rules/columns-narrow.js'
import { columnsUnknownType } from './rules/columns-unknown-type.js'
import { columnsVary } from './rules/columns-vary.js'
import { constantsUnused } from './rules/constants-unused.js'
import { constantsValueForm } from './rules/constants-value-form.js'
import { lookupByType } from './rules/lookup-by-type.js'
import { lookupReject } from './rules/lookup-reject.js'
import { lookupReservedName } from './rules/lookup-reserved-name.js'
import { lookupUnequalRows } from './rules/lookup-unequal-rows.js'
import { lookupUnknownDefault } from './rules/lookup-unknown-default.js'
import { lookupUnknownParameter } from './rules/lookup-unknown-parameter.js'
import { lookupUnused } from './rules/lookup-unused.js'
import { lookupValueForm } from './rules/lookup-value-form.js'
import { nameForm } from './rules/name-form.js'
import { parameterBadConstraint } from './rules/parameter-bad-constraint.js'
import { parameterDuplicateName } from './rules/parameter-duplicate-name.js'
import { parameterHidesFormat } from './rules/parameter-hides-format.js'
import { parameterNoPinnedAs } from './rules/parameter-no-pinned-as.js'
import { parameterObjectMember } from './rules/parameter-object-member.js'
import { parameterPinnedAs } from './rules/parameter-pinned-as.js'
import { parameterRequiredWithDefault } from './rules/parameter-required-with-default.js'
import { parameterReservedName } from './rules/parameter-reserved-name.js'
import { parameterRole } from './rules/parameter-role.js'
import { parameterUndeclared } from './rules/parameter-undeclared.js'
import { parameterUnsafePattern } from './rules/parameter-unsafe-pattern.js'
import { parameterUnused } from './rules/parameter-unused.js'
import { sqlBlock } from './rules/sql-block.js'
import { sqlTextForColumn } from './rules/sql-text-for-column.js'
import { tenantNotBounded } from './rules/tenant-not-bounded.js'
import { tenantUnknownColumn } from './rules/tenant-unknown-column.js'
import { tenantUnknownParameter } from './rules/tenant-unknown-parameter.js'
import { tenantUnknownTable } from './rules/tenant-unknown-table.js'
import { tenantUnread } from './rules/tenant-unread.js'

/** Rules about the manifest alone. */
export const MANIFEST_RULES: readonly Rule<ManifestFacts>[] = [
  nameForm,
  sqlBlock,
  parameterReservedName,
  parameterHidesFormat,
  parameterObjectMember,
  parameterDuplicateName,
  parameterRequiredWithDefault,
  parameterBadConstraint,
  parameterUnsafePattern,
  parameterPinnedAs,
  parameterNoPinnedAs,
  parameterRole,
  tenantUnknownParameter,
  lookupReservedName,
  lookupUnknownParameter,
  lookupByType,
  lookupUnequalRows,
  lookupUnknownDefault,
  lookupReject,
  lookupValueForm,
  constantsValueForm,
  cacheWarmLongerThanTtl,
  cacheUntilDataChanges,
  columnsUnknownType,
  columnsDuplicateName,
  columnsJsonForm,
]

/** Rules about the expanded template. */
export const TEMPLATE_RULES: readonly Rule<TemplateFacts>[] = [
  parameterUndeclared,
  parameterUnused,
  tenantUnread,
  lookupUnused,
  constantsUnused,
  cacheNowWithoutTtl,
]

/** Rules about the resolved queries and their tables. */
export const SQL_RULES: readonly Rule<SqlFacts>[] = [
  columnsMismatch,
  columnsVary,
  sqlTextForColumn,
  tenantUnknownTable,
  tenantUnknownColumn,
  tenantNotBounded,
]

/** Hints at what an author may do, applied only where hints are asked for. */
export const HINT_RULES: readonly Rule<SqlFacts>[] = [columnsNarrow]

/** Applies the rules to the facts. Equal diagnostics at one place are reported once. */
export function checkRules<Facts>(rules: readonly Rule<Facts>[], facts: Facts): readonly Diagnostic[] {
  const diagnostics = new Map<string, Diagnostic>()
  for (const { id, severity, check } of rules) {
    check(facts, (place, message, more) => {
      const diagnostic = diagnosticAt(place, id, message, { severity, ...more })
      const key = diagnosticLine(diagnostic)
      if (!diagnostics.has(key)) diagnostics.set(key, diagnostic)
    })
  }
  return [...diagnostics.values()]
}
