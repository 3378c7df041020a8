/**
 * Arguments for which a random value of their type would rarely be valid: formats, paths, patterns, time zones, date parts.
 */
import {
  ADDED_PARTS,
  DIFFERENCE_PARTS,
  EXTRACTED_PARTS,
  LAST_DAY_PARTS,
  type PartsByType,
  partText,
  TRUNCATED_PARTS,
} from '../../googlesql/functions/definitions/date-parts.js'
import { INT64, JSON_TYPE, type ScalarKind, STRING, type Type } from '../../googlesql/types/types.js'
import { literal, small, text } from './literals.js'
import type { Random } from './random.js'
import { JSON_TEXTS, randomValue, ZONES } from './random-values.js'
import { type Node, sql } from './tree.js'

/** The parts of the generator that a maker of arguments may use. */
export interface Maker {
  readonly random: Random
  /** A value of the type: a literal, a column or an expression. */
  readonly value: (type: Type) => Node
}

/** Arguments by position; null where the generator chooses a random value. */
export type Arguments = readonly (Node | null)[]
type Make = (maker: Maker, types: readonly Type[]) => Arguments

const PARTS_OF: readonly (readonly [RegExp, PartsByType])[] = [
  [/(_ADD|_SUB|^GENERATE_\w+_ARRAY)$/, ADDED_PARTS],
  [/_DIFF$/, DIFFERENCE_PARTS],
  [/_TRUNC$/, TRUNCATED_PARTS],
  [/^LAST_DAY$/, LAST_DAY_PARTS],
  [/^\$extract$/, EXTRACTED_PARTS],
]
const INTERVAL_PARTS = [
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'HOUR',
  'MINUTE',
  'SECOND',
  'MILLISECOND',
  'MICROSECOND',
]

/** A date part that the function accepts for a value of this type; rarely one that it does not. */
export function partOf(random: Random, name: string, kind: string): string {
  const table = PARTS_OF.find(([pattern]) => pattern.test(name))?.[1]
  // An interval that is written as text has no parts below the second.
  const parts = table?.[kind as ScalarKind] ?? (kind === 'STRING' ? INTERVAL_PARTS.slice(0, 8) : INTERVAL_PARTS)
  return random.chance(0.02) ? random.pick(['DAYOFWEEK', 'NANOSECOND', 'WEEK', 'HOUR']) : partText(random.pick(parts))
}

/** Functions whose interval is written `INTERVAL n PART`. */
export const takesWrittenInterval = (name: string): boolean => /(_ADD|_SUB|^GENERATE_\w+_ARRAY|_BUCKET)$/.test(name)

/** `INTERVAL n PART` for a date or time function. */
export function writtenInterval(maker: Maker, name: string, kind: string): Node {
  const { random } = maker
  if (name.endsWith('_BUCKET')) {
    const parts =
      kind === 'DATE' ? ['DAY', 'MONTH', 'WEEK', 'YEAR'] : ['DAY', 'HOUR', 'MINUTE', 'MONTH', 'SECOND', 'YEAR']
    return sql`INTERVAL ${literal(INT64, String(random.between(1, 40)))} ${random.pick(parts)}`
  }
  const isSeries = name.startsWith('GENERATE_')
  const count = isSeries ? small(random, 1, 60) : random.chance(0.6) ? small(random, -40, 40) : maker.value(INT64)
  const part = isSeries ? random.pick(['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']) : partOf(random, name, kind)
  return sql`INTERVAL ${count} ${isSeries && kind === 'TIMESTAMP' ? 'DAY' : part}`
}

const pickText = (random: Random, texts: readonly string[]): Node =>
  text(random.chance(0.03) ? null : random.pick(texts))
const zone = (random: Random): Node =>
  text(random.chance(0.03) ? random.pick(['', 'Nowhere', 'utc', '+25:00', null]) : random.pick(ZONES))
const mostly = (maker: Maker, make: () => Node): Node | null => (maker.random.chance(0.9) ? make() : null)

