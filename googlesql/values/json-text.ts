/** JSON text as the JSON type stores it: no white space, members sorted by name, the first of equal names, exact numbers. */
import { withoutTrailing } from './trim-text.js'

/** `error` describes for a message why the text is not valid JSON. */
export type CanonicalJson = { readonly text: string } | { readonly error: string }

/** The greatest depth of a JSON value that BigQuery allows. */
const MAX_DEPTH = 500

class JsonError extends Error {
  override readonly name = 'JsonError'
}

/**
 * The text in its canonical form. Integers in the range of INT64 and UINT64 stay exact. For any other number that a FLOAT64
 * cannot represent exactly, `exact` is an error and `round` takes the nearest FLOAT64.
 */
export function canonicalJson(text: string, wideNumbers: 'exact' | 'round'): CanonicalJson {
  const reader = new JsonReader(text, wideNumbers)
  try {
    return { text: reader.document() }
  } catch (error) {
    if (error instanceof JsonError) return { error: error.message }
    throw error
  }
}

/** Compares codes, since this runs twice for each value of a document of megabytes. */
const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

const LITERALS = ['true', 'false', 'null'] as const

class JsonReader {
  readonly #text: string
  readonly #wideNumbers: 'exact' | 'round'
  #offset = 0

  constructor(text: string, wideNumbers: 'exact' | 'round') {
    this.#text = text
    this.#wideNumbers = wideNumbers
  }

  document(): string {
    const value = this.#value(0)
    this.#skipSpace()
    if (this.#offset < this.#text.length) throw this.#unexpected()
    return value
  }

  #value(depth: number): string {
    if (depth > MAX_DEPTH) throw new JsonError('Max nesting has been exceeded while parsing JSON document')
    this.#skipSpace()
    switch (this.#text[this.#offset]) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case '"':
        return JSON.stringify(this.#string())
      default:
        return this.#literal() ?? this.#number()
    }
  }

  #literal(): string | undefined {
    const literal = LITERALS.find(word => this.#text.startsWith(word, this.#offset))
    this.#offset += literal?.length ?? 0
    return literal
  }

  #object(depth: number): string {
    const members = new Map<string, string>()
    this.#offset++
    if (!this.#accept('}')) {
      do {
        this.#skipSpace()
        if (this.#text[this.#offset] !== '"') throw this.#unexpected()
        const name = this.#string()
        if (!this.#accept(':')) throw this.#unexpected()
        const value = this.#value(depth + 1)
        if (!members.has(name)) members.set(name, value)
      } while (this.#accept(','))
      if (!this.#accept('}')) throw this.#unexpected()
    }
    const names = [...members.keys()].sort(byCodePoint)
    return `{${names.map(name => `${JSON.stringify(name)}:${members.get(name)}`).join(',')}}`
  }

  #array(depth: number): string {
    const items: string[] = []
    this.#offset++
    if (!this.#accept(']')) {
      do items.push(this.#value(depth + 1))
      while (this.#accept(','))
      if (!this.#accept(']')) throw this.#unexpected()
    }
    return `[${items.join(',')}]`
  }

  #string(): string {
    const quoted = this.#word(/"[^"\\]*(?:\\.[^"\\]*)*"/sy)
    if (quoted === undefined) throw this.#unexpected()
    try {
      return JSON.parse(quoted) as string
    } catch {
      throw new JsonError('syntax error while parsing value - invalid string')
    }
  }

  #number(): string {
    const written = this.#word(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (written === undefined) throw this.#unexpected()
    // An INT64 or UINT64 has at most 20 digits; BigInt would take quadratic time for more.
    if (/^-?\d{1,20}$/.test(written)) {
      const integer = BigInt(written)
      if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return integer.toString()
    }
    const double = Number(written)
    if (!Number.isFinite(double)) throw new JsonError(`Number overflow parsing '${written}'`)
    const text = doubleText(double)
    if (this.#wideNumbers === 'exact' && digitsOf(text) !== digitsOf(written)) {
      throw new JsonError(`Input number: ${written} cannot round-trip through string representation`)
    }
    return text
  }

  #word(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset
    const word = pattern.exec(this.#text)?.[0]
    if (word !== undefined) this.#offset += word.length
    return word
  }
  #accept(symbol: string): boolean {
    this.#skipSpace()
    const found = this.#text[this.#offset] === symbol
    if (found) this.#offset++
    return found
  }
  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#offset))) this.#offset++
  }
  #unexpected(): JsonError {
    const found = this.#text[this.#offset]
    return new JsonError(
      found === undefined
        ? 'syntax error while parsing value - unexpected end of input'
        : `syntax error while parsing value - invalid literal at ${this.#offset + 1}`,
    )
  }
}

/** The shortest digits of a finite number, as the JSON type writes a FLOAT64: always with a point or an exponent. */
export function doubleText(double: number): string {
  if (Object.is(double, -0)) return '-0.0'
  const [, sign, digits, exponent] = /^(-?)(\d(?:\.\d+)?)e([+-]\d+)$/.exec(double.toExponential())!
  const point = Number(exponent)
  const plain = digits!.replace('.', '')
  if (point < -4 || point >= 15) {
    return `${sign}${digits}e${point < 0 ? '-' : '+'}${String(Math.abs(point)).padStart(2, '0')}`
  }
  if (point < 0) return `${sign}0.${'0'.repeat(-point - 1)}${plain}`
  const padded = plain.padEnd(point + 2, '0')
  return `${sign}${padded.slice(0, point + 1)}.${padded.slice(point + 1)}`
}

/** A normal form of a decimal number: two numbers have the same one if and only if they have the same value. */
function digitsOf(number: string): string {
  const [, sign, whole, behind, exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number)!
  const digits = (whole! + (behind ?? '')).replace(/^0+/, '')
  const significant = withoutTrailing(digits, '0')
  if (significant === '') return '0'
  const scale = Number(exponent ?? 0) - (behind ?? '').length + digits.length - significant.length
  return `${sign}${significant}e${scale}`
}

/** Compares by code points, as UTF-8 bytes sort. By UTF-16 units, surrogates would sort before U+E000 and above. */
function byCodePoint(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (let index = 0; index < left.length && index < right.length; index++) {
    const difference = left[index]!.codePointAt(0)! - right[index]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
