/** BigQuery's canonical text of an INTERVAL. */

/** `Y-M D H:M:S[.F]`, such as `1-2 3 4:5:6.789`: each of the three parts has its own sign; the fraction has 3 or 6 digits. */
export function intervalText(months: number, days: number, micros: bigint): string {
  const absoluteMonths = Math.abs(months)
  const absoluteMicros = micros < 0n ? -micros : micros
  const seconds = absoluteMicros / 1_000_000n
  const fraction = Number(absoluteMicros % 1_000_000n)
  const clock = `${seconds / 3_600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${fractionText(fraction)}`
  return (
    `${months < 0 ? '-' : ''}${Math.floor(absoluteMonths / 12)}-${absoluteMonths % 12} ${days} ` +
    `${micros < 0n ? '-' : ''}${clock}`
  )
}

function fractionText(micros: number): string {
  if (micros === 0) return ''
  return micros % 1_000 === 0 ? `.${String(micros / 1_000).padStart(3, '0')}` : `.${String(micros).padStart(6, '0')}`
}
