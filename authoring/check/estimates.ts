/** Estimates of what BigQuery would read for each variant of a query, and of the price. */
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import { priceOf, usdText } from '../call/query-price.js'
import type { Io } from '../terminal/io.js'
import { annotation } from '../terminal/report.js'
import { sizeText } from '../terminal/size-text.js'

/** One variant's estimate. It has the members of a diagnostic, so that one list can hold both. */
export type Estimate = ReturnType<typeof readEstimates>[number]

/** The estimate of each variant that was checked with a warehouse; empty when only the embedded engine was asked. */
export function readEstimates(loadedEndpoints: readonly LoadedEndpoint[], usdPerTib: number) {
  return loadedEndpoints.flatMap(({ endpoint, file, variants }) =>
    variants.flatMap(({ label, reads }) => {
      if (!reads) return []
      const { bytes } = reads
      const usd = priceOf(reads, usdPerTib)
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
  for (const estimate of estimates)
    if (estimate.bytes > (dearest.get(estimate.file)?.bytes ?? -1)) dearest.set(estimate.file, estimate)
  for (const estimate of dearest.values()) io.print(`${annotation(estimate)}\n`)
}
