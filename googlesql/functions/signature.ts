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
  const start = reader.offset
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
  const text = source.slice(start, reader.offset).trim()
  reader.take(')')
  reader.take('->')
  const result = readPattern(reader)
  reader.end()
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
  offset = 0
  constructor(source: string) {
    this.source = source
  }

  has(symbol: string): boolean {
    while (this.source[this.offset] === ' ') this.offset++
    return this.source.startsWith(symbol, this.offset)
  }
  accept(symbol: string): boolean {
    const hasSymbol = this.has(symbol)
    if (hasSymbol) this.offset += symbol.length
    return hasSymbol
  }
  take(symbol: string): void {
    if (!this.accept(symbol))
      throw new SignatureError(`expected ${symbol} at ${this.offset} of signature ${this.source}`)
  }
  end(): void {
    if (!this.has('') || this.offset < this.source.length) {
      throw new SignatureError(`more than a signature in ${this.source}`)
    }
  }
  word(): string {
    this.has('')
    const word = /^\w+/.exec(this.source.slice(this.offset))?.[0]
    if (word === undefined) throw new SignatureError(`expected a word at ${this.offset} of signature ${this.source}`)
    this.offset += word.length
    return word
  }
  parameterName(): string | null {
    this.has('')
    const match = /^(\w+)\s*=>/.exec(this.source.slice(this.offset))
    if (!match) return null
    this.offset += match[0].length
    return match[1]!.toLowerCase()
  }
  /** The name of a struct's field: a word before another word; empty where the field has no name. */
  fieldName(): string {
    this.has('')
    const match = /^(\w+)\s+(?=\w)/.exec(this.source.slice(this.offset))
    if (!match) return ''
    this.offset += match[0].length
    return match[1]!
  }
}
