/**
 * Reads one row of NDJSON against its table's schema. A row that is as it should be goes on byte for byte, but for the few
 * values that DuckDB's reader would take otherwise: those are written anew.
 */
import { BadRowError, shown } from './bad-row.js'
import { JsonTokens } from './json-tokens.js'
import { expectation, isWithin, leafOfText } from './leaf.js'
import { isPlainTimestamp } from './plain-timestamp.js'
import type { RowBuffer } from './row-buffer.js'
import type { RowField, RowRecord } from './row-schema.js'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_RECORD = 0x7b
const CLOSE_RECORD = 0x7d
/** A whole number of so many digits is an INT64 whatever they are. */
const SAFE_DIGITS = 18
/** A number of so many bytes without an exponent is within FLOAT64. */
const SAFE_FLOAT_BYTES = 300

export class JsonRowReader {
  readonly #tokens = new JsonTokens(() => this.#path())
  readonly #record: RowRecord
  readonly #ignoresUnknown: boolean
  readonly #out: RowBuffer
  /** Up to where the row has been copied. */
  #copied = 0
  /** Which fields of the records that are open have been read; each record has its own stretch. */
  #seen = new Uint8Array(1024)
  #seenEnd = 0
  /** The fields that are open, from the outermost, and which element of each is, or -1. */
  readonly #open: RowField[] = []
  readonly #elements: number[] = []
  #depth = 0
  #unknown: string[] = []
  #unknownAt = 0

  constructor(record: RowRecord, out: RowBuffer, options: { readonly ignoresUnknown: boolean }) {
    this.#record = record
    this.#out = out
    this.#ignoresUnknown = options.ignoresUnknown
  }

