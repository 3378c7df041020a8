/** Shared by the formats with types (Arrow, Parquet, xlsx): the types of a result, and the values of its cells from their JSON. */
import { ByteWriter } from 'hyparquet-writer'
import { distinctNames, parseTypeName, type StructField, type Type } from '../../googlesql/data.js'
import type { ResultColumn } from '../model/query.js'
import type { Requirement, RowFacts } from './format.js'
import { JsonTextError, wordOf } from './rows.js'

/** A column, or a field within it, with its requirement. */
export interface TypedField {
  readonly name: string
  readonly type: Type
  readonly requirement: Requirement
}

const NOT_REQUIRED: Requirement = { required: false }

/** @throws TypeError when a column's type cannot be read. */
export function typedColumns(columns: readonly ResultColumn[], { contract }: RowFacts): readonly TypedField[] {
  return columns.map(({ name, type: text }, i) => {
    const type = parseTypeName(text)
    if (!type) throw new TypeError(`The type ${text} of the column ${name} cannot be read`)
    return { name, type, requirement: contract?.[i] ?? NOT_REQUIRED }
  })
}

/** The fields of a STRUCT, with the distinct names that they have in JSON. */
export function typedFields(fields: readonly StructField[], { fields: contract }: Requirement): readonly TypedField[] {
  const names = distinctNames(fields.map(({ name }) => name))
  return fields.map(({ type }, i) => ({ name: names[i]!, type, requirement: contract?.[i] ?? NOT_REQUIRED }))
}

/** The elements of an ARRAY, under this name. */
export const typedElement = (name: string, type: Type, { fields }: Requirement): TypedField => ({
  name,
  type,
  requirement: { ...NOT_REQUIRED, ...(fields && { fields }) },
})

/** An ARRAY is never null: as in JSON, NULL is an empty array. */
export const isNullable = ({ type, requirement }: TypedField): boolean => !requirement.required && type.kind !== 'ARRAY'

export const nullInRequired = (name: string): JsonTextError =>
  new JsonTextError(`the column ${name} is required, but it holds NULL`)

/** The metadata of the schema, by key. */
export const schemaMetadata = ({ endpoint, revision, isTruncated }: RowFacts): ReadonlyMap<string, string> =>
  new Map([
    ['sluice.endpoint', endpoint],
    ['sluice.revision', revision],
    ['sluice.truncated', String(isTruncated)],
  ])

const cellError = (what: string): JsonTextError => new JsonTextError(`${what} expected, but the cell has another form`)

export const isTrue = (cell: string): boolean => cell === 'true'

export const bytesOf = (cell: string): Buffer => Buffer.from(wordOf(cell), 'base64')

export function doubleOf(cell: string): number {
  const word = wordOf(cell)
  const value = Number(word)
  if (Number.isNaN(value) && word !== 'NaN') throw cellError('a number')
  return value
}

export const integerOf = (cell: string): bigint => checkBits(64, bigintOf(wordOf(cell)))

/** A decimal, multiplied by ten to the power of `scale`. */
export function decimalOf(cell: string, scale: number, bits: number): bigint {
  const word = wordOf(cell)
  const point = word.indexOf('.')
  const fraction = point < 0 ? 0 : word.length - point - 1
  if (fraction > scale) throw cellError(`a decimal of scale ${scale}`)
  const digits = point < 0 ? word : word.slice(0, point) + word.slice(point + 1)
  return checkBits(bits, bigintOf(digits) * POWERS[scale - fraction]!)
}

/** The powers of ten up to the largest scale. */
const POWERS: readonly bigint[] = Array.from({ length: 39 }, (_, power) => 10n ** BigInt(power))

/** A double holds so few digits exactly, and reading it takes half the time of reading a bigint. */
const FEW_DIGITS = /^-?\d{1,15}$/

function bigintOf(digits: string): bigint {
  if (FEW_DIGITS.test(digits)) return BigInt(Number(digits))
  if (!/^-?\d+$/.test(digits)) throw cellError('an integer')
  return BigInt(digits)
}

function checkBits(bits: number, value: bigint): bigint {
  if (BigInt.asIntN(bits, value) !== value) throw cellError(`a number of ${bits} bits`)
  return value
}

const MS_PER_DAY = 86_400_000
const SECONDS_PER_DAY = 86_400
const MICROS_PER_SECOND = 1_000_000
/** Date.UTC takes the year 50 for 1950. So 400 years are added, after which the calendar repeats, and their days are subtracted. */
const [YEARS, DAYS_OF_YEARS] = [400, 146_097]
/** Where the time of day begins in a cell that begins with a date, and where its fraction begins after that. */
const [CLOCK, FRACTION] = [12, 8]

/** A DATE in days since 1970. */
export function daysOf(cell: string): number {
  const year = digitsAt(cell, 1) * 100 + digitsAt(cell, 3)
  return Date.UTC(year + YEARS, digitsAt(cell, 6) - 1, digitsAt(cell, 9)) / MS_PER_DAY - DAYS_OF_YEARS
}

/** A TIME in microseconds since midnight. */
export const timeOf = (cell: string): bigint => BigInt(secondsAt(cell, 1) * MICROS_PER_SECOND + fractionAt(cell, 1))

/** A DATETIME, or a TIMESTAMP in text, in microseconds since 1970. */
export function microsOf(cell: string): bigint {
  const seconds = daysOf(cell) * SECONDS_PER_DAY + secondsAt(cell, CLOCK)
  const fraction = fractionAt(cell, CLOCK)
  const micros = seconds * MICROS_PER_SECOND + fraction
  return Number.isSafeInteger(micros) ? BigInt(micros) : BigInt(seconds) * 1_000_000n + BigInt(fraction)
}

/** A TIMESTAMP from text, or from digits, which are microseconds since 1970. */
export const timestampOf = (cell: string): bigint => (cell.endsWith('Z"') ? microsOf(cell) : integerOf(cell))

/** The seconds of `12:34:56`. */
const secondsAt = (cell: string, offset: number): number =>
  (digitsAt(cell, offset) * 60 + digitsAt(cell, offset + 3)) * 60 + digitsAt(cell, offset + 6)

/** The microseconds of the fraction of a second behind the clock that begins at `clock`; 0 without one. */
function fractionAt(cell: string, clock: number): number {
  if (cell.charCodeAt(clock + FRACTION) !== POINT) return 0
  let micros = 0
  for (let offset = clock + FRACTION + 1, unit = 100_000; unit >= 1; offset++, unit /= 10) {
    const digit = cell.charCodeAt(offset) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    micros += digit * unit
  }
  return micros
}

const [POINT, ZERO] = [0x2e, 0x30]

function digitsAt(cell: string, offset: number): number {
  const [tens, ones] = [cell.charCodeAt(offset) - ZERO, cell.charCodeAt(offset + 1) - ZERO]
  if (!(tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) throw cellError('a date or time')
  return tens * 10 + ones
}

/** Values one after the other, as bytes. */
export class Values extends ByteWriter {
  #text = Buffer.from(this.buffer)

  /** Adds a text in UTF-8. */
  appendText(text: string): void {
    this.ensure(3 * text.length)
    if (this.#text.buffer !== this.buffer) this.#text = Buffer.from(this.buffer)
    this.index += this.#text.write(text, this.index)
  }

  /** The bytes added since the last call, alone in their buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.getBytes().slice()
    this.index = 0
    return bytes
  }
}

/** A bit for each byte, which is 0 or 1; the lowest bit first. */
export function bitsOf(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let i = 0; i < flags.length; i++) bits[i >> 3]! |= flags[i]! << (i & 7)
  return bits
}
