/** Hints at words in `columns:` that would give callers narrower types: `sluice validate --hints`. */
import type { CompiledManifest } from '../../runner/manifest/load.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import type { ContractColumn } from '../../runner/model/endpoint.js'

/** For docs/reference/diagnostics.md, as the rules of manifests are. */
export const HINT_RULE = {
  id: 'columns/narrow',
  severity: 'hint',
  says: 'A word in `columns:` would give callers a narrower type. Only `validate --hints` says so.',
} as const

/** A hint for each column of the endpoint that could promise more. */
export function narrowingHints({ endpoint, manifest, source }: CompiledManifest): readonly Diagnostic[] {
  return endpoint.columns.flatMap((column, index) => {
    const words = hintWords(column)
    if (words.length === 0) return []
    const isDeclared = manifest.columns !== undefined
    const place = isDeclared ? source.valueAt(['columns', index, 'name']) : source.keyAt(['sql'])
    const hint = isDeclared ? '' : '; declare "columns" for it'
    const { id, severity } = HINT_RULE
    return [diagnosticAt(place, id, `column "${column.name}" ${words.join('; it ')}`, { severity, hint })]
  })
}

const NARROWER: Readonly<Record<string, string>> = {
  INT64: 'is a string beyond ±(2^53−1): "json: number" or "json: string" gives it one type',
  FLOAT64: 'is a string where it is NaN or infinite: "json: number" says that it never is',
}

function hintWords({ type, required, json }: ContractColumn): readonly string[] {
  const isNullable = !required && !type.startsWith('ARRAY<')
  return [
    ...(isNullable ? ['may be NULL: "required: true" says that it never is'] : []),
    ...(json === null && Object.hasOwn(NARROWER, type) ? [NARROWER[type]!] : []),
  ]
}
