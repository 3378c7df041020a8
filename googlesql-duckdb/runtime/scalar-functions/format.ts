/** FORMAT: printf for GoogleSQL's types. Source: the language reference, "FORMAT". */
import type { Type } from '../../../googlesql/types/types.js'
import { typeName } from '../../../googlesql/types/types.js'
import { digitsOfDecimal, digitsOfDouble, exponentText, fixedText, generalText, type Rounding } from './decimal-text.js'
import { literalText, readableText } from './format/value.js'
import { parseDocument, prettyText } from './json/document.js'
import { keepLast } from './keep-last.js'
import { fail, type ScalarFunction, ScalarFunctionError, scalar } from './scalar-function.js'

const MAX_OUTPUT = 1 << 20
/** The most digits that a double has after the point. */
const MAX_FLOAT_PRECISION = 1074

interface Spec {
  readonly flags: string
  readonly width: number
  /** Null when absent. */
  readonly precision: number | null
}

const SPECIFIER = /%([-+ #'0]*)(\*|\d*)(\.(?:\*|\d*))?(.)/suy

function format(pattern: string, typesJson: string, values: readonly (string | null)[]): string | null {
  const types = typesOf(typesJson)
  const output: string[] = []
  let next = 0
  let isNull = false
  const take: Take = (expected, accepts) => {
    const index = next++
    const type = types[index]
    if (!type) return null
    if (!accepts(type))
      fail(`Invalid type for argument ${index + 2} to FORMAT; Expected ${expected}; Got ${typeName(type)}`)
    return { type, value: values[index] ?? null }
  }
  const takeNumber = (): number | null => {
    const argument = take('integer', isInteger)
    if (argument && argument.value === null) isNull = true
    return argument?.value ? limitSize(Number(argument.value)) : null
  }

  for (let at = 0; at < pattern.length; ) {
    const percent = pattern.indexOf('%', at)
    output.push(pattern.slice(at, percent < 0 ? pattern.length : percent))
    if (percent < 0) break
    SPECIFIER.lastIndex = percent
    const match = SPECIFIER.exec(pattern)
    if (!match) fail(`Invalid FORMAT string: "${pattern}"`)
    at = SPECIFIER.lastIndex
    const [text, flags = '', width = '', precision, letter = ''] = match
    if (letter === '%') {
      if (text !== '%%') fail(`Invalid FORMAT string: "${pattern}"`)
      output.push('%')
      continue
    }
    const widthValue = width === '*' ? takeNumber() : width === '' ? null : limitSize(Number(width))
    const digits = precision === '.*' ? takeNumber() : precision === undefined ? null : Number(precision.slice(1))
    const isLeft = flags.includes('-') || (widthValue !== null && widthValue < 0)
    const spec: Spec = {
      flags: isLeft ? `${flags}-` : flags,
      width: Math.abs(widthValue ?? 0),
      precision: digits === null || digits < 0 ? null : checkPrecision(digits, letter),
    }
    const printed = print(letter, spec, take, pattern)
    if (printed === null) isNull = true
    else output.push(printed)
  }
  if (next !== types.length) {
    const problem = next > types.length ? 'few' : 'many'
    fail(`Too ${problem} arguments to FORMAT for pattern "${pattern}"; Expected ${next + 1}; Got ${types.length + 1}`)
  }
  if (isNull) return null
  const result = output.join('')
  if (result.length > MAX_OUTPUT) throw tooLong()
  return result
}

const tooLong = (): ScalarFunctionError =>
  new ScalarFunctionError(`Output string too long while evaluating FORMAT; limit ${MAX_OUTPUT}`)
function limitSize(size: number): number {
  if (Math.abs(size) > MAX_OUTPUT) throw tooLong()
  return size
}
function checkPrecision(precision: number, letter: string): number {
  if ('gG'.includes(letter)) return Math.min(precision, MAX_FLOAT_PRECISION)
  const cap = 'eEfF'.includes(letter) ? MAX_FLOAT_PRECISION : MAX_OUTPUT
  // Without a blank, as the reference implementation writes it.
  if (precision > cap) fail(`Precision value is too big${cap}`)
  return precision
}

type Take = (expected: string, accepts: (type: Type) => boolean) => { type: Type; value: string | null } | null
const isInteger = (type: Type): boolean => type.kind === 'INT64'
const isFraction = (type: Type): boolean => ['FLOAT64', 'NUMERIC', 'BIGNUMERIC'].includes(type.kind)

/** The arguments that a specifier takes, and how it prints them. */
interface Specifier {
  readonly expected: string
  readonly accepts: (type: Type) => boolean
  readonly print: (value: string, type: Type, letter: string, spec: Spec) => string
}
const isKind = (kind: Type['kind']) => (type: Type) => type.kind === kind
const INTEGER: Specifier = {
  expected: 'integer',
  accepts: isInteger,
  print: (value, _, letter, spec) => integerText(BigInt(value), letter, spec),
}
const FRACTION: Specifier = { expected: 'FLOAT64', accepts: isFraction, print: fractionText }
const json = (print: (value: string, type: Type) => string): Specifier => ({
  expected: 'PROTO or JSON',
  accepts: isKind('JSON'),
  print: (value, type, _, spec) => pad(print(value, type), spec),
})
const SPECIFIERS: Readonly<Record<string, Specifier>> = {
  ...Object.fromEntries([...'dioxX'].map(letter => [letter, INTEGER])),
  ...Object.fromEntries([...'fFeEgG'].map(letter => [letter, FRACTION])),
  // GoogleSQL has no unsigned type, so no argument is accepted here.
  u: { expected: 'UINT', accepts: () => false, print: () => '' },
  s: { expected: 'STRING', accepts: isKind('STRING'), print: (value, _type, _letter, spec) => pad(value, spec) },
  p: json(readableText),
  P: json(value => prettyText(parseDocument(value)!)),
}
const NOTATIONS: Readonly<Record<string, typeof readableText>> = { t: readableText, T: literalText }

/** Prints one argument: null if it is NULL, empty if it is missing; the missing argument is reported at the end. */
function print(letter: string, spec: Spec, take: Take, pattern: string): string | null {
  const notation = NOTATIONS[letter]
  if (notation) {
    const argument = take('', () => true)
    return argument ? pad(notation(argument.value, argument.type), spec) : ''
  }
  const specifier = SPECIFIERS[letter]
  if (!specifier) fail(`Invalid format specifier character "${letter}" in FORMAT string: "${pattern}"`)
  const argument = take(specifier.expected, specifier.accepts)
  if (!argument) return ''
  return argument.value === null ? null : specifier.print(argument.value, argument.type, letter, spec)
}

function pad(text: string, { flags, width, precision }: Spec): string {
  const chars = [...text]
  const kept = precision === null ? chars : chars.slice(0, precision)
  const padding = ' '.repeat(Math.max(width - kept.length, 0))
  return flags.includes('-') ? kept.join('') + padding : padding + kept.join('')
}

const RADIX: Readonly<Record<string, number>> = { d: 10, i: 10, o: 8, x: 16, X: 16 }

function integerText(value: bigint, letter: string, { flags, width, precision }: Spec): string {
  const isNegative = value < 0n
  let digits = (isNegative ? -value : value).toString(RADIX[letter]!)
  if (letter === 'X') digits = digits.toUpperCase()
  const isGrouped = flags.includes("'")
  const isPlainDecimal = (letter === 'd' || letter === 'i') && !isGrouped
  if (isPlainDecimal && precision === 0 && value === 0n) digits = ''
  const hasMoreDigits = precision !== null && precision > digits.length
  if (hasMoreDigits) digits = digits.padStart(precision, '0')
  const octal = hasMoreDigits ? '' : '0'
  const prefix = flags.includes('#') ? ({ o: octal, x: '0x', X: '0X' }[letter] ?? '') : ''
  if (isGrouped) digits = groupDigits(digits, letter)
  const sign = signOf(isNegative, flags) + prefix
  // As in C, a precision turns zero padding off, but only for plain decimal integers.
  const padsWithZeros = flags.includes('0') && !flags.includes('-') && !(isPlainDecimal && precision !== null)
  return justify(sign, digits, width, flags, padsWithZeros)
}

function groupDigits(digits: string, letter: string): string {
  const size = letter === 'd' || letter === 'i' ? 3 : 4
  const separator = letter === 'x' || letter === 'X' ? ':' : ','
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(end - size, 0), end))
  return groups.join(separator)
}

