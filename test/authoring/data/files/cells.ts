/** Compares a value that was written into a file with what was read of it. */

/** A value that was written. A time without an offset counts as UTC. */
export type Written =
  | null
  | boolean
  | string
  | { readonly number: string }
  | { readonly date: string }
  | { readonly time: string }
  | { readonly timeOfDay: string }
  | { readonly bytes: string }
  | { readonly record: Readonly<Record<string, Written>> }
  | readonly Written[]

/** A value of a result. */
export type Found =
  | null
  | boolean
  | string
  | { readonly number: string }
  | readonly Found[]
  | { readonly [name: string]: Found }

/**
 * Whether both are the same value. A number, a time or a BOOL may have been read as a STRING that says the same; a text is the same
 * only where every character is. A missing array is empty.
 */
export function isSame(written: Written, found: Found | undefined): boolean {
  if (written === null) return found === null || found === undefined || (Array.isArray(found) && found.length === 0)
  if (found === undefined) return false
  if (typeof written === 'string') return written === found
  if (typeof written === 'boolean') return String(written) === textOf(found)?.toLowerCase()
  if (Array.isArray(written)) return isSameList(written, found)
  if ('record' in written) return isSameRecord(written.record, found)
  const text = textOf(found)
  if (text === null) return false
  if ('number' in written) return decimalOf(written.number) === decimalOf(text)
  if ('bytes' in written) return written.bytes === text
  if ('date' in written) return instantOf(written.date) === instantOf(text)
  if ('time' in written) return instantOf(written.time) === instantOf(text)
  return 'timeOfDay' in written && timeOf(written.timeOfDay) === timeOf(text)
}

function isSameList(written: readonly Written[], found: Found): boolean {
  const list = found ?? []
  return Array.isArray(list) && list.length === written.length && written.every((item, i) => isSame(item, list[i]))
}

/** Fields that only other rows have are NULL. */
function isSameRecord(written: Readonly<Record<string, Written>>, found: Found): boolean {
  if (found === null || typeof found !== 'object' || Array.isArray(found)) return false
  const members = Object.entries(found as Readonly<Record<string, Found>>)
  const isNamed =
    (key: string) =>
    ([member]: readonly [string, Found]) =>
      isColumnOf(key, member)
  return (
    Object.entries(written).every(([key, value]) => isSame(value, members.find(isNamed(key))?.[1])) &&
    members.every(member => isSame(null, member[1]) || Object.keys(written).some(key => isNamed(key)(member)))
  )
}

/**
 * Whether a column has the name of a key of a file, as it stands or mapped:
 * https://cloud.google.com/bigquery/docs/reference/rest/v2/Job (`columnNameCharacterMap` V1).
 */
export function isColumnOf(key: string, column: string): boolean {
  const mapped = key.replace(/[^\p{L}\p{N}_]/gu, '_').replace(/^(?=\d)/, '_')
  return [key, mapped].some(name => name.toLowerCase() === column.toLowerCase())
}

const textOf = (found: Found): string | null => {
  if (typeof found === 'string') return found
  if (typeof found === 'boolean') return String(found)
  const number = (found as { readonly number?: unknown } | null)?.number
  return typeof number === 'string' ? number : null
}

/** All digits of a number without an exponent; the text itself where it is not a number. */
function decimalOf(text: string): string {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (!parts || (parts[2] === '' && parts[3] === '')) return text.replace(/^[+]/, '').toLowerCase()
  const [, sign, whole = '', behind = '', exponent = '0'] = parts
  const zeros = '0'.repeat(Math.abs(Number(exponent)))
  const digits = Number(exponent) < 0 ? `${zeros}${whole}${behind}` : `${whole}${behind}${zeros}`
  const point = (Number(exponent) < 0 ? 0 : Number(exponent)) + whole.length
  const [left, right] = [digits.slice(0, point).replace(/^0+/, ''), digits.slice(point).replace(/0+$/, '')]
  return left + right === '' ? '0' : `${sign === '-' ? '-' : ''}${left || '0'}${right && '.'}${right}`
}

/** A date or a time as microseconds since 1970; the text itself where it is neither. */
function instantOf(written: string): bigint | string {
  // The one zone with a name that files have here, in winter.
  const text = written.replace(' Europe/Berlin', '+01:00')
  const parts =
    /^(\d{1,4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i.exec(
      text,
    )
  if (!parts) return text
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = 'Z'] = parts
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  return BigInt(date.getTime() - offset) * 1_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

const timeOf = (text: string): string => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')

/** Whether a value of this type says what stands in a file, which no type was declared for. */
export function isSpelled(raw: string | null, type: string, found: Found): boolean {
  if (raw === null || found === null) return raw === found
  const text = textOf(found)
  if (text === null) return false
  if (type === 'STRING' || text === raw) return text === raw || (raw === '-0' && text === '0')
  // Only a file of which the schema tells a decimal comma has numbers read from such texts.
  const isWithComma = /^-?[\d.]+,\d+$/.test(raw)
  return isValueOf(isWithComma ? raw.replaceAll('.', '').replace(',', '.') : raw.trim(), type, text)
}

function isValueOf(raw: string, type: string, text: string): boolean {
  if (type === 'BOOL') return text === raw.toLowerCase()
  if (/^-?0\d/.test(raw) && !/^\d{4}-/.test(raw)) return false
  if (type === 'FLOAT64') return Object.is(Number(raw), Number(text))
  if (/^(?:INT64|NUMERIC|BIGNUMERIC)$/.test(type)) return decimalOf(raw) === decimalOf(text)
  return instantOf(raw) === instantOf(text)
}
