/** Amounts as people read them. */

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** `1.2 MB`. */
export function bytesText(bytes: number): string {
  let [value, step] = [bytes, 0]
  while (Math.abs(value) >= 999.5 && step < STEPS.length - 1) {
    value /= 1000
    step += 1
  }
  return `${step === 0 || value >= 100 ? Math.round(value) : Number(value.toPrecision(2))} ${STEPS[step]}`
}

/** `0.8 ms`, `12 ms`, `1.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** `$0.0031`; amounts below a thousandth of a cent are written as such. */
export function usdText(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.00001) return 'below $0.00001'
  return `$${usd < 1 ? Number(usd.toPrecision(2)) : usd.toFixed(2)}`
}

/** `15 min`, `1 h`, `7 d`: the largest unit that the number of seconds is a whole multiple of. */
export function spanText(seconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}`
  }
  return `${seconds} s`
}

/** A number on an axis or in a legend: short, with its unit. */
export function amountText(value: number, unit: string | null): string {
  if (unit === 'bytes') return bytesText(value)
  if (unit === 'ms') return value >= 1000 ? durationText(value) : `${shortNumber(value)} ms`
  if (unit === 'percent') return `${shortNumber(value)} %`
  if (unit === null || unit === 'count' || unit === 'ratio') return shortNumber(value)
  return `${shortNumber(value)} ${unit}`
}

function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2)
  if (size >= 1e9) return `${Number((value / 1e9).toFixed(2))}G`
  if (size >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`
  if (size >= 1e4) return `${Number((value / 1e3).toFixed(1))}k`
  return String(Number(value.toPrecision(4)))
}
