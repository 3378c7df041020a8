/** Estimates of what BigQuery would read for each variant of a query, and of the price. */
import type { LoadedEndpoint } from '../manifest/load.js'
import type { WarehouseReads } from '../model/query.js'
import type { Io } from './io.js'
import { annotation } from './report.js'
import { sizeText } from './size-text.js'

/** One variant's estimate. It has the members of a diagnostic, so that one list can hold both. */
export interface Estimate {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly rule: 'sql/estimate'
  readonly severity: 'notice'
  readonly message: string
  /** `interval=1day, function_id given`. */
  readonly variant: string
  readonly bytes: number
  readonly usd: number
}

const BYTES_PER_MIB = 2 ** 20
const BYTES_PER_TIB = 2 ** 40
/**
 * BigQuery bills whole MiB: at least 10 for each table that a query names, and at least 10 for the query ("On-demand
 * pricing").
 */
const LEAST_MIB = 10

/** The estimate of each variant that was checked with a warehouse; empty when only the embedded engine was asked. */
export function readEstimates(details: readonly LoadedEndpoint[], usdPerTib: number): readonly Estimate[] {
  return details.flatMap(({ endpoint, file, variants }) =>
    variants.flatMap(({ label, reads }) => {
      if (!reads) return []
      const { bytes } = reads
      const usd = (billed(reads) / BYTES_PER_TIB) * usdPerTib
      const variant = label === '' ? endpoint.name : `${endpoint.name} (${label})`
      const message = `${variant}: ${sizeText(bytes)}, ${usdText(usd)}`
      const place = { file, line: 1, column: 1, rule: 'sql/estimate', severity: 'notice' } as const
      return [{ ...place, message, variant: label, bytes, usd }]
    }),
  )
}

/** Prints a line for each variant; for GitHub's checks, which show only a few lines, the dearest variant of each manifest. */
export function reportEstimates(estimates: readonly Estimate[], format: 'text' | 'github', io: Io): void {
  if (format === 'text') {
    for (const { message } of estimates) io.print(`${message}\n`)
    return
  }
  const dearest = new Map<string, Estimate>()
  for (const one of estimates) if (one.bytes > (dearest.get(one.file)?.bytes ?? -1)) dearest.set(one.file, one)
  for (const one of dearest.values()) io.print(`${annotation(one)}\n`)
}

/**
 * The billed bytes. BigQuery does not say how much it reads of each table, so with small tables among large ones it bills
 * more.
 */
const billed = ({ bytes, tables }: WarehouseReads): number =>
  bytes === 0 ? 0 : Math.max(LEAST_MIB * Math.max(1, tables), Math.ceil(bytes / BYTES_PER_MIB)) * BYTES_PER_MIB

/** The price with enough digits that a price above zero is never shown as zero. */
function usdText(usd: number): string {
  return usd > 0 && usd < 0.0001 ? '< 0.0001 USD' : `${usd.toFixed(4)} USD`
}
