/** Rules about `settings.cache`. */
import { volatilityOf } from '../../../../googlesql/index.js'
import type { Manifest } from '../../../model/manifest.js'
import type { DistinctSql, ManifestFacts, Rule, TemplateFacts } from '../rule.js'

type CacheSettings = Exclude<NonNullable<Manifest['settings']>['cache'], 'disabled' | undefined>

const PATH = ['settings', 'cache']
const NOT_WITH_UNTIL = ['warm_seconds', 'stale_if_error_seconds', 'stale_while_revalidate_seconds'] as const

export const cacheRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'cache/until-data-changes',
    says: '`until: data_changes` is used together with a setting that has no meaning beside it.',
    check: ({ manifest, source }, report) => {
      const cache = cacheOf(manifest)
      if (cache.until === undefined) return
      for (const key of NOT_WITH_UNTIL.filter(name => cache[name] !== undefined)) {
        report(source.keyAt([...PATH, key]), `${key} means nothing with until: data_changes; remove one of them`)
      }
    },
  },
  {
    id: 'cache/warm-longer-than-ttl',
    says: '`warm_seconds` is not less than `ttl_seconds`, so results would expire before they are warmed.',
    check: ({ manifest, source }, report) => {
      const { warm_seconds: warm, ttl_seconds: ttl } = cacheOf(manifest)
      if (warm === undefined || ttl === undefined || warm < ttl) return
      const message = `warm_seconds (${warm}) must be less than ttl_seconds (${ttl}), or results expire before they are warmed`
      report(source.valueAt([...PATH, 'warm_seconds']), message)
    },
  },
]

export const cacheTimeRules: readonly Rule<TemplateFacts>[] = [
  {
    id: 'cache/now-without-ttl',
    severity: 'warning',
    says: 'The SQL reads the time, and `until: data_changes` without `ttl_seconds` would keep that time for ever.',
    check: ({ manifest, source, texts }, report) => {
      const { until, ttl_seconds: ttl } = cacheOf(manifest)
      const clock = texts.map(clockIn).find(name => name !== undefined)
      if (until === undefined || ttl !== undefined || clock === undefined) return
      const message = `the SQL reads ${clock}, but its result is kept until the data changes; add ttl_seconds, the greatest age of a result`
      report(source.valueAt([...PATH, 'until']), message)
    },
  },
]

function cacheOf({ settings }: Manifest): Partial<CacheSettings> {
  const cache = settings?.cache
  return cache === undefined || cache === 'disabled' ? {} : cache
}

/** The name by which this text reads the clock; undefined when it does not. */
function clockIn({ tokens, argumentNames }: DistinctSql): string | undefined {
  if (argumentNames?.some(({ name }) => name === 'now')) return '@now'
  // After AS it is an alias.
  return tokens?.find(({ term }, i) => volatilityOf(term) === 'stable' && tokens[i - 1]?.term !== 'AS')?.term
}
