/** Arithmetic that is not exact in DuckDB: products and quotients of NUMERIC, and bit operations on BYTES. */
import { divideRounded } from './decimals.js'
import { type ScalarFunction, ScalarFunctionError, scalar } from './scalar-function.js'

const SCALE = 9
const UNIT = 10n ** BigInt(SCALE)
const MAX_NUMERIC = 10n ** 38n - 1n

/** Converts the text of a DECIMAL(38,9) to its number of units of 10^-9. `scaledText` does the reverse. */
function unscaled(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

function scaledText(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`
}

const decimal = (
  name: string,
  compute: (a: bigint, b: bigint, aText: string, bText: string) => bigint,
  symbol: string,
): ScalarFunction =>
  scalar(name, ['VARCHAR', 'VARCHAR'], 'VARCHAR', (a: string, b: string) => {
    const value = compute(unscaled(a), unscaled(b), a, b)
    if (value > MAX_NUMERIC || value < -MAX_NUMERIC)
      throw new ScalarFunctionError(`numeric overflow: ${trimmed(a)} ${symbol} ${trimmed(b)}`)
    return scaledText(value)
  })

const trimmed = (text: string): string => text.replace(/\.?0+$/, '') || '0'

function quotient(a: bigint, b: bigint, aText: string, bText: string): bigint {
  if (b === 0n) throw new ScalarFunctionError(`division by zero: ${trimmed(aText)} / ${trimmed(bText)}`)
  return divideRounded(a * UNIT, b)
}

const bytewise = (name: string, combine: (a: number, b: number) => number): ScalarFunction =>
  scalar(name, ['BLOB', 'BLOB'], 'BLOB', (a: Uint8Array, b: Uint8Array) => {
    if (a.length !== b.length) {
      throw new ScalarFunctionError(
        `Bitwise binary operator for BYTES requires equal length of the inputs. Got ${a.length} bytes on the left hand side and ${b.length} bytes on the right hand side.`,
      )
    }
    return a.map((byte, i) => combine(byte, b[i]!))
  })

/** The bits shifted by `count`, towards the first byte for a positive count. */
function shifted(bytes: Uint8Array, count: bigint): Uint8Array {
  const length = BigInt(bytes.length) * 8n
  if (bytes.length === 0 || count >= length || count <= -length) return new Uint8Array(bytes.length)
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const moved = count >= 0n ? BigInt.asUintN(Number(length), value << count) : value >> -count
  return Buffer.from(moved.toString(16).padStart(bytes.length * 2, '0'), 'hex')
}

const shift = (name: string, sign: bigint): ScalarFunction =>
  scalar(name, ['BLOB', 'BIGINT'], 'BLOB', (bytes: Uint8Array, count: bigint) => {
    if (count < 0n) throw new ScalarFunctionError('Bitwise shift by negative offset.')
    return shifted(bytes, sign * count)
  })

/** The factor of `bq_made_large`: the values that `bq_float_total` gets as `small` were multiplied by 2^-64. */
const MADE_SMALL_BY = 2 ** 64

export const ARITHMETIC_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Undoes the scaling of bq_float_total on a finite total.
  scalar('bq_made_large', ['DOUBLE'], 'DOUBLE', (small: number) => {
    if (!Number.isFinite(small)) return small
    const total = small * MADE_SMALL_BY
    if (!Number.isFinite(total)) throw new ScalarFunctionError('double overflow')
    return total
  }),
  decimal('bq_multiply_decimals', (a, b) => divideRounded(a * b, UNIT), '*'),
  decimal('bq_divide_decimals', quotient, '/'),
  bytewise('bq_bytes_and', (a, b) => a & b),
  bytewise('bq_bytes_or', (a, b) => a | b),
  bytewise('bq_bytes_xor', (a, b) => a ^ b),
  scalar('bq_bytes_not', ['BLOB'], 'BLOB', (bytes: Uint8Array) => bytes.map(byte => ~byte)),
  shift('bq_bytes_shift_left', 1n),
  shift('bq_bytes_shift_right', -1n),
]
