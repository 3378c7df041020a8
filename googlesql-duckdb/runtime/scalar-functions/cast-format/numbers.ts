/** CAST … FORMAT of numbers to STRING: `$999,999.00`, `S9.99EEEE`, `XXXX`. */
import {
  type Digits,
  digitsOfDecimal,
  digitsOfDouble,
  exponentText,
  fixedText,
  type Rounding,
} from '../decimal-text.js'
import { keepLast } from '../keep-last.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'

/** A finite number, or an infinity or NaN. Halves are rounded to even in a FLOAT64, and away from zero in other types. */
export type FormattedNumber = FiniteNumber | { readonly isNegative: boolean; readonly word: 'INF' | 'NAN' }
type FiniteNumber = Digits & { readonly rounding: Rounding }

interface NumberFormat {
  /**
   * The elements of the format in their order: digits, separators, the decimal point and the exponent. They are in upper case,
   * except `x` and `e`.
   */
  readonly elements: readonly string[]
  readonly pointIndex: number
  readonly integerDigits: number
  readonly scale: number
  readonly firstZero: number | null
  readonly hasExponent: boolean
  readonly isHexadecimal: boolean
  readonly isRoman: boolean
  readonly sign: 'S' | 'MI' | 'PR' | null
  readonly isSignInFront: boolean
  readonly currency: string | null
  readonly isCompact: boolean
  readonly blanksZero: boolean
}

const ELEMENT = /^(?:EEEE|TM9|TME|TM|MI|PR|RN|FM|[$09X.D,GSBVCL])/i

const failFormat = (message: string): never => {
  fail(`Error in format string: ${message}`)
}

const numberFormat = keepLast(parseFormat)

function splitElements(format: string): string[] {
  const elements: string[] = []
  for (let at = 0; at < format.length; at += elements.at(-1)!.length) {
    const match = ELEMENT.exec(format.slice(at))
    if (match === null) failFormat(`Invalid format element '${format[at]}'`)
    elements.push(match![0])
  }
  return elements
}

/** The alternative that the format contains; null if it contains no alternative. Several alternatives are an error. */
function onlyOne(all: readonly string[], alternatives: readonly string[], message: string): string | null {
  const matches = all.filter(element => alternatives.includes(element.toUpperCase()))
  if (matches.length > 1) failFormat(message)
  return matches[0] ?? null
}

function parseFormat(format: string): NumberFormat {
  const all = splitElements(format)
  const upper = all.map(element => element.toUpperCase())
  const isCompact = onlyOne(all, ['FM'], "'FM' cannot be repeated") !== null
  const currency = onlyOne(all, ['$', 'C', 'L'], "There can be at most one of '$', 'C' or 'L'")
  const blanksZero = onlyOne(all, ['B'], "There can be at most one 'B'") !== null
  const sign = onlyOne(all, ['S', 'MI', 'PR'], "There can be at most one of 'S', 'MI', or 'PR'")
  const point = onlyOne(all, ['.', 'D', 'V'], "There can be at most one of '.', 'D', or 'V'")
  const flags = ['FM', '$', 'C', 'L', 'B']
  const body = all.filter(element => !flags.includes(element.toUpperCase()))
  if (upper.some(element => element.startsWith('TM'))) {
    if (all.length > 1) failFormat("'TM', 'TM9' or 'TME' cannot be combined with other format elements")
    fail('Text minimal output is not supported yet')
  }
  const base = {
    pointIndex: 0,
    integerDigits: 0,
    scale: 0,
    firstZero: null,
    hasExponent: false,
    isHexadecimal: false,
    isRoman: false,
    sign: (sign?.toUpperCase() ?? null) as NumberFormat['sign'],
    isSignInFront: body[0]?.toUpperCase() === 'S',
    currency,
    isCompact,
    blanksZero,
  }
  const roman = upper.indexOf('RN')
  if (roman >= 0) {
    const other = upper.find(element => element !== 'RN' && element !== 'FM')
    if (other !== undefined || body.length > 1) failFormat(`'RN' cannot appear together with '${other ?? 'RN'}'`)
    return { ...base, elements: [all[roman]!], isRoman: true }
  }
  const elements = body.filter(element => !['S', 'MI', 'PR'].includes(element.toUpperCase()))
  checkSignPlace(
    body.map(element => element.toUpperCase()),
    base.sign,
  )
  const digitCount = elements.filter(element => /^[09X]$/i.test(element)).length
  if (digitCount === 0) failFormat("Format string must contain at least one of 'X', '0' or '9'")
  const firstZero = elements.indexOf('0')
  const shared = { ...base, firstZero: firstZero < 0 ? null : firstZero }
  if (upper.includes('X')) {
    const other = upper.find(element => !['X', '0', 'FM', 'S', 'MI', 'PR'].includes(element))
    if (other !== undefined) failFormat(`'X' cannot appear together with '${other}'`)
    if (digitCount > 16) failFormat("Max number of 'X' is 16")
    return {
      ...shared,
      elements: hexadecimalDigits(elements),
      pointIndex: elements.length,
      integerDigits: digitCount,
      isHexadecimal: true,
    }
  }
  return { ...shared, ...decimalLayout(elements, point) }
}