const signOf = (isNegative: boolean, flags: string): string =>
  isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''

function justify(sign: string, body: string, width: number, flags: string, padsWithZeros: boolean): string {
  const missing = Math.max(width - sign.length - body.length, 0)
  if (flags.includes('-')) return sign + body + ' '.repeat(missing)
  return padsWithZeros ? sign + '0'.repeat(missing) + body : ' '.repeat(missing) + sign + body
}

function fractionText(text: string, type: Type, letter: string, { flags, width, precision }: Spec): string {
  const isUpper = letter < 'a'
  // Adding zero removes the sign of a negative zero.
  const number = type.kind === 'FLOAT64' ? Number(text.replace('inf', 'Infinity')) + 0 : 0
  if (!Number.isFinite(number)) {
    const name = Number.isNaN(number) ? 'nan' : 'inf'
    return justify(signOf(number < 0, flags), isUpper ? name.toUpperCase() : name, width, flags, false)
  }
  const digits = type.kind === 'FLOAT64' ? digitsOfDouble(number) : digitsOfDecimal(text)
  const rounding: Rounding = type.kind === 'FLOAT64' ? 'half-even' : 'half-away'
  const places = precision ?? 6
  const isAlternative = flags.includes('#')
  let body: string
  if (letter === 'f' || letter === 'F') body = fixedText(digits, places, rounding)
  else if (letter === 'e' || letter === 'E') body = exponentText(digits, places, rounding)
  else body = generalText(digits, places, isAlternative, rounding)
  if (isAlternative && !body.includes('.')) body = body.replace(/^\d+/, '$&.')
  if (flags.includes("'")) body = body.replace(/^\d+/, whole => groupDigits(whole, 'd'))
  if (isUpper) body = body.toUpperCase()
  return justify(signOf(digits.isNegative, flags), body, width, flags, flags.includes('0') && !flags.includes('-'))
}

const typesOf = keepLast((json: string) => JSON.parse(json) as readonly Type[])

export const FORMAT_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: format string, the types of the values as JSON, the values in the encoding of format/value.ts.
  scalar('bq_format', ['VARCHAR', 'VARCHAR', 'VARCHAR[]'], 'VARCHAR', format),
]