  /** Adds the row to the buffer. @throws BadRowError, and then nothing is added. */
  read(bytes: Buffer, start: number, end: number): void {
    const tokens = this.#tokens
    const before = this.#out.length
    tokens.open(bytes, start, end)
    this.#copied = start
    this.#seenEnd = 0
    this.#depth = 0
    this.#unknown = []
    try {
      if (tokens.peek() !== OPEN_RECORD) throw tokens.unexpected('a row, as a JSON object')
      this.#readRecord(this.#record)
      if (tokens.peek() >= 0) throw tokens.unexpected('the end of the row')
      if (this.#unknown.length > 0) throw this.#unknownFields()
    } catch (error) {
      this.#out.length = before
      throw error
    }
    this.#out.copy(bytes, this.#copied, tokens.at)
    this.#out.endRow()
  }

  /** Which value is being read: `metadata[0].request`. */
  #path(): string {
    const names = this.#open.slice(0, this.#depth).map(({ name }, i) => {
      const element = this.#elements[i]!
      return element < 0 ? name : `${name}[${element}]`
    })
    return names.join('.')
  }

  /** A REQUIRED field of the record that ends here stayed away. */
  #missing({ name }: RowField): BadRowError {
    const { at, start } = this.#tokens
    const path = this.#path()
    return new BadRowError(at - start, path === '' ? name : `${path}.${name}`, 'nothing', REQUIRED)
  }

  #unknownFields(): BadRowError {
    const names = this.#unknown
    const list = names.map(name => JSON.stringify(shown(name))).join(', ')
    return new BadRowError(
      this.#unknownAt,
      '',
      names.length === 1 ? `the unknown field ${list}` : `the unknown fields ${list}`,
      'fields of the schema',
    )
  }

  #replace(start: number, end: number, text: string): void {
    this.#out.copy(this.#tokens.bytes, this.#copied, start)
    this.#out.write(text)
    this.#copied = end
  }

  #readRecord(record: RowRecord): void {
    const tokens = this.#tokens
    const seen = this.#seenEnd
    this.#openSeen(record.fields.length)
    tokens.at++
    let isEmpty = true
    let next = 0
    if (tokens.peek() !== CLOSE_RECORD) {
      isEmpty = false
      for (;;) {
        next = this.#readMember(record, seen, next)
        const byte = tokens.peek()
        if (byte !== COMMA && byte !== CLOSE_RECORD) throw tokens.unexpected('"," or "}"')
        if (byte === CLOSE_RECORD) break
        tokens.at++
      }
    }
    for (const field of record.awaited) {
      if (this.#seen[seen + field.index] === 1) continue
      if (field.isRequired) throw this.#missing(field)
      this.#replace(tokens.at, tokens.at, isEmpty ? field.emptyText : `,${field.emptyText}`)
      isEmpty = false
    }
    tokens.at++
    this.#seenEnd = seen
  }

  #openSeen(count: number): void {
    const end = this.#seenEnd + count
    if (end > this.#seen.length) {
      const bigger = new Uint8Array(end * 2)
      bigger.set(this.#seen)
      this.#seen = bigger
    }
    this.#seen.fill(0, this.#seenEnd, end)
    this.#seenEnd = end
  }

  /** @returns the index of the field that most likely comes next */
  #readMember(record: RowRecord, seen: number, expected: number): number {
    const tokens = this.#tokens
    if (tokens.peek() !== QUOTE) throw tokens.unexpected('a key in quotes')
    const start = tokens.at
    const field = this.#fieldHere(record, expected)
    tokens.expect(COLON)
    if (field === undefined) {
      this.#meetUnknown(start)
      return expected
    }
    this.#open[this.#depth] = field
    this.#elements[this.#depth++] = -1
    if (this.#seen[seen + field.index] === 1) {
      throw new BadRowError(start - tokens.start, this.#path(), 'the field a second time', 'each field once')
    }
    this.#seen[seen + field.index] = 1
    this.#readField(field)
    this.#depth--
    return field.index + 1
  }

  /** Reads a key; one that is spelled in another case is written anew. */
  #fieldHere(record: RowRecord, expected: number): RowField | undefined {
    const tokens = this.#tokens
    const start = tokens.at
    const likely = record.fields[expected]
    if (likely && this.#standsHere(likely.key)) {
      tokens.at += likely.key.length
      return likely
    }
    tokens.string()
    const raw = tokens.wholeText(start, tokens.at)
    const name = tokens.hasEscape ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    const field = record.byName.get(name.toLowerCase())
    if (field === undefined) this.#unknownName = name
    else if (field.name !== name || tokens.hasEscape) this.#replace(start, tokens.at, JSON.stringify(field.name))
    return field
  }
  #unknownName = ''

  #standsHere(key: Uint8Array): boolean {
    const { bytes, at, end } = this.#tokens
    if (at + key.length > end) return false
    for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false
    return true
  }

  #meetUnknown(start: number): void {
    if (!this.#ignoresUnknown) {
      if (this.#unknown.length === 0) this.#unknownAt = start - this.#tokens.start
      const path = this.#path()
      this.#unknown.push(path === '' ? this.#unknownName : `${path}.${this.#unknownName}`)
    }
    this.#tokens.skip()
  }

  #readField(field: RowField): void {
    const tokens = this.#tokens
    const first = tokens.peek()
    const start = tokens.at
    if (first === 0x6e && tokens.isWord('null') && field.kind !== 'JSON') {
      tokens.at += 4
      if (field.isRequired) throw new BadRowError(start - tokens.start, this.#path(), 'null', REQUIRED)
      if (field.isRepeated) this.#replace(start, tokens.at, '[]')
      return
    }
    if (field.isRepeated) this.#readList(field)
    else this.#readSingle(field)
  }

  #readList(field: RowField): void {
    const tokens = this.#tokens
    if (field.kind === 'JSON' && tokens.isWord('null')) {
      this.#replace(tokens.at, tokens.at + 4, '[]')
      tokens.at += 4
      return
    }
    if (tokens.peek() !== OPEN_LIST) throw this.#misfit(field, 'a list, since the field is REPEATED')
    tokens.at++
    if (tokens.peek() === CLOSE_LIST) {
      tokens.at++
      return
    }
    for (let i = 0; ; i++) {
      this.#elements[this.#depth - 1] = i
      if (tokens.peek() === 0x6e && tokens.isWord('null') && field.kind !== 'JSON') {
        throw new BadRowError(
          tokens.at - tokens.start,
          this.#path(),
          'null',
          'a value: a list of BigQuery holds no NULL',
        )
      }
      this.#readSingle(field)
      const byte = tokens.peek()
      if (byte !== COMMA && byte !== CLOSE_LIST) throw tokens.unexpected('"," or "]"')
      tokens.at++
      if (byte === CLOSE_LIST) break
    }
  }

  #readSingle(field: RowField): void {
    const tokens = this.#tokens
    const first = tokens.peek()
    if (field.record !== null) {
      if (first !== OPEN_RECORD) throw this.#misfit(field)
      this.#readRecord(field.record)
      return
    }
    const start = tokens.at
    if (field.kind === 'JSON') {
      this.#readJson(field)
      return
    }
    if (first === QUOTE) {
      tokens.string()
      this.#readText(field, start)
      return
    }
    if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
      tokens.number()
      this.#readNumber(field, start)
      return
    }
    this.#readWord(field)
  }

  #readJson(field: RowField): void {
    const tokens = this.#tokens
    const start = tokens.at
    const isElement = this.#elements[this.#depth - 1]! >= 0
    if (tokens.isWord('null') && !isElement) {
      // A NULL of the column: the JSON value null has no other way to be written.
      tokens.at += 4
      if (field.isRequired) throw new BadRowError(start - tokens.start, this.#path(), 'null', REQUIRED)
      return
    }
    tokens.skip()
    const leaf = leafOfText('JSON', tokens.wholeText(start, tokens.at), field.limits)
    if (leaf === null) throw this.#wrong(field, start)
    this.#replace(start, tokens.at, leaf)
  }

  #readText(field: RowField, start: number): void {
    const tokens = this.#tokens
    const { kind, limits } = field
    const { at, bytes } = tokens
    if (kind === 'STRING' && (limits.maxLength === null || at - start - 2 <= limits.maxLength)) return
    if (kind === 'TIMESTAMP' && isPlainTimestamp(bytes, start + 1, at - 1)) return
    const raw = tokens.wholeText(start, at)
    const text = tokens.hasEscape ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    if (kind === 'STRING') {
      if (isWithin(limits.maxLength, text)) return
      throw this.#wrong(field, start)
    }
    this.#leaf(field, start, text)
  }

  #readNumber(field: RowField, start: number): void {
    const tokens = this.#tokens
    const length = tokens.at - start
    if (field.kind === 'INT64' && tokens.isPlainInteger && length <= SAFE_DIGITS) return
    if (field.kind === 'FLOAT64' && length <= SAFE_FLOAT_BYTES && !this.#hasExponent(start)) return
    if (NUMBER_KINDS.has(field.kind)) {
      this.#leaf(field, start, tokens.wholeText(start, tokens.at))
      return
    }
    throw this.#wrong(field, start)
  }

  #hasExponent(start: number): boolean {
    const { bytes, at } = this.#tokens
    for (let i = start; i < at; i++) if (bytes[i] === 0x65 || bytes[i] === 0x45) return true
    return false
  }

  #readWord(field: RowField): void {
    const tokens = this.#tokens
    const start = tokens.at
    const word = tokens.isWord('true') ? 'true' : tokens.isWord('false') ? 'false' : null
    if (word === null) {
      const byte = tokens.peek()
      throw byte === OPEN_LIST || byte === OPEN_RECORD ? this.#misfit(field) : tokens.unexpected('a JSON value')
    }
    tokens.at += word.length
    if (field.kind === 'BOOL') return
    if (field.kind === 'STRING') {
      this.#leaf(field, start, word)
      return
    }
    throw this.#wrong(field, start)
  }

  #leaf(field: RowField, start: number, text: string): void {
    const leaf = field.kind === 'STRUCT' ? null : leafOfText(field.kind, text, field.limits)
    if (leaf === null) throw this.#wrong(field, start)
    this.#replace(start, this.#tokens.at, leaf)
  }

  /** The value from `start` to here is none of the field's type. */
  #wrong(field: RowField, start: number): BadRowError {
    const tokens = this.#tokens
    const found = tokens.textFrom(start, tokens.at)
    return new BadRowError(start - tokens.start, this.#path(), shown(found), expectation(field.kind, field.limits))
  }

  /** The value that begins here is of another kind altogether. */
  #misfit(field: RowField, expected = expectation(field.kind, field.limits)): BadRowError {
    const tokens = this.#tokens
    const start = tokens.at
    const byte = tokens.peek()
    tokens.skip()
    const found =
      byte === OPEN_LIST ? 'a list' : byte === OPEN_RECORD ? 'an object' : shown(tokens.textFrom(start, tokens.at))
    return new BadRowError(start - tokens.start, this.#path(), found, expected)
  }
}

const REQUIRED = 'a value: the field is REQUIRED'

const NUMBER_KINDS: ReadonlySet<string> = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'TIMESTAMP'])
