/** Conversions between a TIMESTAMP and the civil time of a zone, as DuckDB SQL. */

import type { Expr } from '../../../googlesql/plan/nodes.js'
import { cityOfZone, fixedZoneOffset } from '../../../googlesql/values/legacy-zones.js'
import { writtenOffset, zoneOffset } from '../../../googlesql/values/time-zone.js'
import { quoteText } from '../../emit/quote.js'

/** A zone argument as it is known when the SQL is written. */
export type ZoneSql =
  | { readonly kind: 'utc' }
  | { readonly kind: 'offset'; readonly micros: number }
  | { readonly kind: 'named' | 'dynamic'; readonly sql: string }
  /** A zone with the rules of a city's zone from the instant `since` on (in seconds since 1970), see legacy-zones.ts. */
  | { readonly kind: 'legacy'; readonly sql: string; readonly city: string; readonly since: number }

/** The zone of an argument; UTC without one. A literal that is not a zone name is kept, and raises its error at run time. */
export function zoneOf(arg: Expr | null | undefined, sql: string | null | undefined): ZoneSql {
  if (!arg || !sql) return { kind: 'utc' }
  if (arg.kind !== 'literal' || typeof arg.value !== 'string') return { kind: 'dynamic', sql }
  const name = arg.value
  if (name === 'UTC' || name === 'Etc/UTC') return { kind: 'utc' }
  const fixed = fixedZoneOffset(name)
  if (fixed !== undefined) return { kind: 'offset', micros: fixed * 1_000_000 }
  const legacy = cityOfZone(name)
  if (legacy) return { kind: 'legacy', sql, ...legacy }
  const offset = writtenOffset(name)
  if (offset !== undefined) return { kind: 'offset', micros: offset * 1_000_000 }
  return { kind: /^[A-Za-z]/.test(name) && zoneOffset(name) !== null ? 'named' : 'dynamic', sql }
}

/** The zone as text, for functions that take a zone name. */
export function zoneText(zone: ZoneSql, sql: string | null | undefined): string {
  return zone.kind === 'utc' || !sql ? "'UTC'" : sql
}

const plus = (micros: number): string => (micros < 0 ? `- ${-micros}` : `+ ${micros}`)

/** The TIMESTAMP itself, for calls where the zone does not affect the result but must be valid; NULL for a NULL zone. */
export function checkedZoneSql(timestamp: string, zone: ZoneSql): string {
  if (zone.kind !== 'dynamic') return timestamp
  return `(CASE WHEN bq_zone_offset(${zone.sql}, epoch_us(${timestamp})) IS NOT NULL THEN ${timestamp} END)`
}

/** The civil time of a TIMESTAMP in the zone, as a DuckDB TIMESTAMP (without time zone). */
export function civilSql(timestamp: string, zone: ZoneSql): string {
  if (zone.kind === 'utc') return `bq_utc(${timestamp})`
  if (zone.kind === 'offset') return `make_timestamp(epoch_us(${timestamp}) ${plus(zone.micros)})`
  if (zone.kind === 'named') return `timezone(${zone.sql}, ${timestamp})`
  const civil = `make_timestamp(epoch_us(${timestamp}) + bq_zone_offset(${zone.sql}, epoch_us(${timestamp})))`
  if (zone.kind !== 'legacy') return civil
  const late = `timezone(${quoteText(zone.city)}, ${timestamp})`
  return `(CASE WHEN ${timestamp} >= make_timestamptz(${zone.since}000000) THEN ${late} ELSE ${civil} END)`
}

/** The instant of a civil time in the zone, as a DuckDB TIMESTAMPTZ. */
export function instantSql(civil: string, zone: ZoneSql): string {
  if (zone.kind === 'utc') return `bq_from_utc(${civil})`
  if (zone.kind === 'offset') return `bq_timestamp(epoch_us(${civil}) ${plus(-zone.micros)})`
  // DuckDB's own conversion is not used: it picks the later one of two possible instants, and is slower.
  return `bq_timestamp(bq_zone_instant(${zone.sql}, epoch_us(${civil})))`
}
