/** What the tests of an endpoint have run: variants, rows of lookup tables, and branches of the template. */
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import type { FilePlace } from '../../runner/manifest/source.js'
import type { CaseResult } from './run-case.js'
import type { TemplateCoverage } from './template-coverage.js'

/** A part of an endpoint that no test has run. */
export interface UncoveredPart {
  readonly kind: 'variant' | 'lookup row' | 'branch'
  /** In words: `interval=1day, function_id given`, `given.function_id is never true`. */
  readonly what: string
  /** The place of a branch; null for the others. */
  readonly place: FilePlace | null
}

export type Coverage = ReturnType<typeof coverageOf>

/** The coverage of these endpoints; `templates` has the template of each by its id, from `loadEndpoints`. */
export function coverageOf(
  loadedEndpoints: readonly LoadedEndpoint[],
  templates: ReadonlyMap<string, TemplateCoverage>,
  results: readonly CaseResult[],
) {
  const endpoints = loadedEndpoints.map(loadedEndpoint => {
    const ownResults = results.filter(result => result.loadedEndpoint.endpoint.id === loadedEndpoint.endpoint.id)
    return endpointCoverage(loadedEndpoint, templates.get(loadedEndpoint.endpoint.id)!, ownResults)
  })
  const covered = endpoints.reduce((sum, item) => sum + item.covered, 0)
  const total = endpoints.reduce((sum, item) => sum + item.total, 0)
  /** `percent` is the share of the parts of all endpoints that tests ran; 100 where the endpoints have no parts. */
  return { endpoints, percent: percentOf(covered, total) }
}

/** Rounded down to a tenth, so that 100 means all. */
const percentOf = (covered: number, total: number): number =>
  total === 0 ? 100 : Math.floor((covered / total) * 1_000) / 10

function endpointCoverage(
  { endpoint, file, lookupRows }: LoadedEndpoint,
  { variants, branches, variantOf }: TemplateCoverage,
  results: readonly CaseResult[],
) {
  const variantsRun = new Set(results.flatMap(({ rendered }) => rendered.map(variantOf)))
  const picks = [...variantsRun].flatMap(index => variants.get(index)?.pickedRows ?? [])
  const picked = new Set(picks.map(({ by, row }) => `${by}=${row}`))
  const rows = Object.entries(lookupRows).flatMap(([by, lookup]) => lookup.map(row => `${by}=${row}`))
  const parts: readonly (UncoveredPart & { readonly isCovered: boolean })[] = [
    ...[...variants].map(([index, { label }]) => {
      return { isCovered: variantsRun.has(index), kind: 'variant', what: label || 'the only one', place: null } as const
    }),
    ...rows.map(what => ({ isCovered: picked.has(what), kind: 'lookup row', what, place: null }) as const),
    ...branches.map(branch => {
      const what = `${branch.condition} is never ${branch.isTrue ? 'true' : 'false'}`
      const isCovered = [...branch.variants].some(index => variantsRun.has(index))
      return { isCovered, kind: 'branch', what, place: branch.place } as const
    }),
  ]
  const uncovered = parts.flatMap(({ isCovered, ...part }): UncoveredPart[] => (isCovered ? [] : [part]))
  return { endpoint: endpoint.name, file, covered: parts.length - uncovered.length, total: parts.length, uncovered }
}
