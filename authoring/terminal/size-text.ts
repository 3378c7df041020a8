/** Sizes in sentences and tables. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `999 B`, `1.0 kB`: in the largest unit that gives a number of at least 1. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  // 999.95 would be written as 1000.0.
  for (; Number(size.toFixed(1)) >= 1000 && unit < UNITS.length - 1; unit++) size /= 1000
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}
