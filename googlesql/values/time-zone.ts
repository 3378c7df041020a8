/** Time zones by name, from the platform's own copy of the IANA database. */
import { cityOfZone, earlyZoneOffset, fixedZoneOffset } from './legacy-zones.js'
import { TIME_ZONE_NAMES } from './time-zone-names.js'

/** Matches a time zone that is an offset from UTC, `+05:30`, `-8` or `UTC+1`: its sign, its hours and its minutes. */
export const ZONE_OFFSET = /^(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?$/

/** How the platform writes an offset: `GMT-05:00`, `GMT-04:56:02`, or `GMT` alone. */
const OFFSET_NAME = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/

const SECOND_MS = 1000
/** More than any zone's offset from UTC, so that the instants before and after a change of the offset are both examined. */
const MARGIN_SECONDS = 15 * 3600

/** Seconds east of Greenwich for a zone that is an offset of at most 14 hours; undefined for any other text. */
export function writtenOffset(zone: string): number | undefined {
  const [, sign, hours, minutes = '0'] = ZONE_OFFSET.exec(zone) ?? []
  const offset = Number(hours) * 60 + Number(minutes)
  if (sign === undefined || Number(minutes) > 59 || offset > 14 * 60) return undefined
  return (sign === '-' ? -offset : offset) * 60
}

/** Whether this is a zone's name, or an offset, that BigQuery accepts too. */
export const isTimeZone = (zone: string): boolean => TIME_ZONE_NAMES.has(zone) || writtenOffset(zone) !== undefined

/**
 * A function from an instant, in seconds since 1970, to the zone's offset from UTC, in seconds east; null for an unknown
 * zone.
 */
export function zoneOffset(zone: string): ((instant: number) => number) | null {
  const fixed = fixedZoneOffset(zone)
  if (fixed !== undefined) return () => fixed
  const rules = cityOfZone(zone)
  if (!rules) return platformOffset(zone)
  const cityOffset = platformOffset(rules.city)
  return cityOffset && (instant => earlyZoneOffset(zone, instant) ?? cityOffset(instant))
}

function platformOffset(zone: string): ((instant: number) => number) | null {
  if (!isZoneName(zone)) return null
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
  return instant => {
    const name = format.formatToParts(instant * SECOND_MS).find(part => part.type === 'timeZoneName')!.value
    const [, sign, hours, minutes, seconds = '0'] = OFFSET_NAME.exec(name) ?? []
    const offset = sign === undefined ? 0 : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    return sign === '-' ? -offset : offset
  }
}

let platformNames: ReadonlySet<string> | undefined

/** Whether this is the name of a zone. A newer platform may have zones that the list lacks. */
function isZoneName(name: string): boolean {
  if (TIME_ZONE_NAMES.has(name)) return true
  platformNames ??= new Set(Intl.supportedValuesOf('timeZone'))
  return platformNames.has(name)
}

/**
 * The instant (seconds since 1970) at which a zone's clocks show a local time (also in seconds since 1970, as if it were UTC).
 * If there are two such instants, it is the earlier. A time that the clocks skip has the offset from before the change. GoogleSQL
 * does the same.
 */
export function localToInstant(local: number, offsetAt: (instant: number) => number): number {
  const offsetBefore = offsetAt(local - MARGIN_SECONDS)
  const offsetAfter = offsetAt(local + MARGIN_SECONDS)
  if (offsetBefore === offsetAfter || offsetAt(local - offsetBefore) === offsetBefore) return local - offsetBefore
  return offsetAt(local - offsetAfter) === offsetAfter ? local - offsetAfter : local - offsetBefore
}
