/** Random types, and random values of every type, among them the limits of their ranges. */
import {
  arrayOf,
  elementOfRange,
  type RangeElementKind,
  SCALAR_TYPES,
  type ScalarKind,
  scalarType,
  structOf,
  type Type,
} from '../../googlesql/types/types.js'
import type { Value } from './literals.js'
import type { Random } from './random.js'

const INTS = ['0', '1', '2', '3', '-1', '-2', '5', '7', '10', '12', '42', '100', '-7']
const WIDE_INTS = [
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '2147483648',
  '-2147483649',
  '4294967296',
  '1000000000000',
  '255',
  '65536',
  '86400',
  '1700000000',
]
const FLOATS = [0, 1, -1, 0.5, 1.5, -2.5, 0.1, 0.25, 3, 10, 100, 2.675, -0.75, 12.345, 1e3]
const WIDE_FLOATS = [
  -0,
  'NaN',
  'Infinity',
  '-Infinity',
  1.7976931348623157e308,
  -1.7976931348623157e308,
  5e-324,
  2.2250738585072014e-308,
  1e15,
  1e16,
  123456789012345680,
  9007199254740992,
  1e-7,
  0.30000000000000004,
  9.223372036854776e18,
  1e300,
  -1e300,
]
const DECIMALS = ['0', '1', '-1', '0.5', '1.5', '2.5', '-2.5', '10', '3.14', '100', '0.1', '-0.75', '7', '12.345']
const WIDE_DECIMALS = [
  '99999999999999999999999999999.999999999',
  '-99999999999999999999999999999.999999999',
  '0.000000001',
  '-0.000000001',
  '12345678901234567890.123456789',
  '9223372036854775807',
  '0.333333333',
  '80.5',
  '1000000000000',
]
const STRINGS = ['', 'a', 'b', 'ab', 'abc', 'A', 'x', 'hello world', 'foo', 'Bar', 'a,b,c', '1', '12', ' a ', 'aba']
const WIDE_STRINGS = [
  'é',
  'ß',
  'Straße',
  'ÀÉÎ',
  '日本語',
  '😀',
  'e\u0301',
  'a\nb',
  "it's",
  'a"b',
  'a\\b',
  'ﬀ',
  'İ',
  'ǆ',
  '\u0000',
  '\u00a0x',
  'a\tb',
  '%_',
  '10%',
  'true',
  'nan',
  '-1.5',
  '2024-02-29',
  '2024-02-29 12:34:56+00',
  '12:34:56',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '{"a":1}',
  'https://www.example.co.uk/a?b=1',
  '0x1f',
  '1e3',
]
const BYTES = ['', 'YQ==', 'YWI=', 'YWJj', 'QQ==', '/w==', 'AAEC', '3q2+7w==', 'AA==', 'w6k=', '4pi6', 'MTI=', 'gA==']
const DATES = ['2024-01-01', '2024-02-29', '2023-12-31', '2024-03-10', '2020-06-15', '1999-12-31', '2026-11-22']
const WIDE_DATES = ['0001-01-01', '9999-12-31', '1970-01-01', '1969-12-31', '1900-02-28', '2000-02-29', '1582-10-15']
const TIMES = ['00:00:00', '12:34:56', '23:59:59.999999', '01:02:03.4', '12:00:00.000001', '06:30:00', '23:00:00']
const ZONES_OF_CHANGE = [
  '2024-03-10T09:59:59.999999',
  '2024-11-03T01:30:00',
  '2024-03-31T01:30:00',
  '2024-10-27T00:30:00',
]
export const JSON_TEXTS = [
  'null',
  '1',
  '-2',
  '1.5',
  '"a"',
  '"1"',
  '"true"',
  'true',
  'false',
  '[]',
  '{}',
  '{"a":1}',
  '{"a":{"b":2},"c":"x"}',
  '{"a":[1,2,3]}',
  '[1,"a",null,true]',
  '{"a":null}',
  '[{"a":1},{"a":2}]',
  '{"a":{"b":{"c":[1,{"d":"e"}]}}}',
  '["x","y"]',
  '[1.5,2]',
  '{"b":"é","a":"\\u00df"}',
  '{"a b":1,"c.d":2}',
  '12345678901234567890',
  '1e10',
  '0.1',
  '-0.0',
  '"2024-01-01"',
  '""',
  '[[1,2],[3]]',
  '[true,false]',
  '9007199254740993',
  '-0',
  '{"a":-0,"b":1.50}',
  '6.558665740854815e-90',
  '196884436765685664.0',
  '[0.30000000000000004,123456789.12345678]',
  '{"a":"\\ud83d\\ude00","b":[]}',
]
const INTERVALS = [
  '0-0 0 0:0:0',
  '0-0 1 0:0:0',
  '0-0 0 1:0:0',
  '0-1 0 0:0:0',
  '1-2 3 4:5:6',
  '-1-2 -3 -4:5:6.789',
  '0-0 0 0:0:0.000001',
  '0-0 -1 36:0:0',
  '0-0 30 0:0:0',
  '0-0 0 -0:30:0',
  '2-0 0 0:0:0',
  '0-0 7 0:0:0',
]
const WIDE_INTERVALS = ['10000-0 3660000 87840000:0:0', '-10000-0 -3660000 -87840000:0:0', '0-11 29 23:59:59.999999']

export const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'Asia/Kolkata',
  'America/Los_Angeles',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  '+00:00',
  '-08:00',
  '+5:30',
  '+14:00',
  'Etc/GMT+5',
]

/** The probability that a value comes from the limits of its type (`wide`), and the probability that it is NULL. */
export interface Taste {
  readonly wide: number
  readonly null: number
}
export const PLAIN: Taste = { wide: 0.15, null: 0.06 }

