/** Times of results: as text in UTC or in the browser's zone, to the microsecond, and as positions on an axis. */

export type Zone = 'utc' | 'local'

/** `2026-01-31T12:00:00.123456Z`, or the microseconds of `timestamps: unix_micros`. */
function partsOf(value: unknown): { readonly ms: number; readonly fraction: string } | null {
  if (typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))) {
    const micros = BigInt(value)
    const ms = Number(micros / 1000n) - (micros < 0n && micros % 1000n !== 0n ? 1 : 0)
    const below = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
    return { ms, fraction: below === 0n ? '' : `.${String(below).padStart(6, '0')}` }
  }
  if (typeof value !== 'string') return null
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? null : { ms, fraction: /\.\d+/.exec(value)?.[0] ?? '' }
}

/** A TIMESTAMP for reading: `2026-01-31 12:00:00.123456`. A DATETIME or DATE has no zone and stays as it is. */
export function timeText(type: string, value: unknown, zone: Zone): string {
  if (!type.startsWith('TIMESTAMP')) return String(value).replace('T', ' ')
  const parts = partsOf(value)
  if (parts === null) return String(value)
  return `${wallClock(parts.ms, zone)}${parts.fraction}`
}

function wallClock(ms: number, zone: Zone): string {
  const date = new Date(zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().slice(0, -5).replace('T', ' ')
}

/** Seconds since 1970, for an axis; null for a value that is not a time. A DATETIME counts as UTC. */
export function secondsOf(type: string, value: unknown): number | null {
  if (value === null) return null
  if (type.startsWith('TIMESTAMP')) {
    const parts = partsOf(value)
    return parts === null ? null : Math.floor(parts.ms / 1000) + Number(`0${parts.fraction}`)
  }
  const ms = Date.parse(`${String(value)}${type.startsWith('DATETIME') ? 'Z' : ''}`)
  return Number.isNaN(ms) ? null : ms / 1000
}

/** The name of the browser's zone: `Europe/Berlin`. */
export const localZoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
