/** Finds the first mistake in a text that is not JSON, and explains it to an author who does not know JSON's grammar. */
import type { SyntaxMistake } from './syntax-message.js'

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy
const PLAIN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y
const WORD = /[^\s,:[\]{}"']+/y
const IN_SINGLE_QUOTES = /'[^'\n]*'/y
const COMMENT = /\/[/*]|#/y

/** Null where the text is JSON. Its brackets are few enough for recursion: findExcess has counted them. */
export function jsonMistake(text: string): SyntaxMistake | null {
  try {
    JSON.parse(text)
    return null
  } catch {
    try {
      const reader = new JsonReader(text)
      reader.value('the file is empty')
      reader.end()
    } catch (mistake) {
      if (mistake instanceof Mistake) return { offset: mistake.offset, message: mistake.message }
      throw mistake
    }
    return { offset: 0, message: 'the file is not JSON' }
  }
}

class Mistake extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

class JsonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(ifMissing: string): void {
    const found = this.#peek()
    if (found === '{') this.#list('{', '}', () => this.#member())
    else if (found === '[') this.#list('[', ']', () => this.value('a value is missing'))
    else if (found === '"') this.#string()
    else if (this.#take(PLAIN) === null) this.#refuse(ifMissing)
  }

  end(): void {
    if (this.#peek() !== '') throw new Mistake(this.#at, 'there is more text after the last bracket')
  }

  #member(): void {
    const at = this.#skipBlank()
    if (this.#text[at] !== '"') this.#refuse('a key is missing')
    const key = this.#string()
    if (this.#peek() !== ':') throw new Mistake(this.#at, `a colon is missing after ${key}`)
    this.#at++
    this.value(`the value of ${key} is missing`)
  }

  #list(open: string, close: string, item: () => void): void {
    const opened = this.#at++
    if (this.#peek() === close) {
      this.#at++
      return
    }
    for (;;) {
      item()
      const found = this.#peek()
      if (found === close) {
        this.#at++
        return
      }
      if (found === '') throw new Mistake(opened, `this "${open}" is not closed; "${close}" is missing`)
      if (found === ']' || found === '}') {
        throw new Mistake(this.#at, `the "${close}" that closes the "${open}" is missing before this "${found}"`)
      }
      if (found !== ',') throw new Mistake(this.#at, 'a comma is missing before this')
      const comma = this.#at++
      if (this.#peek() === close) throw new Mistake(comma, `JSON allows no comma before "${close}"; delete it`)
      if (this.#peek() === ',') throw new Mistake(this.#at, 'there is one comma too many')
    }
  }

  #string(): string {
    const at = this.#skipBlank()
    const found = this.#take(STRING)
    if (found === null) {
      const line = this.#text.slice(at + 1).split('\n', 1)[0]!
      const badEscape = /\\[^"\\/bfnrtu]/.exec(line)
      if (badEscape)
        throw new Mistake(at + 1 + badEscape.index, `JSON has no "${badEscape[0]}"; a backslash is written \\\\`)
      throw new Mistake(at, 'the quote " is never closed')
    }
    // A quote that is not closed ends at the next one, with the comma of its own member inside.
    const next = this.#text.slice(this.#at)
    if (/^\s*[\w-]/.test(next) && /[,:{[]\s*"$/.test(found))
      throw new Mistake(at, 'the quote " is not closed where its text ends')
    return found
  }

  /** What stands where something else should. */
  #refuse(ifMissing: string): never {
    const at = this.#skipBlank()
    if (this.#take(COMMENT) !== null) throw new Mistake(at, 'JSON has no comments; delete it')
    const single = this.#take(IN_SINGLE_QUOTES)
    if (single !== null) throw new Mistake(at, `JSON writes texts in double quotes: "${single.slice(1, -1)}"`)
    const word = this.#take(WORD)
    if (word !== null) throw new Mistake(at, `JSON writes texts and keys in double quotes: "${word}"`)
    throw new Mistake(at, ifMissing)
  }

  #peek(): string {
    return this.#text[this.#skipBlank()] ?? ''
  }

  #skipBlank(): number {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#at
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }
}