const PATTERNS = [
  'a',
  'b*',
  'a+',
  '[a-c]',
  '(a)',
  '(a)(b)?',
  '^a',
  'a$',
  '.',
  '.*',
  '\\d+',
  '\\w',
  '\\s',
  '(?i)A',
  'a|b',
  '(a|b)c',
  '[^a]',
  'x{2}',
  '(?:ab)+',
  '',
  '\\.',
  '\\b',
  '^$',
  '[[:alpha:]]+',
  '(\\w+)@(\\w+)',
  '\\pL',
  '(?s).',
  'o',
  '^(\\w)',
  '(',
  'é',
  'l+',
  '$',
  'x*$',
  '\\pL?',
  '\\pN*',
  '\\p{Lu}+',
  '(?:x)(y)?',
  '[a-z]*',
  '\\C',
]
const LIKES = [
  '%',
  '_',
  'a%',
  '%a',
  '%a%',
  '_b%',
  '',
  'abc',
  '%\\%%',
  'a_c',
  '%é%',
  '%_',
  '\\',
  'A%',
  '% %',
  '__',
  '%o%o%',
]
const JSON_PATHS = [
  '$',
  '$.a',
  '$.a.b',
  '$.b',
  '$[0]',
  '$[1]',
  '$.a[0]',
  '$.a[1]',
  '$."a b"',
  '$.c',
  '$.a.b.c[1].d',
  '$[0].a',
  '$.x',
  '$."c.d"',
  '$[2]',
  '$.a.b.c',
]
const ODD_PATHS = ["$.'a b'", "$['a']", 'a', '', '$.', '$[', '$[-1]', '$.*', '$..a', ' $']
const DATE_ELEMENTS = [
  '%Y',
  '%m',
  '%d',
  '%F',
  '%D',
  '%b',
  '%B',
  '%a',
  '%A',
  '%j',
  '%y',
  '%e',
  '%Q',
  '%U',
  '%W',
  '%V',
  '%G',
  '%g',
  '%u',
  '%w',
  '%C',
  '%h',
  '%x',
  '%E4Y',
  '%J',
]
const TIME_ELEMENTS = [
  '%H',
  '%M',
  '%S',
  '%T',
  '%R',
  '%I',
  '%p',
  '%P',
  '%l',
  '%k',
  '%X',
  '%E3S',
  '%E*S',
  '%E6S',
  '%E0S',
  '%r',
]
const ZONE_ELEMENTS = ['%Z', '%z', '%Ez', '%s']
const SEPARATORS = ['-', '/', ' ', ':', '', ' at ', '%%', '%n', '%t', 'T']

function formatText(random: Random, kind: string): string {
  const elements = [
    ...(kind === 'TIME' ? [] : DATE_ELEMENTS),
    ...(kind === 'DATE' ? [] : TIME_ELEMENTS),
    ...(kind === 'TIMESTAMP' ? ZONE_ELEMENTS : []),
    ...(kind === 'DATETIME' || kind === 'TIMESTAMP' ? ['%c', '%F %T', '%Y-%m-%dT%H:%M:%E*S'] : []),
    ...(random.chance(0.05) ? ['%', '%E', '%q', '%N', '%O', '%E10S', '%Ey', '%Od', '%s', '%H', '%d'] : []),
  ]
  return random.several(1, 4, () => random.pick(elements) + random.pick(SEPARATORS)).join('')
}

const formatted: Make = ({ random }, types) => {
  const kind = types[1]!.kind
  return [text(random.chance(0.02) ? null : formatText(random, kind)), null, types.length > 2 ? zone(random) : null]
}

