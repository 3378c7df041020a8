/** Columns of any type and their values, for tests of the derived formats: each value with its JSON, CSV and Arrow form. */

import fc from 'fast-check'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS, type ScalarKind, type Type } from '../../googlesql/index.js'
import { SCALAR_TYPES, typeName } from '../../googlesql/types/types.js'
import { type ScalarOptions, type ScalarTexts, scalarTexts } from '../../runner/result/scalar-text.js'
import { anyText } from '../any-text.js'

type Timestamps = 'iso8601' | 'unix_micros'

/** A value in the form that `arrowValues` reads: integers as bigint, decimals scaled, bytes as hex, JSON as its text. */
export type Typed = null | boolean | number | bigint | string | readonly Typed[]

/** One cell. `csv` is null where the cell is empty. */
export interface Cell {
  readonly json: string
  readonly csv: string | null
  readonly typed: Typed
}

export interface Sample {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly Cell[])[]
  readonly timestamps: Timestamps
}

/** The stored result. */
export function jsonOf({ columns, rows }: Sample): Buffer {
  const objects = rows.map(
    row => `{${row.map((cell, i) => `${JSON.stringify(columns[i]!.name)}:${cell.json}`).join()}}`,
  )
  return Buffer.from(`{"result":[${objects.join()}]}`)
}

const NULL: Cell = { json: 'null', csv: null, typed: null }
const DAYS = { min: -719_162, max: 2_932_896 }
const MICROS = { min: MIN_TIMESTAMP_MICROS, max: MAX_TIMESTAMP_MICROS }

function decimal(digits: number, scale: number): fc.Arbitrary<{ text: string; typed: bigint }> {
  const most = 10n ** BigInt(digits) - 1n
  const wide = fc.bigInt({ min: -most, max: most })
  const short = fc.integer({ min: -1_000_000, max: 1_000_000 }).map(n => BigInt(n) * 10n ** BigInt(scale - 2))
  return fc.oneof(wide, short, fc.constant(0n)).map(typed => {
    const [sign, absolute] = typed < 0n ? ['-', -typed] : ['', typed]
    const all = absolute.toString().padStart(scale + 1, '0')
    return { text: `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`, typed }
  })
}

/** The forms that a contract can choose for numbers. */
function numberForms(kind: ScalarKind): readonly ScalarOptions['numbers'][] {
  if (kind === 'INT64') return [null, 'string']
  return kind === 'NUMERIC' || kind === 'BIGNUMERIC' ? ['string', 'number'] : [null]
}

const scalar = (kind: ScalarKind, timestamps: Timestamps): fc.Arbitrary<Cell> =>
  fc.constantFrom(...numberForms(kind)).chain(numbers => scalarIn(kind, scalarTexts({ timestamps, numbers })))

function scalarIn(kind: ScalarKind, texts: ScalarTexts): fc.Arbitrary<Cell> {
  const both = <T>(
    write: (texts: ScalarTexts) => (value: T) => string,
    values: fc.Arbitrary<T>,
    typed: (v: T) => Typed,
  ) =>
    values.map(value => {
      const json = write(texts)(value)
      return { json, csv: json.startsWith('"') ? String(JSON.parse(json)) : json, typed: typed(value) }
    })
  const same = <T extends Typed>(value: T): Typed => value
  switch (kind) {
    case 'INT64':
      return both(texts => texts.int64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).chain(near), same)
    case 'FLOAT64':
      return both(
        texts => texts.float64,
        fc.oneof(
          fc.double(),
          fc.integer(),
          fc.integer().map(n => n / 100),
        ),
        same,
      )
    case 'NUMERIC':
      return both(
        texts => value => texts.numeric(value.text),
        decimal(38, 9),
        value => value.typed,
      )
    case 'BIGNUMERIC':
      return both(
        texts => value => texts.numeric(value.text),
        decimal(76, 38),
        value => value.typed,
      )
    case 'BOOL':
      return both(texts => texts.bool, fc.boolean(), same)
    case 'STRING':
      return both(texts => texts.string, string(), same)
    case 'BYTES':
      return both(
        texts => texts.bytes,
        fc.uint8Array({ maxLength: 20 }),
        value => Buffer.from(value).toString('hex'),
      )
    case 'DATE':
      return both(texts => texts.date, fc.integer(DAYS), same)
    case 'TIME':
      return both(texts => texts.time, fc.integer({ min: 0, max: 86_399_999_999 }), BigInt)
    case 'DATETIME':
      return both(texts => texts.datetime, fc.bigInt(MICROS), same)
    case 'TIMESTAMP':
      return both(texts => texts.timestamp, fc.bigInt(MICROS), same)
    case 'INTERVAL':
      return both(texts => texts.interval, fc.constantFrom('0-0 0 0:0:0', '-1-2 3 -4:5:6.000007'), same)
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return both(texts => texts.interval, fc.constantFrom('[2026-01-31, UNBOUNDED)', '[UNBOUNDED, 2026-01-31)'), same)
    case 'JSON':
      return fc
        .oneof(fc.json(), fc.constant('{"a":12345678901234567890.10,"a":"twice"}'))
        .filter(text => text !== 'null')
        .map(text => ({ json: texts.json(text), csv: texts.json(text), typed: text }))
    default:
      return kind satisfies never
  }
}

