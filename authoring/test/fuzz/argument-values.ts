/** What a stranger may send for a parameter: values at each bound, just beyond it, and texts that mean something elsewhere. */
import type { ArgumentValue, Parameter, ScalarParameterType } from '../../../runner/model/param.js'
import { splitType } from '../../../runner/model/typed-value.js'

export type FuzzValue = string | readonly string[]

/** The values to try for a parameter, without duplicates, likely ones first. @param rows the rows of the lookup tables it picks */
export function argumentValues(parameter: Parameter, rows: readonly string[]): readonly FuzzValue[] {
  const { scalar, isArray } = splitType(parameter.type)
  const known = knownValues(parameter, rows)
  const texts = [...new Set([...known, ...EDGES[scalar], ...boundsOf(parameter, scalar), ...HOSTILE])]
  if (!isArray) return texts
  return [...listsOf(parameter, known.length > 0 ? known : EDGES[scalar]), ...texts.map(text => [text])]
}

/** A value that the parameter takes, if the manifest shows one. */
export function usualValue(parameter: Parameter, rows: readonly string[]): FuzzValue {
  const { scalar, isArray } = splitType(parameter.type)
  const text = knownValues(parameter, rows)[0] ?? textsOf(parameter.minimum)[0] ?? EDGES[scalar][0]!
  return isArray ? [text] : text
}

function knownValues(parameter: Parameter, rows: readonly string[]): readonly string[] {
  const { examples, enum: values = [], default: fallback } = parameter
  return [...examples, ...rows, ...values.flatMap(textsOf), ...textsOf(fallback)]
}

const textsOf = (value: ArgumentValue | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)]

/** The declared bounds, and their neighbours. */
function boundsOf(parameter: Parameter, scalar: ScalarParameterType): readonly string[] {
  const bounds = [...textsOf(parameter.minimum), ...textsOf(parameter.maximum)]
  if (scalar === 'string') return lengthsOf(parameter)
  return bounds.flatMap(bound => [bound, ...neighboursOf(bound, scalar)])
}

function neighboursOf(bound: string, scalar: ScalarParameterType): readonly string[] {
  if (scalar === 'int64') return [-1n, 1n].map(step => String(BigInt(bound) + step))
  if (scalar === 'float64') return [-1e-9, 1e-9].map(step => String(Number(bound) + step))
  const hasTime = scalar !== 'date'
  const at = Date.parse(scalar === 'datetime' ? `${bound}Z` : bound)
  return [-1, 1].flatMap(step => {
    const moved = new Date(at + step * (hasTime ? 1 : 86_400_000))
    const text = Number.isNaN(moved.getTime()) ? '' : moved.toISOString()
    return /^\d{4}-/.test(text) ? [hasTime ? text.slice(0, scalar === 'datetime' ? 23 : 24) : text.slice(0, 10)] : []
  })
}

/** Texts of the most characters, and of one more, in letters of one unit of UTF-16 and of two. */
function lengthsOf({ maxLength }: Parameter): readonly string[] {
  if (maxLength === undefined || maxLength > MAX_LENGTH) return ['a'.repeat(MAX_LENGTH), 'a'.repeat(MAX_LENGTH + 1)]
  return ['a', '😀'].flatMap(letter => [letter.repeat(maxLength), letter.repeat(maxLength + 1)])
}

/** The longest value that a server takes, in bytes. */
const MAX_LENGTH = 32_768

function listsOf({ maxLength = MANY }: Parameter, known: readonly string[]): readonly FuzzValue[] {
  const filled = (count: number): readonly string[] =>
    Array.from({ length: Math.min(count, MANY + 1) }, (_, i) => known[i % known.length]!)
  return [[], known.slice(0, 1), filled(2), filled(maxLength), filled(maxLength + 1)]
}

const MANY = 1_000

/** The values at which a type ends or changes, the most usual one first. */
const EDGES: Readonly<Record<ScalarParameterType, readonly string[]>> = {
  string: [
    'a',
    '0',
    '1',
    '-1',
    '1.5',
    '1e400',
    'NULL',
    'null',
    'true',
    'NaN',
    '2026-01-31',
    '9223372036854775808',
    '[]',
    '{}',
  ],
  int64: [
    '1',
    '0',
    '-1',
    '2',
    '100',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '007',
    '+5',
    '1.5',
  ],
  float64: ['1', '0', '-0', '-1', '0.1', '1e308', '-1e308', '5e-324', '1e400', 'NaN', 'Infinity', '1e'],
  bool: ['true', 'false', 'TRUE', '1'],
  date: [
    '2026-01-31',
    '0001-01-01',
    '9999-12-31',
    '1970-01-01',
    '1969-12-31',
    '2024-02-29',
    '2026-02-29',
    '0000-01-01',
  ],
  datetime: [
    '2026-01-31T12:00:00',
    '0001-01-01T00:00:00',
    '9999-12-31T23:59:59.999999',
    '1969-12-31T23:59:59.999999',
    '2024-02-29 00:00:00',
    '2026-01-31T24:00:00',
  ],
  timestamp: [
    '2026-01-31T12:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
    '2024-02-29T00:00:00+14:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-01-31',
    '1767225600',
  ],
}

/** Texts that some language reads as the end of a literal, a command or a pattern. */
const HOSTILE: readonly string[] = [
  '',
  ' ',
  "'",
  '"',
  '`',
  '\\',
  "'; DROP TABLE x; --",
  "' OR '1'='1",
  '/* */',
  '@now',
  '{{now}}',
  '$(id)',
  '%',
  '_',
  '%%',
  '.*',
  '(',
  '[',
  '*',
  '(?i)a',
  '(a+)+$',
  '\\1',
  '$.a[0]',
  '\0',
  '\n',
  '\t',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ufffd',
  'é',
  'e\u0301',
  'ß',
  'İ',
  '😀',
  '../../etc/passwd',
  '<script>',
  '__proto__',
]