/** Formats, each with texts, some of which match the format. */
const PARSED_DATES: readonly (readonly [string, readonly string[]])[] = [
  [
    '%Y-%m-%d',
    [
      '2024-02-29',
      '2023-02-29',
      '1-1-1',
      '2024-1-05',
      ' 2024-01-01',
      '9999-12-31',
      '10000-01-01',
      '1800-01-01',
      '02024-01-01',
      '',
    ],
  ],
  ['%F', ['2024-02-29', '0001-01-01', '2024-13-01', '24-01-01']],
  ['%m/%d/%y', ['02/29/24', '1/1/69', '1/1/68', '12/31/99', '13/1/20']],
  ['%d %b %Y', ['29 Feb 2024', '1 jan 2020', '31 Apr 2024', '1 january 2020']],
  ['%A, %B %e, %Y', ['Thursday, February 29, 2024', 'mon, may 1, 2023', 'Monday, June  5, 2023']],
  ['%Y%m%d', ['20240229', '2024229', '20241301', '202402290']],
  ['%Y %j', ['2024 60', '2023 366', '2024 001', '2024 0']],
  ['%y', ['69', '68', '00', '5', 'x']],
  ['%b %Y', ['Feb 2024', 'FEB 2024', 'Febr 2024']],
  ['%C%y', ['2024', '1999']],
  ['%x', ['02/29/24', '2/9/24']],
  ['%D', ['02/29/24', '02/30/24']],
  ['%Y-%m', ['2024-02', '2024-2', '2024-00']],
  ['%Y', ['2024', '0', '1', '99999', '-1', '+2024']],
  ['%%%Y%%', ['%2024%', '2024']],
  ['%n%Y%t', [' 2024 ', '2024']],
]
const PARSED_TIMES: readonly (readonly [string, readonly string[]])[] = [
  ['%H:%M:%S', ['12:34:56', '24:00:00', '1:2:3', '23:59:60', '12:34']],
  ['%T', ['12:34:56', '00:00:00', '12:34:56.5']],
  ['%R', ['12:34', '25:00']],
  ['%I:%M %p', ['12:34 PM', '12:00 am', '1:05 pm', '13:00 PM', '0:30 AM']],
  ['%I', ['12', '1']],
  ['%H', ['7', '07', '24']],
  ['%E*S', ['12.345678', '59', '60', '1.']],
  ['%H:%M:%E3S', ['12:34:56.789', '12:34:56', '12:34:56.78912']],
  ['%l %p', [' 1 AM', '12 pm']],
  ['%X', ['12:34:56']],
  ['%r', ['12:34:56 AM', '01:02:03 PM']],
  ['%M', ['59', '60']],
]
const PARSED_ZONES: readonly (readonly [string, readonly string[]])[] = [
  ['%z', ['+0530', '-08:00', '+00', '-0830', 'Z']],
  ['%Ez', ['+05:30', '-08:00', 'Z']],
  ['%Z', ['UTC', 'America/New_York', 'Europe/London', 'EST', 'PST']],
]
const PARSED_WHOLE: readonly (readonly [string, readonly string[]])[] = [
  ['%c', ['Thu Feb 29 12:34:56 2024', 'thu feb  9 1:02:03 2023']],
  ['%Y-%m-%dT%H:%M:%E*S', ['2024-02-29T12:34:56.789', '2024-02-29T12:34:56', '0001-01-01T00:00:00']],
  ['%F %T', ['2024-02-29 12:34:56', '1969-12-31 23:59:59', '1800-01-01 00:00:00']],
]
const PARSED_EPOCH: readonly (readonly [string, readonly string[]])[] = [
  ['%s', ['1700000000', '-1', '0', '99999999999999']],
]

const parsed =
  (kind: 'DATE' | 'TIME' | 'DATETIME' | 'TIMESTAMP'): Make =>
  ({ random }, types) => {
    const from = (formats: readonly (readonly [string, readonly string[]])[]): [string, string] => {
      const [format, texts] = random.pick(formats)
      return [format, random.pick(texts)]
    }
    const pieces: [string, string][] = []
    const date = kind !== 'TIME'
    const time = kind !== 'DATE'
    if (date && time && random.chance(0.3)) pieces.push(from(PARSED_WHOLE))
    else if (kind === 'TIMESTAMP' && random.chance(0.1)) pieces.push(from(PARSED_EPOCH))
    else {
      if (date && random.chance(0.9)) pieces.push(from(PARSED_DATES))
      if (time && random.chance(0.8)) pieces.push(from(PARSED_TIMES))
    }
    if (kind === 'TIMESTAMP' && random.chance(0.4)) pieces.push(from(PARSED_ZONES))
    if (random.chance(0.1)) random.chance(0.5) ? pieces.reverse() : pieces.push(from(PARSED_DATES))
    const gap = random.pick([' ', ' ', ' ', '', '/', 'T'])
    const join = (at: 0 | 1): Node => text(pieces.map(piece => piece[at]).join(gap))
    return [join(0), join(1), types.length > 2 ? zone(random) : null]
  }

const FORMAT_SPECS: readonly (readonly [readonly ScalarKind[], readonly string[]])[] = [
  [['INT64'], ['%d', '%i', '%5d', '%-5d', '%05d', '%+d', '% d', '%x', '%X', '%o', "%'d", '%#x', '%.3d', '%d%%']],
  [
    ['FLOAT64', 'NUMERIC', 'BIGNUMERIC'],
    [
      '%f',
      '%.2f',
      '%e',
      '%g',
      '%10.3f',
      '%-10.1f|',
      '%+f',
      '%E',
      '%G',
      "%'f",
      '%.0f',
      '%.10g',
      '%F',
      '%08.2f',
      '%#.0f',
    ],
  ],
  [['STRING'], ['%s', '%10s', '%-10s|', '%.2s', '%t', '%T', '%5.1s']],
  [['JSON'], ['%p', '%P', '%t', '%T']],
  [[], ['%t', '%T', '%t', '%T', '%20t', '%-20T|']],
]

