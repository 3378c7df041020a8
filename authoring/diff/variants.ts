/** Compares the SQL that the same call runs before and after. */
import { memo } from '../../runner/model/bounded-map.js'
import type { Manifest } from '../../runner/model/manifest.js'
import { whichVariants } from '../terminal/plural.js'
import type { Report } from './change-rules.js'
import { lineDifference } from './line-difference.js'
import { printSql } from './print-sql.js'
import type { ComparedEndpoint, ComparedVariant } from './read-sides.js'

/** A call's variants before and after. */
export interface VariantPair {
  readonly base: ComparedVariant
  readonly head: ComparedVariant
}

export function diffVariants(base: ComparedEndpoint, head: ComparedEndpoint, report: Report): void {
  const printed = new Map<string, readonly string[]>()
  const print = (sql: string): readonly string[] => memo(printed, sql, printSql)
  const textOf = ({ sql }: ComparedVariant): string => print(sql).join('\n')
  const byDifference = new Map<string, { readonly lines: readonly string[]; readonly labels: string[] }>()
  for (const pair of pairVariants(base, head, textOf)) {
    if (textOf(pair.base) === textOf(pair.head)) continue
    const lines = lineDifference(print(pair.base.sql), print(pair.head.sql))
    const key = lines.filter(line => !line.startsWith(' ')).join('\n')
    memo(byDifference, key, () => ({ lines, labels: [] })).labels.push(pair.head.label)
  }
  const all = head.variants.length
  const differences = [...byDifference.values()]
  for (const { lines, labels } of differences.slice(0, MAX_DIFFERENCES)) {
    report('sql/changed', `the SQL changed ${whichVariants(labels, all)}`, lines)
  }
  const others = differences.slice(MAX_DIFFERENCES).flatMap(({ labels }) => labels)
  if (others.length > 0) report('sql/changed', `the SQL also changed ${whichVariants(others, all)}`)
}

/** The most differences of one endpoint that are shown: lookup values make one edit look different in each variant. */
const MAX_DIFFERENCES = 5

/**
 * Pairs each variant with the variant of the same call on the other side. Calls that were not possible before, because their
 * parameter or row is new, have no pair. If a side has several variants for a call, variants with equal texts are paired.
 */
export function pairVariants(
  base: ComparedEndpoint,
  head: ComparedEndpoint,
  textOf: (variant: ComparedVariant) => string = ({ sql }) => sql,
): readonly VariantPair[] {
  const others = axesOf(head)
  const common = [...axesOf(base)].filter(axis => others.has(axis))
  const groupVariants = (side: ComparedEndpoint, other: Manifest): ReadonlyMap<string, readonly ComparedVariant[]> => {
    const groups = new Map<string, ComparedVariant[]>()
    for (const variant of side.variants.filter(variant => isPossible(variant, side.manifest, other))) {
      const key = JSON.stringify(common.map(axis => variant.choices.get(axis)))
      memo(groups, key, () => []).push(variant)
    }
    return groups
  }
  const before = groupVariants(base, head.manifest)
  return [...groupVariants(head, base.manifest)].flatMap(([key, variants]) => {
    const baseVariants = before.get(key) ?? []
    return baseVariants.length === 0 ? [] : pairTexts(baseVariants, variants, textOf)
  })
}

/** One pair for each text of either side. */
function pairTexts(
  before: readonly ComparedVariant[],
  after: readonly ComparedVariant[],
  textOf: (variant: ComparedVariant) => string,
): readonly VariantPair[] {
  const byText = new Map(before.map(variant => [textOf(variant), variant]))
  const pairs = after.map(head => ({ base: byText.get(textOf(head)) ?? before[0]!, head }))
  const paired = new Set(pairs.map(({ base }) => base))
  const unpaired = [...byText.values()].filter(base => !paired.has(base))
  return [...pairs, ...unpaired.map(base => ({ base, head: after[0]! }))]
}

function axesOf({ variants }: ComparedEndpoint): ReadonlySet<string> {
  return new Set(variants[0]?.choices.keys())
}

/** Whether a call of the other side, which knows only its own parameters, can lead to this variant. */
function isPossible({ choices }: ComparedVariant, own: Manifest, other: Manifest): boolean {
  return [...choices].every(([axis, choice]) => {
    const [kind, name] = [axis.slice(0, axis.indexOf(' ')), axis.slice(axis.indexOf(' ') + 1)]
    const parameter = Object.hasOwn(other.parameters ?? {}, name) ? other.parameters![name] : undefined
    if (parameter !== undefined) return kind !== 'given' || parameter.required !== true || choice === 'given'
    if (kind === 'given') return choice === 'absent'
    const fallbacks = Object.values(own.lookups ?? {}).flatMap(({ by, default: row }) => (by === name ? [row] : []))
    return fallbacks.includes(choice) || fallbacks.includes('reject')
  })
}
