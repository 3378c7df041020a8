/** Sizes for people. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.5 MB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  for (; size >= 1000 && unit < UNITS.length - 1; unit++) size /= 1000
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}
