/** A result can be kept until its data changes only if the engine can tell when that is. */
import type { ManifestFacts, Rule } from '../rule.js'

const OF_OLD_RESULTS = ['warm_seconds', 'stale_if_error_seconds', 'stale_while_revalidate_seconds'] as const

export const cacheUntilDataChanges: Rule<ManifestFacts> = {
  id: 'cache/until-data-changes',
  severity: 'error',
  check: ({ manifest, source, knowsDataChanges }, report) => {
    const cache = manifest.settings?.cache
    if (cache === undefined || cache === 'disabled' || cache.until === undefined) return
    const path = ['settings', 'cache']
    if (!knowsDataChanges) {
      const message =
        'until: data_changes needs the embedded engine: this one does not tell when data changes; use ttl_seconds'
      report(source.valueAt([...path, 'until']), message)
    }
    for (const key of OF_OLD_RESULTS) {
      if (cache[key] === undefined) continue
      report(source.keyAt([...path, key]), `${key} means nothing with until: data_changes; remove one of them`)
    }
  },
}