function checkSignPlace(body: readonly string[], sign: NumberFormat['sign']): void {
  if (sign === null) return
  const at = body.indexOf(sign)
  if (sign === 'S' && at !== 0 && at !== body.length - 1) {
    failFormat("'S' can only appear before or after all digits and 'EEEE'")
  }
  if (sign !== 'S' && at !== body.length - 1) failFormat(`'${sign}' can only appear after all digits and 'EEEE'`)
}

/** Hexadecimal digits: each 0 gets the case of the next X, or upper case after the last X. */
function hexadecimalDigits(elements: readonly string[]): string[] {
  let letter = 'X'
  return elements
    .toReversed()
    .map(element => {
      if (element !== '0') letter = element
      return letter
    })
    .reverse()
}

type DecimalLayout = Pick<NumberFormat, 'elements' | 'pointIndex' | 'integerDigits' | 'scale' | 'hasExponent'>

function decimalLayout(elements: readonly string[], point: string | null): DecimalLayout {
  const upper = elements.map(element => element.toUpperCase())
  const exponent = upper.indexOf('EEEE')
  if (exponent >= 0) {
    if (upper.lastIndexOf('EEEE') !== elements.length - 1 || exponent !== elements.length - 1) {
      failFormat(`'${upper[exponent + 1]}' cannot appear after 'EEEE'`)
    }
    if (upper.includes(',') || upper.includes('G')) failFormat("',' or 'G' cannot appear together with 'EEEE'")
  }
  const pointAt = point === null ? (exponent >= 0 ? exponent : elements.length) : elements.indexOf(point)
  const afterPoint = upper.slice(pointAt + 1)
  if (point !== null && afterPoint.some(element => element === ',' || element === 'G')) {
    failFormat("',' or 'G' cannot appear after '.', 'D' or 'V'")
  }
  if (upper[0] === ',' || upper[0] === 'G') failFormat(`Unexpected '${upper[0]}'`)
  const isDigit = (element: string) => element === '0' || element === '9'
  const integerDigits = upper.slice(0, pointAt).filter(isDigit).length
  const scale = point === null ? 0 : afterPoint.filter(isDigit).length
  // In scientific notation, one digit is written before the point, even if the format has more digits there.
  const surplus = exponent >= 0 && pointAt >= 2 ? pointAt - 1 : 0
  return {
    elements: elements.slice(surplus),
    pointIndex: pointAt - surplus,
    integerDigits,
    scale,
    hasExponent: exponent >= 0,
  }
}

// ---- values

/** The exact value of a FLOAT64. */
export function fractionOfDouble(value: number): FormattedNumber {
  const isNegative = value < 0
  if (!Number.isFinite(value)) return { isNegative, word: Number.isNaN(value) ? 'NAN' : 'INF' }
  return { ...digitsOfDouble(value), isNegative, rounding: 'half-even' }
}

