/** Tells which variants read more than before: other tables, all partitions, all rows at a refresh, or more bytes of a warehouse. */
import { memo } from '../../runner/model/bounded-map.js'
import type { WarehouseReads } from '../../runner/model/query.js'
import { mayKeep } from '../../runner/refresh/kept-buckets.js'
import { priceOf, usdText } from '../call/query-price.js'
import { whichVariants } from '../terminal/plural.js'
import { sizeText } from '../terminal/size-text.js'
import type { Report } from './change-rules.js'
import type { ComparedEndpoint, ComparedVariant } from './read-sides.js'
import { pairVariants, type VariantPair } from './variants.js'

export function diffReads(base: ComparedEndpoint, head: ComparedEndpoint, usdPerTib: number, report: Report): void {
  const before = new Set(base.variants.flatMap(({ tables }) => tables))
  const after = new Set(head.variants.flatMap(({ tables }) => tables))
  for (const table of after) if (!before.has(table)) report('reads/more', `it reads the table ${table}`)
  const pairs = pairVariants(base, head)
  const variantsOf = (variantPairs: readonly VariantPair[]): string =>
    whichVariants([...new Set(variantPairs.map(pair => pair.head.label))], head.variants.length)
  for (const table of after) {
    const wholePairs = pairs.filter(
      pair =>
        pair.head.wholeTables.includes(table) &&
        pair.base.tables.includes(table) &&
        !pair.base.wholeTables.includes(table),
    )
    if (wholePairs.length === 0) continue
    report('reads/more', `every partition of ${table} is read ${variantsOf(wholePairs)}; a condition left some out`)
  }
  for (const [reason, some] of wholeRefreshes(head, pairs)) {
    report('reads/more', `a refresh reads all rows, and not only what is new, ${variantsOf(some)}: ${reason}`)
  }
  const dearer = pairs.filter(pair => bytesOf(pair.head) > bytesOf(pair.base))
  if (dearer.length === 0) return
  const lines = dearer.map(pair => {
    const label = pair.head.label === '' ? 'the only variant' : pair.head.label
    return `  ${label}: ${readsText(pair.base.reads!, usdPerTib)} → ${readsText(pair.head.reads!, usdPerTib)}`
  })
  report('reads/more', `more bytes are read ${variantsOf(dearer)}`, [...new Set(lines)])
}

/** The variants of which a refresh no longer keeps anything, by the reason. Empty if the settings exclude keeping. */
function wholeRefreshes({ endpoint }: ComparedEndpoint, pairs: readonly VariantPair[]) {
  const byReason = new Map<string, VariantPair[]>()
  for (const pair of mayKeep(endpoint) ? pairs : []) {
    const { kept } = pair.head
    if ('reason' in kept && !('reason' in pair.base.kept)) memo(byReason, kept.reason, () => []).push(pair)
  }
  return byReason
}

/** NaN, which is not more than any number, where no warehouse was asked. */
const bytesOf = ({ reads }: ComparedVariant): number => reads?.bytes ?? Number.NaN

const readsText = (reads: WarehouseReads, usdPerTib: number): string =>
  `${sizeText(reads.bytes)}, ${usdText(priceOf(reads, usdPerTib))}`
