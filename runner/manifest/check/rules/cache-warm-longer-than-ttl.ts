/** `warm_seconds` must be less than `ttl_seconds`, else results expire before they are refreshed. */
import type { ManifestFacts, Rule } from '../rule.js'

export const cacheWarmLongerThanTtl: Rule<ManifestFacts> = {
  id: 'cache/warm-longer-than-ttl',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const cache = manifest.settings?.cache
    if (cache === undefined || cache === 'disabled' || cache.warm_seconds === undefined) return
    if (cache.ttl_seconds === undefined || cache.warm_seconds < cache.ttl_seconds) return
    report(
      source.valueAt(['settings', 'cache', 'warm_seconds']),
      `warm_seconds (${cache.warm_seconds}) must be less than ttl_seconds (${cache.ttl_seconds}), or results expire before they are warmed`,
    )
  },
}
