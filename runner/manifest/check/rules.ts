/** All rules, by the stage of loading at which their facts are known. */
import { type Diagnostic, diagnosticLine } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { ManifestFacts, Rule, SqlFacts, TemplateFacts } from './rule.js'
import { cacheRules, cacheTimeRules } from './rules/cache.js'
import { columnRules, resultRules } from './rules/columns.js'
import { constantRules, constantUseRules } from './rules/constants.js'
import { lookupRules, lookupUseRules } from './rules/lookups.js'
import { manifestRules } from './rules/manifest.js'
import { argumentRules, parameterRules } from './rules/parameters.js'
import { sqlRules } from './rules/sql.js'
import { tenantProofRules } from './rules/tenant-proof.js'
import { tenantRules, tenantTableRules, tenantUseRules } from './rules/tenants.js'

/** Rules about the manifest alone. */
export const MANIFEST_RULES: readonly Rule<ManifestFacts>[] = [
  ...manifestRules,
  ...parameterRules,
  ...tenantRules,
  ...lookupRules,
  ...constantRules,
  ...cacheRules,
  ...columnRules,
]

/** Rules about the expanded template. */
export const TEMPLATE_RULES: readonly Rule<TemplateFacts>[] = [
  ...argumentRules,
  ...tenantUseRules,
  ...lookupUseRules,
  ...constantUseRules,
  ...cacheTimeRules,
]

/** Rules about the resolved queries and their tables. */
export const SQL_RULES: readonly Rule<SqlFacts>[] = [
  ...resultRules,
  ...sqlRules,
  ...tenantTableRules,
  ...tenantProofRules,
]

export const ALL_RULES = [...MANIFEST_RULES, ...TEMPLATE_RULES, ...SQL_RULES]

/** Applies the rules to the facts. Equal diagnostics at one place are reported once. */
export function checkRules<Facts>(rules: readonly Rule<Facts>[], facts: Facts): readonly Diagnostic[] {
  const diagnostics = new Map<string, Diagnostic>()
  for (const { id, severity = 'error', check } of rules) {
    check(facts, (place, message, more) => {
      const diagnostic = diagnosticAt(place, id, message, { severity, ...more })
      const key = diagnosticLine(diagnostic)
      if (!diagnostics.has(key)) diagnostics.set(key, diagnostic)
    })
  }
  return [...diagnostics.values()]
}