/** The value of a decimal text. */
export function fractionOfText(text: string): FormattedNumber {
  const digits = digitsOfDecimal(text)
  return { ...digits, isNegative: digits.isNegative && digits.numerator !== 0n, rounding: 'half-away' }
}

/** The digits of a number: before its point (without leading zeros), after its point, and of its exponent (with the sign: `+05`). */
function splitDigits(number: FiniteNumber, { scale, hasExponent }: NumberFormat) {
  const text = (hasExponent ? exponentText : fixedText)(number, scale, number.rounding)
  const [mantissa, exponent = ''] = text.split('e')
  const [integer, fraction = ''] = mantissa!.split('.')
  return { integer: integer === '0' ? '' : integer!, fraction, exponent }
}

/** The absolute value as an integer; halves are rounded away from zero. */
const wholeOf = (number: FiniteNumber): bigint => BigInt(fixedText(number, 0, 'half-away'))

// ---- output

interface Sign {
  readonly prefix: string
  readonly suffix: string
}

function signOutput(format: NumberFormat, isNegative: boolean, isBlank: boolean): Sign {
  const sign = format.sign
  const pick = (negative: string, positive: string) => (isBlank ? ' ' : isNegative ? negative : positive)
  if (sign === null) return { prefix: pick('-', ' '), suffix: '' }
  if (sign === 'PR') return { prefix: pick('<', ' '), suffix: pick('>', ' ') }
  if (sign === 'MI') return { prefix: '', suffix: pick('-', ' ') }
  return format.isSignInFront ? { prefix: pick('-', '+'), suffix: '' } : { prefix: '', suffix: pick('-', '+') }
}

function currencyOutput(format: NumberFormat, isBlank: boolean): string {
  if (format.currency === null) return ''
  const text = format.currency === 'C' ? 'USD' : format.currency === 'c' ? 'usd' : '$'
  return isBlank ? ' '.repeat(text.length) : text
}

/** Joins the parts; with FM, white space is removed from both ends. */
function assemble(format: NumberFormat, padding: number, sign: Sign, currency: string, body: string): string {
  const text = ' '.repeat(padding) + sign.prefix + currency + body + sign.suffix
  return format.isCompact ? text.trim() : text
}

/** Fills the elements before the point from the right; `padding` is the number of elements on the left that stay empty. */
function integerOutput(
  format: NumberFormat,
  width: number,
  digits: string,
  write: (element: string, digit: string) => string,
): { readonly text: string; readonly padding: number } {
  let text = ''
  let digitAt = digits.length - 1
  let index = width - 1
  for (; index >= 0; index--) {
    const needsZeros = format.firstZero !== null && index >= format.firstZero
    if (digitAt < 0 && !needsZeros) break
    const element = format.elements[index]!
    const isSeparator = /^[,G]$/i.test(element)
    text = write(element, isSeparator ? ',' : (digits[digitAt] ?? '0')) + text
    if (!isSeparator) digitAt--
  }
  return { text, padding: index + 1 }
}

function formatDecimal(format: NumberFormat, number: FormattedNumber): string {
  if ('word' in number) return formatWord(format, number.word, number.isNegative)
  const { integer, fraction: allFraction, exponent } = splitDigits(number, format)
  const fraction = format.isCompact ? allFraction.replace(/0+$/, '') : allFraction
  const isOverflow = integer.length > format.integerDigits
  const isBlank = format.blanksZero && integer === ''
  const show = (text: string) => (isBlank ? ' '.repeat(text.length) : text)
  let padding = format.pointIndex
  let integerText = ''
  const showsInteger =
    integer !== '' ||
    format.hasExponent ||
    (format.firstZero !== null && format.firstZero < format.pointIndex) ||
    fraction === ''
  if (format.integerDigits > 0 && showsInteger) {
    const output = integerOutput(format, format.pointIndex, integer === '' ? '0' : integer, (_, digit) =>
      isOverflow && digit !== ',' ? '#' : show(digit),
    )
    integerText = output.text
    padding = output.padding
  }
  let fractionText = ''
  let fractionAt = 0
  for (const element of format.elements.slice(format.pointIndex)) {
    if (element === '.' || element.toUpperCase() === 'D') fractionText += show('.')
    else if (element.toUpperCase() === 'EEEE') fractionText += isOverflow ? '####' : show(element[0]! + exponent)
    else if (element === '0' || element === '9') {
      fractionText += isOverflow ? '#' : show(fraction[fractionAt] ?? '')
      fractionAt++
    }
  }
  // A number that is shown as zero keeps its sign.
  const sign = signOutput(format, number.isNegative, isBlank)
  return assemble(format, padding, sign, currencyOutput(format, isBlank), integerText + fractionText)
}