const format: Make = maker => {
  const { random } = maker
  const args: Node[] = []
  const pieces = random.several(1, 3, () => {
    const [kinds, specs] = random.pick(FORMAT_SPECS)
    const kind =
      kinds.length > 0
        ? random.pick(kinds)
        : random.pick<ScalarKind>([
            'INT64',
            'STRING',
            'FLOAT64',
            'BYTES',
            'DATE',
            'TIMESTAMP',
            'BOOL',
            'NUMERIC',
            'JSON',
            'INTERVAL',
            'TIME',
            'DATETIME',
          ])
    const type: Type = kinds.length === 0 && random.chance(0.2) ? { kind: 'ARRAY', element: { kind } } : { kind }
    args.push(maker.value(type))
    return random.pick(specs)
  })
  return [text(pieces.join(random.pick([' ', '', ',', 'a']))), ...args]
}

const json = ({ random }: Maker, type: Type): Node =>
  literal(type, random.chance(0.05) ? null : random.pick(JSON_TEXTS))
const path = (random: Random): Node => text(random.pick(random.chance(0.97) ? JSON_PATHS : ODD_PATHS))
const legacyPath = (random: Random): Node =>
  text(random.pick([...JSON_PATHS.filter(one => !one.includes('"')), "$['a']", "$['a b']"]))

const jsonAndPath: Make = (maker, types) => [mostly(maker, () => json(maker, types[0]!)), path(maker.random)]
const jsonAndLegacyPath: Make = (maker, types) => [
  mostly(maker, () => json(maker, types[0]!)),
  legacyPath(maker.random),
]
const jsonAlone: Make = (maker, types) => [maker.random.chance(0.8) ? json(maker, types[0]!) : null]
/** The pairs of `JSON_SET(document, path, value, …)`; a value may have any type. */
const jsonPairs: Make = (maker, types) => {
  const { random } = maker
  const pairs = random.several(1, 2, () => [
    path(random),
    maker.value(
      random.pick<Type>([
        INT64,
        STRING,
        { kind: 'BOOL' },
        JSON_TYPE,
        { kind: 'FLOAT64' },
        { kind: 'ARRAY', element: INT64 },
      ]),
    ),
  ])
  return [json(maker, types[0]!), ...pairs.flat()]
}

const zoneAt =
  (at: number): Make =>
  ({ random }, types) =>
    types.map((type, i) => (i === at && type.kind === 'STRING' ? zone(random) : null))

const pattern =
  (...rest: ((maker: Maker) => Node | null)[]): Make =>
  (maker, types) => [
    null,
    maker.random.chance(0.97) && types[1]!.kind === 'STRING'
      ? pickText(maker.random, PATTERNS)
      : bytesOf(maker.random, PATTERNS, types[1]!),
    ...rest.map(make => make(maker)),
  ]

const bytesOf = (random: Random, texts: readonly string[], type: Type): Node =>
  type.kind === 'BYTES' ? literal(type, Buffer.from(random.pick(texts)).toString('base64')) : text(null)

const smallAt =
  (low: number, high: number, ...places: number[]): Make =>
  (maker, types) =>
    types.map((type, i) =>
      places.includes(i) && type.kind === 'INT64' && maker.random.chance(0.92) ? small(maker.random, low, high) : null,
    )

const likes: Make = ({ random }, types) =>
  types.map((type, i) =>
    i === 0
      ? null
      : type.kind === 'STRING'
        ? pickText(random, LIKES)
        : type.kind === 'BYTES'
          ? bytesOf(random, LIKES.slice(0, 7), type)
          : null,
  )

const HOSTS = [
  'http://www.example.co.uk/a',
  'https://a.b.c.google.com:80/x?y',
  'example.com',
  '//host/path',
  'mailto:a@b.de',
  'http://[::1]/',
  '',
  'http://例え.jp',
  'localhost',
  'HTTP://FOO.Com',
  'a.b',
  'co.uk',
  'http://1.2.3.4',
]
const ADDRESSES = [
  '1.2.3.4',
  '::1',
  '255.255.255.255',
  '2001:db8::1',
  '0.0.0.0',
  '1.2.3',
  '::ffff:1.2.3.4',
  'x',
  'fe80::1',
]
const NETS = ['1.2.0.0/16', '0.0.0.0/0', '::/0', '2001:db8::/32', '1.2.3.4', '1.2.3.4/33']
const PACKED = ['AQIDBA==', '/////w==', 'AAAAAAAAAAAAAAAAAAAAAQ==', 'AAAAAA==', 'AQI=']
const ROUNDING = ['ROUND_HALF_EVEN', 'ROUND_HALF_AWAY_FROM_ZERO', 'x']
const NUMBER_TEXTS = [
  '1',
  '-1.5',
  '0.1',
  '1e3',
  ' 12 ',
  '+5',
  '.5',
  '5.',
  '1,000',
  '- 3',
  '',
  'x',
  '0x1F',
  '1e-9',
  '99999999999999999999999999999.999999999',
  '1e29',
]

