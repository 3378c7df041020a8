/** Parses the signature texts of the catalogue (see SignatureText for their grammar). */
import { arrayOf, scalarType, structOf, type Type } from '../types/types.js'
import type { SignatureText } from './catalogue.js'

/** A parameter or result as a signature writes it. */
export type Pattern =
  | { readonly kind: 'type'; readonly type: Type }
  | { readonly kind: 'variable'; readonly letter: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'array'; readonly element: Pattern }
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly pattern: Pattern }[] }
  | { readonly kind: 'part' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'lambda'; readonly parameters: readonly Pattern[]; readonly result: Pattern }

export interface SignatureParameter {
  /** The name in lower case; null for a parameter that is given by position only. */
  readonly name: string | null
  readonly pattern: Pattern
  readonly isOptional: boolean
  /** It cannot be given by position. */
  readonly isNamedOnly: boolean
  /** True for a parameter that takes any number of arguments: zero or more where it is optional, otherwise one or more. */
  readonly isRepeated: boolean
}
export interface Signature {
  readonly parameters: readonly SignatureParameter[]
  readonly result: Pattern
  /** The text between the parentheses; `notForTextLiterals` refers to it. */
  readonly text: string
}

/** A signature text of the catalogue does not follow the grammar: a bug of the catalogue. */
class SignatureError extends Error {
  override readonly name = 'SignatureError'
}

/** @throws SignatureError when the text does not follow the grammar */
export function parseSignature(source: SignatureText): Signature {
  const reader = new Reader(source)
  reader.take('(')
  const parameters: SignatureParameter[] = []
  if (!reader.has(')')) {
    do {
      if (reader.accept('[')) {
        do parameters.push(readParameter(reader, true))
        while (reader.accept(','))
        reader.take(']')
      } else parameters.push(readParameter(reader, false))
    } while (reader.accept(','))
  }
  reader.take(')')
  reader.take('->')
  const result = readPattern(reader)
  reader.end()
  const text = source.slice(1, source.lastIndexOf(')')).trim()
  return { parameters, result, text }
}

function readParameter(reader: Reader, isBracketed: boolean): SignatureParameter {
  const name = reader.parameterName()
  const pattern = readPattern(reader)
  const isRepeated = reader.accept('...')
  return {
    name,
    pattern,
    isOptional: isBracketed || name !== null,
    isNamedOnly: name !== null && !isBracketed,
    isRepeated,
  }
}

function readPattern(reader: Reader): Pattern {
  const word = reader.word()
  if (word.length === 1 && word >= 'A' && word <= 'Z') return { kind: 'variable', letter: word }
  switch (word) {
    case 'ANY':
      return { kind: 'any' }
    case 'PART':
      return { kind: 'part' }
    case 'WORD': {
      const words: string[] = []
      reader.take('(')
      do words.push(reader.word())
      while (reader.accept('|'))
      reader.take(')')
      return { kind: 'word', words }
    }
    case 'LAMBDA': {
      const parameters: Pattern[] = []
      reader.take('(')
      do parameters.push(readPattern(reader))
      while (reader.accept(','))
      reader.take(')')
      reader.take('->')
      return { kind: 'lambda', parameters, result: readPattern(reader) }
    }
    case 'ARRAY': {
      reader.take('<')
      const element = readPattern(reader)
      reader.take('>')
      return element.kind === 'type' ? { kind: 'type', type: arrayOf(element.type) } : { kind: 'array', element }
    }
    case 'STRUCT': {
      const fields: { name: string; pattern: Pattern }[] = []
      reader.take('<')
      do fields.push({ name: reader.fieldName(), pattern: readPattern(reader) })
      while (reader.accept(','))
      reader.take('>')
      const types = fields.flatMap(f => (f.pattern.kind === 'type' ? [{ name: f.name, type: f.pattern.type }] : []))
      return types.length === fields.length ? { kind: 'type', type: structOf(types) } : { kind: 'struct', fields }
    }
    case 'RANGE': {
      reader.take('<')
      const type = scalarType(`RANGE<${reader.word()}>`)
      reader.take('>')
      if (!type) throw new SignatureError(`no such range in signature ${reader.source}`)
      return { kind: 'type', type }
    }
    default: {
      const type = scalarType(word)
      if (!type) throw new SignatureError(`no type ${word} in signature ${reader.source}`)
      return { kind: 'type', type }
    }
  }
}

class Reader {
  readonly source: string
  readonly #words: readonly string[]
  #at = 0
  constructor(source: string) {
    this.source = source
    this.#words = source.match(/\w+|->|=>|\.\.\.|\S/g) ?? []
  }

  has(symbol: string, ahead = 0): boolean {
    return this.#words[this.#at + ahead] === symbol
  }
  accept(symbol: string): boolean {
    const hasSymbol = this.has(symbol)
    if (hasSymbol) this.#at++
    return hasSymbol
  }
  take(symbol: string): void {
    if (!this.accept(symbol)) throw this.#unexpected(symbol)
  }
  end(): void {
    if (this.#at < this.#words.length) throw this.#unexpected('its end')
  }
  word(): string {
    if (!this.#isWord(0)) throw this.#unexpected('a word')
    return this.#words[this.#at++]!
  }
  parameterName(): string | null {
    if (!this.has('=>', 1)) return null
    const name = this.word().toLowerCase()
    this.take('=>')
    return name
  }
  /** The name of a struct's field: a word before another word; empty where the field has no name. */
  fieldName(): string {
    return this.#isWord(1) ? this.word() : ''
  }

  #isWord(ahead: number): boolean {
    return /^\w/.test(this.#words[this.#at + ahead] ?? '')
  }
  #unexpected(expected: string): SignatureError {
    return new SignatureError(`expected ${expected} before word ${this.#at + 1} of signature ${this.source}`)
  }
}
