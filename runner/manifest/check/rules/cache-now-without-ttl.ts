/** Warns of a query that reads the clock while its results are kept until data changes: its "last hour" would never move on. */
import { volatilityOf } from '../../../../googlesql/index.js'
import type { DistinctSql, Rule, TemplateFacts } from '../rule.js'

export const cacheNowWithoutTtl: Rule<TemplateFacts> = {
  id: 'cache/now-without-ttl',
  severity: 'warning',
  check: ({ manifest, source, texts }, report) => {
    const cache = manifest.settings?.cache
    if (cache === undefined || cache === 'disabled') return
    if (cache.until === undefined || cache.ttl_seconds !== undefined) return
    const clock = texts.map(clockIn).find(name => name !== undefined)
    if (clock === undefined) return
    const message = `the SQL reads ${clock}, but its result is kept until the data changes; add ttl_seconds, the greatest age of a result`
    report(source.valueAt(['settings', 'cache', 'until']), message)
  },
}

/** The name by which this text reads the clock; undefined when it does not. */
function clockIn({ tokens, argumentNames }: DistinctSql): string | undefined {
  if (argumentNames?.some(({ name }) => name === 'now')) return '@now'
  // After AS it is an alias.
  return tokens?.find(({ term }, i) => volatilityOf(term) === 'stable' && tokens[i - 1]?.term !== 'AS')?.term
}