export function randomValue(random: Random, type: Type, taste: Taste = PLAIN): Value {
  if (random.chance(taste.null)) return null
  const among = (usual: readonly Value[], wide: readonly Value[]): Value =>
    random.pick(random.chance(taste.wide) ? wide : usual)
  switch (type.kind) {
    case 'INT64':
      return random.chance(0.15) ? String(random.between(-1000, 1000)) : among(INTS, WIDE_INTS)
    case 'FLOAT64':
      return random.chance(0.2) ? randomFloat(random) : among(FLOATS, WIDE_FLOATS)
    case 'NUMERIC':
      return random.chance(0.2) ? randomDecimal(random) : among(DECIMALS, WIDE_DECIMALS)
    case 'BIGNUMERIC':
      return random.chance(0.4) ? randomBignumeric(random) : among(DECIMALS, WIDE_BIGNUMERICS)
    case 'BOOL':
      return random.chance(0.5)
    case 'STRING':
      return random.chance(0.1) ? randomText(random) : among(STRINGS, WIDE_STRINGS)
    case 'BYTES':
      return random.pick(BYTES)
    case 'DATE':
      return random.chance(0.2) ? randomDate(random) : among(DATES, WIDE_DATES)
    case 'TIME':
      return random.pick(TIMES)
    case 'DATETIME':
      return random.chance(0.1)
        ? random.pick(ZONES_OF_CHANGE)
        : `${randomValue(random, { kind: 'DATE' }, { ...taste, null: 0 })}T${random.pick(TIMES)}`
    case 'TIMESTAMP':
      return `${randomValue(random, { kind: 'DATETIME' }, { ...taste, null: 0 })}Z`
    case 'INTERVAL':
      return among(INTERVALS, WIDE_INTERVALS)
    case 'JSON':
      return random.pick(JSON_TEXTS)
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return randomRange(random, elementOfRange(type.kind), taste)
    case 'ARRAY': {
      const few = { wide: taste.wide, null: taste.null * 1.5 }
      return random.several(0, 3, () => randomValue(random, type.element, few))
    }
    case 'STRUCT':
      return type.fields.map(field => randomValue(random, field.type, taste))
  }
}

const randomFloat = (random: Random): number => {
  const digits = random.between(1, 17)
  const mantissa = Number((random.next() * 2 - 1).toPrecision(digits))
  return random.chance(0.8) ? Number((mantissa * 1000).toPrecision(digits)) : mantissa * 10 ** random.between(-20, 20)
}

const randomDecimal = (random: Random): string => {
  const whole = random.between(-(10 ** random.between(1, 9)), 10 ** random.between(1, 9))
  const fraction = random.between(0, 9)
  const text = fraction === 0 ? '' : `.${String(random.between(0, 10 ** fraction - 1)).padStart(fraction, '0')}`
  return `${whole}${text.replace(/\.?0+$/, '')}`
}

/** A BIGNUMERIC of up to 38 digits on each side of its point. */
const randomBignumeric = (random: Random): string => {
  const digits = (least: number, most: number): string =>
    random.several(least, most, () => String(random.between(0, 9))).join('')
  const whole = digits(1, 38).replace(/^0+(?=.)/, '')
  const fraction = random.chance(0.3) ? '' : digits(1, 38).replace(/0+$/, '')
  const text = `${whole}${fraction === '' ? '' : `.${fraction}`}`
  return random.chance(0.4) && /[1-9]/.test(text) ? `-${text}` : text
}

const WIDE_BIGNUMERICS: readonly Value[] = [
  '578960446186580977117854925043439539266.34992332820282019728792003956564819967',
  '-578960446186580977117854925043439539266.34992332820282019728792003956564819968',
  '0.00000000000000000000000000000000000001',
  '-0.00000000000000000000000000000000000001',
  '99999999999999999999999999999.999999999',
  '100000000000000000000000000000000000000',
]

/** Two values of the bounds' type in their order; the smaller one, or both, may be missing. */
function randomRange(random: Random, element: RangeElementKind, taste: Taste): string {
  const bounds = [0, 1].map(() => String(randomValue(random, { kind: element }, { ...taste, null: 0 }))).sort()
  const [start, end] = bounds.map(bound => (random.chance(0.15) ? 'UNBOUNDED' : bound))
  return start === end && start !== 'UNBOUNDED' ? `[${start}, UNBOUNDED)` : `[${start}, ${end})`
}

const randomText = (random: Random): string => random.several(0, 8, () => random.pick([...'abcAB1 ,.-é😀'])).join('')

const randomDate = (random: Random): string =>
  new Date(Date.UTC(random.between(1850, 2100), random.between(0, 11), random.between(1, 31)))
    .toISOString()
    .slice(0, 10)

/** A random type; with the probability `nested` an ARRAY or a STRUCT of scalars. */
export function randomType(random: Random, nested = 0.12): Type {
  if (random.chance(nested)) {
    return random.chance(0.55)
      ? arrayOf(random.chance(0.15) ? randomStruct(random) : randomScalar(random))
      : randomStruct(random)
  }
  return randomScalar(random)
}

export const randomScalar = (random: Random): Type => scalarType(random.weighted(SCALAR_WEIGHTS))!

const COMMON: readonly ScalarKind[] = ['INT64', 'STRING', 'FLOAT64']
const SCALAR_WEIGHTS = SCALAR_TYPES.map(kind => [COMMON.includes(kind) ? 3 : 1, kind] as const)

function randomStruct(random: Random): Type {
  const names = ['a', 'b', 'c']
  return structOf(random.several(1, 3, i => ({ name: names[i]!, type: randomScalar(random) })))
}
