/** Casts of text whose form DuckDB does not read as BigQuery does; macros/casts.ts takes the common forms itself. */
import {
  dateLiteral,
  datetimeLiteral,
  numericLiteral,
  timeLiteral,
  timestampLiteral,
  timestampRefusal,
} from '../../../googlesql/literals.js'
import { NativeError, type NativeFunction } from './native.js'

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)
const MAX_SHOWN = 32

/** A value as messages show it: not more than its beginning. */
const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text)

const canonical = (
  name: string,
  read: (text: string) => string | null,
  refusal: (text: string) => string,
): NativeFunction => ({
  name,
  parameters: ['VARCHAR'],
  returns: 'VARCHAR',
  handlesNull: false,
  compute: (text: string) => {
    const value = read(text)
    if (value === null) throw new NativeError(refusal(text))
    return value
  },
})

export const CAST_NATIVES: readonly NativeFunction[] = [
  canonical('bq_read_date', dateLiteral, text => `Invalid date: '${text}'`),
  canonical('bq_read_time', timeLiteral, text => `Invalid time string "${text}"`),
  canonical('bq_read_datetime', datetimeLiteral, text => `Invalid datetime string "${text}"`),
  canonical('bq_read_timestamp', timestampLiteral, timestampRefusal),
  canonical(
    'bq_read_numeric',
    text => numericLiteral(text, 'NUMERIC', 'cast'),
    text => `Invalid NUMERIC value: ${shown(text)}`,
  ),
  canonical('bq_read_bignumeric', bignumeric, text => `Invalid BIGNUMERIC value: ${shown(text)}`),
  {
    name: 'bq_read_hex',
    parameters: ['VARCHAR'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: (text: string) => {
      const found = /^ *([+-]?)(0[xX][0-9a-fA-F]+)\s*$/.exec(text)
      const value = found && BigInt(found[2]!) * (found[1] === '-' ? -1n : 1n)
      if (value === null || value > MAX_INT64 || value < MIN_INT64)
        throw new NativeError(`Bad int64 value: ${shown(text)}`)
      return value
    },
  },
]

/** DECIMAL(38,9) carries a BIGNUMERIC, so what it could not hold exactly is an error. */
function bignumeric(text: string): string | null {
  const value = numericLiteral(text, 'BIGNUMERIC', 'cast')
  if (value === null) return null
  if (!/^-?\d{1,29}(\.\d{1,9})?$/.test(value)) {
    throw new NativeError('BIGNUMERIC values beyond NUMERIC are not supported on the embedded engine')
  }
  return value
}
