/** Units of columns as Grafana names them. */

/** Others are written behind the value, as they are. */
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