const texts =
  (...from: (readonly string[])[]): Make =>
  maker =>
    from.map(choices => mostly(maker, () => pickText(maker.random, choices)))

const series =
  (low: number, high: number): Make =>
  ({ random }, types) =>
    types.map((type, i) => {
      const number = i === 2 ? random.between(1, 5) * random.pick([1, 1, -1]) : random.between(low, high)
      return type.kind === 'INT64' || i < 2
        ? literal(type, String(number))
        : literal(type, random.pick(['1', '0.5', '-0.5', '2']))
    })

const dates: Make = ({ random }, types) => {
  const day = (shift: number): string =>
    new Date(Date.UTC(2024, random.between(0, 5), random.between(1, 28) + shift)).toISOString().slice(0, 10)
  const from = day(0)
  const value = (date: string): string => (types[0]!.kind === 'DATE' ? date : `${date}T00:00:00Z`)
  return [literal(types[0]!, value(from)), literal(types[1]!, value(day(random.pick([-20, 5, 40]))))]
}

const numbersAt =
  (low: number, high: number): Make =>
  (maker, types) =>
    types.map(type => (type.kind === 'INT64' && maker.random.chance(0.85) ? small(maker.random, low, high) : null))

const civil: Make = (maker, types) => {
  if (types.length < 3 || types[0]!.kind !== 'INT64') return zoneAt(1)(maker, types)
  const ranges: readonly (readonly [number, number])[] =
    types.length === 3
      ? [
          [1, 9999],
          [1, 12],
          [1, 28],
        ]
      : [
          [1, 9999],
          [1, 12],
          [1, 28],
          [0, 23],
          [0, 59],
          [0, 59],
        ]
  return ranges.map(([low, high]) => small(maker.random, low, maker.random.chance(0.03) ? high * 2 : high))
}

const vectors: Make = ({ random }, types) => {
  const length = random.between(1, 3)
  return types.map(type =>
    literal(
      type,
      Array.from({ length }, () => random.pick([1, 2, 0.5, -1, 3])),
    ),
  )
}

