/** Says what a refresh keeps of the results of each variant, or why it keeps nothing: `sluice validate --explain refresh`. */
import type { KeptQuery, NotKept } from '../../googlesql/index.js'
import { argumentTypes } from '../../runner/manifest/bigquery-type.js'
import type { CompiledManifest } from '../../runner/manifest/load.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import { memo } from '../../runner/model/bounded-map.js'
import { type Diagnostic, diagnosticLine } from '../../runner/model/diagnostic.js'
import type { Engine } from '../../runner/model/ports.js'
import type { BoundValue } from '../../runner/model/query.js'
import { keptInWords, keptOf, mayKeep } from '../../runner/refresh/kept-buckets.js'
import { whichVariants } from '../terminal/plural.js'

const severity = 'hint'
const ONLY = 'Only `validate --explain refresh` says so.'

/** For docs/reference/diagnostics.md, as the rules of manifests are. */
export const REFRESH_RULES = [
  { id: 'refresh/kept', severity, says: `A refresh reads only what is [new](../refresh.md). ${ONLY}` },
  { id: 'refresh/whole', severity, says: `A refresh reads all rows, and [why](../refresh.md#which-queries). ${ONLY}` },
] as const
const [KEPT, WHOLE] = REFRESH_RULES

/** What a refresh keeps of each variant of the endpoint, by the SQL of the variant. */
export function keptBySql(
  { endpoint, manifest, expanded }: Pick<CompiledManifest, 'endpoint' | 'manifest' | 'expanded'>,
  engine: Pick<Engine, 'keptQuery'>,
): ReadonlyMap<string, KeptQuery | NotKept> {
  const types = Object.entries(argumentTypes(manifest))
  const parameters = Object.fromEntries(
    types.map(([name, type]): [string, BoundValue] => [name, { type, value: null }]),
  )
  return new Map(expanded.texts.map(({ sql }) => [sql, keptOf(endpoint, engine, { sql, parameters })]))
}

/** One hint for each different answer; it names the variants that have this answer, unless all have it. */
export function refreshHints(compiled: CompiledManifest, engine: Pick<Engine, 'keptQuery'>): readonly Diagnostic[] {
  const { endpoint, source, expanded } = compiled
  const keptQueries = keptBySql(compiled, engine)
  const isInQuery = mayKeep(endpoint)
  const hints = expanded.texts.map(({ sql, placeAt }): [string, Diagnostic] => {
    const kept = keptQueries.get(sql)!
    if (!('reason' in kept)) return [sql, diagnosticAt(source.keyAt(['sql']), KEPT.id, keptInWords(kept), { severity })]
    const place = isInQuery ? placeAt(kept.at) : { ...source.keyAt(['settings', 'cache', 'refresh']), inclusion: '' }
    return [sql, diagnosticAt(place, WHOLE.id, keptInWords(kept), { severity, hint: place.inclusion })]
  })
  const hintOf = new Map(hints)
  const groups = new Map<string, { readonly hint: Diagnostic; readonly labels: string[] }>()
  for (const { sql, label } of expanded.variants) {
    const hint = hintOf.get(sql)!
    memo(groups, diagnosticLine(hint), () => ({ hint, labels: [] })).labels.push(label)
  }
  const all = expanded.variants.length
  return [...groups.values()].map(({ hint, labels }) =>
    labels.length === all ? hint : { ...hint, message: `${hint.message}, ${whichVariants(labels, all)}` },
  )
}
