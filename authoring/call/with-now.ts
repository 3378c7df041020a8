/** `@now` for SQL that no manifest declares. */

import { instantText } from '../../runner/manifest/instant-text.js'
import type { Clock } from '../../runner/model/ports.js'
import type { BoundValue } from '../../runner/model/query.js'

export type Bound = Readonly<Record<string, BoundValue>>

/** Binds `@now` where the SQL reads it, so that the SQL of manifests runs unchanged. */
export function withNow(sql: string, given: Bound, clock: Clock): Bound {
  const isGiven = Object.keys(given).some(name => name.toLowerCase() === 'now')
  if (isGiven || !/@now\b/i.test(sql)) return given
  return { ...given, now: { type: 'TIMESTAMP', value: instantText(clock.nowMicros()) } }
}