/** Many integers of few digits, and those around the border of what a double holds. */
const near = (value: bigint): fc.Arbitrary<bigint> =>
  fc.constantFrom(value, value % 1_000n, 2n ** 53n + (value % 3n), -(2n ** 53n) + (value % 3n))

const string = (): fc.Arbitrary<string> =>
  fc.oneof(
    anyText(),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '\n', '\r', '\u0000', 'é', '😀', '=', ' ') }),
    fc.string({ unit: 'grapheme', minLength: 60, maxLength: 200 }),
  )

const orNull = (cells: fc.Arbitrary<Cell>): fc.Arbitrary<Cell> =>
  fc.oneof({ weight: 4, arbitrary: cells }, { weight: 1, arbitrary: fc.constant(NULL) })

/** Values of a type, without NULL. */
function cellOf(type: Type, timestamps: Timestamps): fc.Arbitrary<Cell> {
  switch (type.kind) {
    case 'ARRAY':
      return fc.array(cellOf(type.element, timestamps), { maxLength: 4 }).map(items => {
        const json = `[${items.map(item => item.json).join()}]`
        return { json, csv: json, typed: items.map(item => item.typed) }
      })
    case 'STRUCT':
      return fc.tuple(...type.fields.map(field => fieldCell(field.type, timestamps))).map(cells => {
        const json = `{${cells.map((cell, i) => `${JSON.stringify(type.fields[i]!.name)}:${cell.json}`).join()}}`
        return { json, csv: json, typed: cells.map(cell => cell.typed) }
      })
    default:
      return scalar(type.kind, timestamps)
  }
}

/** A NULL array is an empty one already. */
const fieldCell = (type: Type, timestamps: Timestamps): fc.Arbitrary<Cell> =>
  type.kind === 'ARRAY' ? cellOf(type, timestamps) : orNull(cellOf(type, timestamps))

const scalarType: fc.Arbitrary<Type> = fc.constantFrom(...SCALAR_TYPES).map(kind => ({ kind }))

const { type: anyType } = fc.letrec<{ type: Type; struct: Type; array: Type }>(tie => ({
  type: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalarType, tie('struct'), tie('array')),
  struct: fc
    .array(fc.record({ name: fc.constantFrom('', 'a', 'b', 'a', 'a b', 'größe'), type: tie('type') }), {
      minLength: 1,
      maxLength: 4,
    })
    .map(fields => ({ kind: 'STRUCT' as const, fields })),
  array: fc.oneof(scalarType, tie('struct')).map(element => ({ kind: 'ARRAY' as const, element })),
}))

/** Results of any columns. */
export const anySample: fc.Arbitrary<Sample> = fc
  .record({
    types: fc.array(anyType, { minLength: 1, maxLength: 5 }),
    timestamps: fc.constantFrom('iso8601' as const, 'unix_micros' as const),
  })
  .chain(({ types, timestamps }) =>
    fc.record({
      columns: fc.constant(types.map((type, i) => ({ name: `c${i} "é,`, type: typeName(type) }))),
      rows: fc.array(fc.tuple(...types.map(type => fieldCell(type, timestamps))), { maxLength: 12 }),
      timestamps: fc.constant(timestamps),
    }),
  )
