/** What BigQuery bills for the bytes that a query reads, and how prices are written. */
import type { WarehouseReads } from '../../runner/model/query.js'

const BYTES_PER_MIB = 2 ** 20
const BYTES_PER_TIB = 2 ** 40
/**
 * BigQuery bills whole MiB: at least 10 for each table that a query names, and at least 10 for the query ("On-demand
 * pricing").
 */
const LEAST_MIB = 10

/** The price in USD. */
export const priceOf = (reads: WarehouseReads, usdPerTib: number) => (billedAtLeast(reads) / BYTES_PER_TIB) * usdPerTib

/**
 * A lower bound of the bytes that BigQuery bills for these reads. Small tables may cost more: BigQuery does not say how much it reads of
 * each.
 */
const billedAtLeast = ({ bytes, tables }: WarehouseReads): number =>
  bytes === 0 ? 0 : Math.max(LEAST_MIB * Math.max(1, tables), Math.ceil(bytes / BYTES_PER_MIB)) * BYTES_PER_MIB

/** The price with four decimals, or `< 0.0001 USD` for a price between zero and that. */
export function usdText(usd: number): string {
  return usd > 0 && usd < 0.0001 ? '< 0.0001 USD' : `${usd.toFixed(4)} USD`
}