/** Makers of arguments by the function's name in the catalogue. Functions that are not listed take random values. */
export const ARGUMENTS: Readonly<Record<string, Make>> = {
  FORMAT: format,
  FORMAT_DATE: formatted,
  FORMAT_DATETIME: formatted,
  FORMAT_TIME: formatted,
  FORMAT_TIMESTAMP: formatted,
  PARSE_DATE: parsed('DATE'),
  PARSE_TIME: parsed('TIME'),
  PARSE_DATETIME: parsed('DATETIME'),
  PARSE_TIMESTAMP: parsed('TIMESTAMP'),
  PARSE_NUMERIC: texts(NUMBER_TEXTS),
  PARSE_BIGNUMERIC: texts(NUMBER_TEXTS),
  JSON_VALUE: jsonAndPath,
  JSON_QUERY: jsonAndPath,
  JSON_VALUE_ARRAY: jsonAndPath,
  JSON_QUERY_ARRAY: jsonAndPath,
  JSON_EXTRACT: jsonAndLegacyPath,
  JSON_EXTRACT_SCALAR: jsonAndLegacyPath,
  JSON_EXTRACT_ARRAY: jsonAndLegacyPath,
  JSON_EXTRACT_STRING_ARRAY: jsonAndLegacyPath,
  JSON_REMOVE: jsonAndPath,
  JSON_STRIP_NULLS: jsonAndPath,
  JSON_TYPE: jsonAlone,
  JSON_KEYS: (maker, types) => [
    json(maker, types[0]!),
    small(maker.random, 1, 3),
    pickText(maker.random, ['strict', 'lax', 'lax recursive']),
  ],
  PARSE_JSON: maker => [
    text(
      maker.random.pick([
        ...JSON_TEXTS,
        '{',
        'nul',
        '',
        ' 1 ',
        '{"a":1,"a":2}',
        '1.0e400',
        '[1,]',
        '01',
        '123456789012345678901234567890',
      ]),
    ),
    pickText(maker.random, ['exact', 'round']),
  ],
  JSON_SET: jsonPairs,
  JSON_ARRAY_APPEND: jsonPairs,
  JSON_ARRAY_INSERT: jsonPairs,
  JSON_FLATTEN: jsonAlone,
  JSON_OBJECT: maker =>
    maker.random
      .several(0, 2, i => [
        pickText(maker.random, ['a', 'b', 'c d', `k${i}`]),
        maker.value(
          maker.random.pick<Type>([INT64, STRING, { kind: 'BOOL' }, { kind: 'FLOAT64' }, { kind: 'DATE' }, JSON_TYPE]),
        ),
      ])
      .flat(),
  BOOL: jsonAlone,
  INT64: jsonAlone,
  FLOAT64: (maker, types) => [json(maker, types[0]!), pickText(maker.random, ['exact', 'round'])],
  STRING: (maker, types) => (types[0]!.kind === 'JSON' ? jsonAlone(maker, types) : zoneAt(1)(maker, types)),
  $interval: ({ random }, types) => [
    types[0]!.kind === 'STRING' ? pickText(random, ['5', '-3', '0', '12', '1.5', 'x', '']) : null,
  ],
  $json_field: () => [],
  $subscript_json: (maker, types) => [
    json(maker, types[0]!),
    types[1]!.kind === 'STRING' ? pickText(maker.random, ['a', 'b', 'c.d', 'x']) : small(maker.random, -1, 3),
  ],
  REGEXP_CONTAINS: pattern(),
  REGEXP_EXTRACT: pattern(
    ({ random }) => small(random, 1, 4),
    ({ random }) => small(random, 1, 3),
  ),
  REGEXP_EXTRACT_ALL: pattern(),
  REGEXP_INSTR: pattern(
    ({ random }) => small(random, 1, 4),
    ({ random }) => small(random, 1, 3),
    ({ random }) => small(random, 0, 1),
  ),
  REGEXP_REPLACE: (maker, types) => [
    ...pattern()(maker, types),
    types[2]!.kind === 'STRING'
      ? pickText(maker.random, ['', 'x', '\\1', '\\0', '[\\1\\2]', '\\\\', '$1', '\\0\\0'])
      : null,
  ],
  $like: likes,
  $like_any: likes,
  $like_all: likes,
  TIMESTAMP: (maker, types) => {
    const { random } = maker
    const moment =
      types[0]!.kind === 'STRING' && random.chance(0.9)
        ? text(
            String(
              random.pick([
                '2024-02-29 12:34:56',
                '2024-02-29',
                '2024-02-29T12:34:56Z',
                '2024-02-29 12:34:56+05:30',
                '2024-03-10 02:30:00 America/New_York',
                '0001-01-01 00:00:00',
                '9999-12-31 23:59:59.999999',
                '2024-1-2 3:4:5.6',
                '2024-02-30',
                'x',
                ' 2024-01-01',
                '2024-01-01 24:00:00',
              ]),
            ),
          )
        : null
    return [moment, types.length > 1 ? zone(random) : null]
  },
  DATE: civil,
  DATETIME: civil,
  TIME: (maker, types) =>
    types.length === 3
      ? [small(maker.random, 0, 23), small(maker.random, 0, 59), small(maker.random, 0, 59)]
      : zoneAt(1)(maker, types),
  TIMESTAMP_TRUNC: zoneAt(2),
  DATE_TRUNC: zoneAt(2),
  DATETIME_TRUNC: zoneAt(2),
  CURRENT_DATE: zoneAt(0),
  CURRENT_DATETIME: zoneAt(0),
  CURRENT_TIME: zoneAt(0),
  $extract: zoneAt(2),
  DATE_FROM_UNIX_DATE: smallAt(-800_000, 2_900_000, 0),
  TIMESTAMP_SECONDS: smallAt(-62_000_000_000, 253_000_000_000, 0),
  TIMESTAMP_MILLIS: smallAt(-62_000_000_000_000, 253_000_000_000_000, 0),
  TIMESTAMP_MICROS: smallAt(-9_000_000_000_000_000, 9_000_000_000_000_000, 0),
  TIMESTAMP_FROM_UNIX_SECONDS: smallAt(-62_000_000_000, 253_000_000_000, 0),
  TIMESTAMP_FROM_UNIX_MILLIS: smallAt(-62_000_000_000_000, 253_000_000_000_000, 0),
  TIMESTAMP_FROM_UNIX_MICROS: smallAt(-9_000_000_000_000_000, 9_000_000_000_000_000, 0),
  ADD_MONTHS: smallAt(-30, 30, 1),
  NEXT_DAY: texts([], ['mon', 'Tuesday', 'SU', 'fri', 'x']),
  GENERATE_ARRAY: series(-5, 10),
  GENERATE_DATE_ARRAY: dates,
  GENERATE_TIMESTAMP_ARRAY: dates,
  MAKE_INTERVAL: numbersAt(-20, 20),
  ARRAY_SLICE: smallAt(-4, 4, 1, 2),
  RANGE_BUCKET: ({ random }, types) => {
    const element = types[0]!
    const values = random.several(0, 4, () => randomValue(random, element, { wide: 0.1, null: 0.02 }))
    const sorted = values.every(value => Number.isFinite(Number(value)))
      ? values.sort((a, b) => Number(a) - Number(b))
      : values.sort()
    return [null, literal(types[1]!, sorted)]
  },
  COSINE_DISTANCE: vectors,
  EUCLIDEAN_DISTANCE: vectors,
  $array_at_offset: smallAt(0, 3, 1),
  $array_at_ordinal: smallAt(0, 3, 1),
  $safe_array_at_offset: smallAt(-1, 3, 1),
  $safe_array_at_ordinal: smallAt(0, 3, 1),
  $shift_left: ({ random }) => [null, shift(random)],
  $shift_right: ({ random }) => [null, shift(random)],
  ROUND: (maker, types) => [
    null,
    small(maker.random, -12, 12),
    types.length > 2 ? pickText(maker.random, ROUNDING) : null,
  ],
  TRUNC: smallAt(-12, 12, 1),
  POW: (maker, types) => {
    // The reference needs minutes for POW of decimals with a fractional exponent.
    const exponent = types[1]!.kind === 'FLOAT64' ? null : literal(types[1]!, String(maker.random.between(0, 4)))
    return [
      types[0]!.kind === 'FLOAT64'
        ? null
        : literal(types[0]!, maker.random.pick(['0', '1', '-1', '2', '1.5', '-0.5', '10'])),
      exponent,
    ]
  },
  SUBSTR: smallAt(-5, 6, 1, 2),
  LEFT: smallAt(-1, 6, 1),
  RIGHT: smallAt(-1, 6, 1),
  REPEAT: smallAt(-1, 4, 1),
  LPAD: smallAt(-1, 10, 1),
  RPAD: smallAt(-1, 10, 1),
  INSTR: smallAt(-4, 4, 2, 3),
  CHR: smallAt(-1, 0x1_1000, 0),
  CODE_POINTS_TO_STRING: ({ random }, types) => [
    literal(
      types[0]!,
      random.several(0, 3, () => String(random.pick([97, 65, 233, 0x1f600, 0xd800, 0, 0x10ffff, 0x110000]))),
    ),
  ],
  CODE_POINTS_TO_BYTES: ({ random }, types) => [
    literal(
      types[0]!,
      random.several(0, 3, () => String(random.pick([97, 0, 255, 128, 256, -1]))),
    ),
  ],
  FROM_HEX: texts(['', '0', '00', 'ff', 'FF0a', 'xyz', 'abc', '4e']),
  FROM_BASE64: texts(['', 'YQ==', 'YWI', '/+8=', 'x', 'YQ', '!', 'YW Jj']),
  FROM_BASE32: texts(['', 'ME======', 'MFRGG===', 'x', 'ME']),
  SPLIT: (maker, types) =>
    types[0]!.kind === 'STRING' ? [null, pickText(maker.random, [',', '', 'a', ' ', 'ab', ',,'])] : [null, null],
  TRANSLATE: (maker, types) =>
    types[0]!.kind === 'STRING'
      ? [null, pickText(maker.random, ['ab', 'abc', '', 'é', 'l ']), pickText(maker.random, ['xy', 'x', '', 'é'])]
      : [],
  CONTAINS_SUBSTR: maker => [null, pickText(maker.random, ['a', 'A', 'é', '1', 'true', 'b', '', '2024'])],
  SEARCH: maker => [
    null,
    pickText(maker.random, ['a', 'a b', 'A OR (b AND c)', '"a b"', '`a`', '1', 'true', '"a-b"']),
    pickText(maker.random, ['JSON_VALUES', 'JSON_KEYS', 'JSON_KEYS_AND_VALUES']),
    pickText(maker.random, ['LOG_ANALYZER']),
    pickText(maker.random, ['{"delimiters": [" ", "b"]}', '{"token_filters": [{"stop_words": ["x"]}]}']),
  ],
  EDIT_DISTANCE: smallAt(0, 5, 2),
  'NET.HOST': texts(HOSTS),
  'NET.PUBLIC_SUFFIX': texts(HOSTS),
  'NET.REG_DOMAIN': texts(HOSTS),
  'NET.IP_FROM_STRING': texts(ADDRESSES),
  'NET.SAFE_IP_FROM_STRING': texts(ADDRESSES),
  'NET.IP_IN_NET': texts([...ADDRESSES, ...NETS], NETS),
  'NET.MAKE_NET': maker => [pickText(maker.random, [...ADDRESSES, ...NETS]), small(maker.random, -1, 130)],
  'NET.IP_NET_MASK': maker => [literal(INT64, maker.random.pick(['4', '16', '5'])), small(maker.random, 0, 128)],
  'NET.IP_TO_STRING': ({ random }, types) => [literal(types[0]!, random.pick(PACKED))],
  'NET.IP_TRUNC': ({ random }, types) => [literal(types[0]!, random.pick(PACKED)), small(random, 0, 130)],
  'NET.IPV4_TO_INT64': ({ random }, types) => [literal(types[0]!, random.pick(PACKED))],
  'NET.IPV4_FROM_INT64': smallAt(-2_147_483_649, 4_294_967_296, 0),
  // Arguments of aggregate and window functions that must be constants.
  STRING_AGG: (_, types) => [
    null,
    types.length > 1 ? literal(types[1]!, types[1]!.kind === 'BYTES' ? 'LA==' : '-') : null,
  ],
  APPROX_QUANTILES: maker => [null, literal(INT64, String(maker.random.between(1, 5)))],
  APPROX_TOP_COUNT: maker => [null, literal(INT64, String(maker.random.between(1, 5)))],
  APPROX_TOP_SUM: maker => [null, null, literal(INT64, String(maker.random.between(1, 5)))],
  NTILE: maker => [literal(INT64, String(maker.random.between(1, 5)))],
  NTH_VALUE: maker => [null, literal(INT64, String(maker.random.between(1, 4)))],
  LAG: (maker, types) => shifted(maker, types),
  LEAD: (maker, types) => shifted(maker, types),
  PERCENTILE_CONT: (maker, types) => [null, share(maker.random, types[1]!)],
  PERCENTILE_DISC: (maker, types) => [null, share(maker.random, types[1]!)],
}

