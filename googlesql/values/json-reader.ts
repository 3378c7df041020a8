/** Reads JSON text. A builder makes the values from their parts. */
export interface JsonBuilder<T> {
  readonly literal: (word: string) => T
  readonly number: (text: string) => T
  readonly string: (value: string) => T
  readonly array: (items: readonly T[]) => T
  /** The members in their order, where several may have one name. */
  readonly object: (members: readonly (readonly [name: string, value: T])[]) => T
}

/** The message describes why the text is not valid JSON. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Compares codes, since this runs twice for each value of a document of megabytes. */
const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** Each method reads one part of the text, and throws a JsonError where the text has something else. */
export class JsonReader<T> {
  readonly #text: string
  readonly #build: JsonBuilder<T>
  readonly #maxDepth: number
  readonly #isLenient: boolean
  #offset = 0

  /**
   * @param isLenient whether strings are accepted as BigQuery does in a STRING: in double or single quotes, with any character,
   * plain or escaped
   */
  constructor(text: string, build: JsonBuilder<T>, maxDepth: number, isLenient = false) {
    this.#text = text
    this.#build = build
    this.#maxDepth = maxDepth
    this.#isLenient = isLenient
  }

  document(): T {
    const value = this.value(0)
    this.#skipSpace()
    if (this.#offset < this.#text.length) throw this.#unexpected()
    return value
  }

  value(depth: number): T {
    if (depth > this.#maxDepth) throw new JsonError('Max nesting has been exceeded while parsing JSON document')
    if (this.accept('{')) return this.#object(depth)
    if (this.accept('[')) return this.#array(depth)
    const { next } = this
    if (next === '"' || (next === "'" && this.#isLenient)) return this.#build.string(this.string())
    const word = this.#word(NUMBER_OR_LITERAL)
    return LITERALS.has(word) ? this.#build.literal(word) : this.#build.number(word)
  }

  #object(depth: number): T {
    const members: [string, T][] = []
    if (!this.accept('}')) {
      do members.push([this.name(), this.value(depth + 1)])
      while (this.accept(','))
      this.#expect('}')
    }
    return this.#build.object(members)
  }

  #array(depth: number): T {
    const items: T[] = []
    if (!this.accept(']')) {
      do items.push(this.value(depth + 1))
      while (this.accept(','))
      this.#expect(']')
    }
    return this.#build.array(items)
  }

  /** The name of a member, with its colon. */
  name(): string {
    this.#skipSpace()
    const name = this.string()
    this.#expect(':')
    return name
  }

  string(): string {
    const quoted = this.#word(this.#isLenient ? LENIENT_STRING : STRING)
    try {
      return JSON.parse(this.#isLenient ? asJson(quoted) : quoted) as string
    } catch {
      throw new JsonError('syntax error while parsing value - invalid string')
    }
  }

  /** The next character; undefined at the end of the text. */
  get next(): string | undefined {
    return this.#text[this.#offset]
  }

  accept(symbol: string): boolean {
    this.#skipSpace()
    const isNext = this.next === symbol
    if (isNext) this.#offset++
    return isNext
  }

  #expect(symbol: string): void {
    if (!this.accept(symbol)) throw this.#unexpected()
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#offset
    const word = pattern.exec(this.#text)?.[0]
    if (word === undefined) throw this.#unexpected()
    this.#offset += word.length
    return word
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#offset))) this.#offset++
  }

  #unexpected(): JsonError {
    return new JsonError(
      this.next === undefined
        ? 'syntax error while parsing value - unexpected end of input'
        : `syntax error while parsing value - invalid literal at ${this.#offset + 1}`,
    )
  }
}

const NUMBER_OR_LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const LENIENT_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'/sy

/** A lenient string as a JSON string: an escape that JSON does not have stands for the character itself. */
function asJson(quoted: string): string {
  const body = quoted.slice(1, -1).replace(/\\(.)|"/gs, (match, escaped: string | undefined) => {
    if (escaped === undefined) return '\\"'
    return '"\\/bfnrtu'.includes(escaped) ? match : escaped
  })
  return `"${withEscapes(body)}"`
}

const withEscapes = (text: string): string =>
  text.replace(/[\0-\x1f]/g, symbol => `\\u00${symbol.charCodeAt(0).toString(16).padStart(2, '0')}`)