function formatWord(format: NumberFormat, word: string, isNegative: boolean): string {
  const sign = signOutput(format, isNegative, false)
  const wordSign = word === 'NAN' ? { prefix: sign.prefix && ' ', suffix: sign.suffix && ' ' } : sign
  const currency = currencyOutput(format, false)
  if (format.hasExponent) {
    return assemble(format, format.isCompact ? 0 : format.elements.length, wordSign, currency, word)
  }
  const isOverflow = format.pointIndex < word.length
  const elements = format.elements.slice(Math.max(0, format.pointIndex - word.length), format.pointIndex)
  const integerText = isOverflow ? elements.map(element => (/[,G]/i.test(element) ? ',' : '#')).join('') : word
  const fractionText = format.elements
    .slice(format.pointIndex)
    .map(element => {
      if (element.toUpperCase() === 'V') return ''
      return !isOverflow ? ' ' : element === '0' || element === '9' ? '#' : '.'
    })
    .join('')
  const padding = format.isCompact ? 0 : Math.max(0, format.pointIndex - word.length)
  return assemble(format, padding, wordSign, currency, integerText + fractionText)
}

function formatHexadecimal(format: NumberFormat, number: FormattedNumber): string {
  const value = 'word' in number ? null : wholeOf(number)
  const isOverflow = value === null || value >= 1n << 64n || value.toString(16).length > format.elements.length
  const digits = value === null || value >= 1n << 64n ? '0'.repeat(17) : value.toString(16)
  const { text, padding } = integerOutput(format, format.elements.length, digits, (element, digit) =>
    isOverflow ? '#' : element === 'X' ? digit.toUpperCase() : digit,
  )
  return assemble(format, format.isCompact ? 0 : padding, signOutput(format, number.isNegative, false), '', text)
}

const ROMAN = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 }
const ROMAN_WIDTH = 15

function formatRoman(format: NumberFormat, number: FormattedNumber): string {
  const value = 'word' in number || number.isNegative ? 0n : wholeOf(number)
  if (value < 1n || value > 3_999n) fail('Roman numerals are written for numbers between 1 and 3999')
  let rest = Number(value)
  let text = ''
  for (const [letters, worth] of Object.entries(ROMAN)) {
    while (rest >= worth) {
      text += letters
      rest -= worth
    }
  }
  if (format.elements[0]!.startsWith('r')) text = text.toLowerCase()
  return format.isCompact ? text : text.padStart(ROMAN_WIDTH)
}

/** @throws ScalarFunctionError in BigQuery's words for an invalid format. */
export function formatNumber(text: string, number: FormattedNumber): string {
  const format = numberFormat(text)
  if (format.isRoman) return formatRoman(format, number)
  return format.isHexadecimal ? formatHexadecimal(format, number) : formatDecimal(format, number)
}

export const CAST_NUMBER_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_cast_double_to_text', ['DOUBLE', 'VARCHAR'], 'VARCHAR', (value, format) =>
    formatNumber(format, fractionOfDouble(value)),
  ),
  // Parameters: an INT64 or NUMERIC as decimal text, format.
  scalar('bq_cast_decimal_to_text', ['VARCHAR', 'VARCHAR'], 'VARCHAR', (value, format) =>
    formatNumber(format, fractionOfText(value)),
  ),
]
