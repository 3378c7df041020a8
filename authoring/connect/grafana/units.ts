/** Units of columns as Grafana names them. */

/** Grafana's name for the unit; a unit that it does not know is written after the value. */
export const unitOf = (unit: string): string => (Object.hasOwn(UNITS, unit) ? UNITS[unit]! : `suffix: ${unit}`)

const UNITS: Readonly<Record<string, string>> = {
  ns: 'ns',
  us: 'µs',
  µs: 'µs',
  ms: 'ms',
  s: 's',
  min: 'm',
  h: 'h',
  d: 'd',
  bytes: 'bytes',
  bits: 'bits',
  'bytes/s': 'binBps',
  percent: 'percent',
  ratio: 'percentunit',
  count: 'short',
  USD: 'currencyUSD',
  EUR: 'currencyEUR',
}
