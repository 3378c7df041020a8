/**
 * Time zones that do not belong to a place: EST, EST5EDT, CET and others. Since its release 2024b the tz database, and so the
 * platform's copy of it, makes them links to the zones of cities, whose clocks differed from these rules in early years.
 */

/** Offsets in seconds east of Greenwich, all year. */
const FIXED_OFFSETS: ReadonlyMap<string, number> = new Map([
  ['EST', -5 * 3600],
  ['MST', -7 * 3600],
  ['HST', -10 * 3600],
])

type LegacyZone = ReturnType<typeof legacyZone>

/** Start and end of a summer time, both in the zone's winter time: `1918-03-31 02:00`. */
type LocalSummer = readonly [from: string, until: string]

/** War time and daylight-saving time of the United States before 1967, when the rules of a city begin to apply. */
const AMERICAN_SUMMERS: readonly LocalSummer[] = [
  ['1918-03-31 02:00', '1918-10-27 01:00'],
  ['1919-03-30 02:00', '1919-10-26 01:00'],
  ['1942-02-09 02:00', '1945-09-30 01:00'],
]

/**
 * The summer times of the European Union, whose clocks change at 01:00 UTC; `hour` is that hour in the zone's winter time.
 */
const europeanSummers = (hour: '01' | '02' | '03'): readonly LocalSummer[] => [
  [`1977-04-03 ${hour}:00`, `1977-09-25 ${hour}:00`],
  [`1978-04-02 ${hour}:00`, `1978-10-01 ${hour}:00`],
  [`1979-04-01 ${hour}:00`, `1979-09-30 ${hour}:00`],
  [`1980-04-06 ${hour}:00`, `1980-09-28 ${hour}:00`],
  [`1981-03-29 ${hour}:00`, `1981-09-27 ${hour}:00`],
  [`1982-03-28 ${hour}:00`, `1982-09-26 ${hour}:00`],
]

const CENTRAL_EUROPEAN_SUMMERS: readonly LocalSummer[] = [
  ['1916-04-30 23:00', '1916-10-01 00:00'],
  ['1917-04-16 02:00', '1917-09-17 02:00'],
  ['1918-04-15 02:00', '1918-09-16 02:00'],
  ['1940-04-01 02:00', '1942-11-02 02:00'],
  ['1943-03-29 02:00', '1943-10-04 02:00'],
  ['1944-04-03 02:00', '1944-10-02 02:00'],
  ['1945-04-02 02:00', '1945-09-16 02:00'],
  ...europeanSummers('02'),
]

function legacyZone(hours: number, summers: readonly LocalSummer[], since: string, city: string) {
  const instant = (local: string): number => Date.parse(`${local.replace(' ', 'T')}:00Z`) / 1000 - hours * 3600
  return {
    /** The offset in winter, in seconds east of Greenwich. */
    standard: hours * 3600,
    /** Start and end (exclusive) of each summer time before `since`, in seconds since 1970. */
    summers: summers.map(([from, until]) => [instant(from), instant(until)] as const),
    /** From this instant, in seconds since 1970, the rules of `city` apply. */
    since: instant(since),
    city,
  }
}

const LEGACY_ZONES: ReadonlyMap<string, LegacyZone> = new Map([
  ['EST5EDT', legacyZone(-5, AMERICAN_SUMMERS, '1967-01-01 00:00', 'America/New_York')],
  ['CST6CDT', legacyZone(-6, AMERICAN_SUMMERS, '1967-01-01 00:00', 'America/Chicago')],
  ['MST7MDT', legacyZone(-7, AMERICAN_SUMMERS, '1967-01-01 00:00', 'America/Denver')],
  ['PST8PDT', legacyZone(-8, AMERICAN_SUMMERS, '1967-01-01 00:00', 'America/Los_Angeles')],
  ['CET', legacyZone(1, CENTRAL_EUROPEAN_SUMMERS, '1980-01-01 00:00', 'Europe/Berlin')],
  ['MET', legacyZone(1, CENTRAL_EUROPEAN_SUMMERS, '1980-01-01 00:00', 'Europe/Berlin')],
  ['EET', legacyZone(2, europeanSummers('03'), '1983-01-01 00:00', 'Europe/Helsinki')],
  ['WET', legacyZone(0, europeanSummers('01'), '1983-01-01 00:00', 'Atlantic/Faroe')],
])

/** The offset of EST, MST or HST in seconds east of Greenwich; undefined for any other zone. */
export const fixedZoneOffset = (zone: string): number | undefined => FIXED_OFFSETS.get(zone)

/** The city whose rules a zone follows, and from which instant (seconds since 1970); undefined for other zones. */
export const cityOfZone = (zone: string): { readonly city: string; readonly since: number } | undefined =>
  LEGACY_ZONES.get(zone)

/** The offset of a zone, in seconds, before the rules of its city apply to it; undefined afterwards and for other zones. */
export function earlyZoneOffset(zone: string, instant: number): number | undefined {
  const rules = LEGACY_ZONES.get(zone)
  if (!rules || instant >= rules.since) return undefined
  const isSummer = rules.summers.some(([from, until]) => instant >= from && instant < until)
  return rules.standard + (isSummer ? 3600 : 0)
}
