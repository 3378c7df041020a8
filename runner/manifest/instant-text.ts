/** The canonical text of a bound TIMESTAMP. */

/** Microseconds since 1970 → `2026-01-31T12:00:00.123456Z`, the fraction without trailing zeros. */
export function instantText(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = Number((micros - fraction) / 1_000_000n)
  const wholeSeconds = new Date(seconds * 1_000).toISOString().slice(0, 19)
  const digits = fraction.toString().padStart(6, '0').replace(/0+$/, '')
  return `${wholeSeconds}${digits === '' ? '' : `.${digits}`}Z`
}