const shift = (random: Random): Node =>
  literal(INT64, random.pick(['0', '1', '3', '31', '63', '64', '65', '1000', '-1', null]))
const share = (random: Random, type: Type): Node =>
  literal(type, type.kind === 'FLOAT64' ? random.pick([0, 0.25, 0.5, 0.9, 1]) : random.pick(['0', '0.5', '1', '0.25']))

const shifted: Make = ({ random }, types) => [
  null,
  literal(INT64, String(random.between(0, 3))),
  literal(types[2] ?? INT64, randomValue(random, types[2] ?? INT64, { wide: 0.1, null: 0.1 })),
]
for (const suffix of ['BOOL', 'INT64', 'FLOAT64', 'STRING'] as const) {
  const table = ARGUMENTS as Record<string, Make>
  table[`LAX_${suffix}`] = jsonAlone
  table[`LAX_${suffix}_ARRAY`] = jsonAlone
  table[`${suffix}_ARRAY`] = jsonAlone
}

/** A format for a CAST between STRING and the type `kind`. */
export function castFormat(random: Random, kind: string): string {
  switch (kind) {
    case 'BYTES':
      return random.pick(['UTF-8', 'HEX', 'BASE64', 'BASE64M', 'BASE32', 'BASE8', 'BASE2', 'ASCII', 'BASE16', 'hex'])
    case 'INT64':
    case 'FLOAT64':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return random.pick([
        '999',
        '9,999',
        '999.99',
        '000',
        '$999',
        'S999',
        '999S',
        '999MI',
        '999PR',
        'FM999',
        '9.99EEEE',
        'XXXX',
        'TM',
        'TM9',
        'TME',
        '099D9',
        '9G999',
        'L99',
        'B99',
        '99V9',
        'C999',
        'RN',
        '0.9',
        'FM9.99',
        '9999999.9999',
      ])
    case 'TIME':
      return random
        .several(1, 3, () => random.pick(['HH24', 'HH12', 'HH', 'MI', 'SS', 'FF3', 'FF6', 'SSSSS', 'AM', 'P.M.']))
        .join(random.pick([':', ' ', '']))
    default: {
      const elements = [
        'YYYY',
        'YY',
        'Y',
        'RRRR',
        'RR',
        'MM',
        'MON',
        'MONTH',
        'Month',
        'DD',
        'DDD',
        'D',
        'DAY',
        'Dy',
        'YYY',
        ...(kind === 'DATE' ? [] : ['HH24', 'HH12', 'MI', 'SS', 'FF3', 'AM', 'SSSSS']),
        ...(kind === 'TIMESTAMP' ? ['TZH', 'TZM'] : []),
        '"at"',
      ]
      return random.several(1, 4, () => random.pick(elements)).join(random.pick(['-', ' ', '/', ':', '', '.']))
    }
  }
}
