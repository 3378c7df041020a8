/**
 * Checks one row of NDJSON against its table's schema. A valid row is copied byte for byte, except for the few values that
 * DuckDB's reader would interpret differently, which are rewritten.
 */
import { BadRowError, shown } from '../bad-row.js'
import type { RowBuffer } from '../row-buffer.js'
import type { RowField, RowRecord } from '../row-schema.js'
import { SeenFields } from '../seen-fields.js'
import { ValuePath } from '../value-path.js'
import {
  beginsNumber,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  FALSE,
  JsonTokens,
  LETTER_N,
  NULL,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  TRUE,
} from './json-tokens.js'
import { expectation, isWithin, leafOfText } from './leaf.js'
import { isPlainTimestamp } from './plain-timestamp.js'

/** Every integer with at most this number of digits is an INT64. */
const SAFE_DIGITS = 18
/** Every number without an exponent and with at most this number of bytes is within FLOAT64. */
const SAFE_FLOAT_BYTES = 300

export class JsonRowReader {
  readonly #path = new ValuePath()
  readonly #tokens = new JsonTokens(() => this.#path.text())
  readonly #record: RowRecord
  readonly #ignoresUnknown: boolean
  readonly #out: RowBuffer
  /** The offset up to which the row has been copied. */
  #copied = 0
  readonly #seen = new SeenFields()
  #unknown: string[] = []
  #unknownAt = 0
  /** The last key that the schema does not have. */
  #unknownName = ''

  constructor(record: RowRecord, out: RowBuffer, options: { readonly ignoresUnknown: boolean }) {
    this.#record = record
    this.#out = out
    this.#ignoresUnknown = options.ignoresUnknown
  }

  /** Adds the row to the buffer. @throws BadRowError, and then adds nothing. */
  read(bytes: Buffer, start: number, end: number): void {
    const tokens = this.#tokens
    const before = this.#out.length
    tokens.open(bytes, start, end)
    this.#copied = start
    this.#seen.clear()
    this.#path.clear()
    this.#unknown = []
    try {
      if (tokens.peek() !== OPEN_OBJECT) throw tokens.unexpected('a row, as a JSON object')
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

  /** The error for a missing REQUIRED field of the record that ends here. */
  #missing({ name }: RowField): BadRowError {
    const { at, start } = this.#tokens
    return new BadRowError(at - start, this.#path.textOf(name), 'nothing', REQUIRED)
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
    const seen = this.#seen.open(record.fields.length)
    tokens.at++
    let isEmpty = true
    let next = 0
    if (tokens.peek() !== CLOSE_OBJECT) {
      isEmpty = false
      for (;;) {
        next = this.#readMember(record, seen, next)
        const byte = tokens.peek()
        if (byte !== COMMA && byte !== CLOSE_OBJECT) throw tokens.unexpected('"," or "}"')
        if (byte === CLOSE_OBJECT) break
        tokens.at++
      }
    }
    for (const field of record.awaited) {
      if (this.#seen.has(seen + field.index)) continue
      if (field.isRequired) throw this.#missing(field)
      this.#replace(tokens.at, tokens.at, isEmpty ? field.emptyText : `,${field.emptyText}`)
      isEmpty = false
    }
    tokens.at++
    this.#seen.close(seen)
  }

  /** Reads a member. @returns the index of the field that is likely to come next */
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
    this.#path.open(field)
    const place = seen + field.index
    if (this.#seen.has(place)) throw tokens.bad(start, 'the field a second time', 'each field once')
    this.#seen.add(place)
    this.#readField(field)
    this.#path.close()
    return field.index + 1
  }

  /** Reads a key; a key whose case differs from the schema is rewritten. */
  #fieldHere(record: RowRecord, expected: number): RowField | undefined {
    const tokens = this.#tokens
    const start = tokens.at
    const likely = record.fields[expected]
    if (likely && tokens.standsHere(likely.key)) {
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

  #meetUnknown(start: number): void {
    if (!this.#ignoresUnknown) {
      if (this.#unknown.length === 0) this.#unknownAt = start - this.#tokens.start
      this.#unknown.push(this.#path.textOf(this.#unknownName))
    }
    this.#tokens.skip()
  }

  #readField(field: RowField): void {
    const tokens = this.#tokens
    const first = tokens.peek()
    const start = tokens.at
    // This also holds for JSON columns: a JSON null in a row is the column's NULL.
    if (first === LETTER_N && tokens.standsHere(NULL)) {
      tokens.at += NULL.length
      if (field.isRequired) throw tokens.bad(start, 'null', REQUIRED)
      if (field.isRepeated) this.#replace(start, tokens.at, '[]')
      return
    }
    if (field.isRepeated) this.#readList(field)
    else this.#readSingle(field)
  }

  #readList(field: RowField): void {
    const tokens = this.#tokens
    if (tokens.peek() !== OPEN_LIST) throw this.#misfit(field, 'a list, since the field is REPEATED')
    tokens.at++
    if (tokens.peek() === CLOSE_LIST) {
      tokens.at++
      return
    }
    for (let i = 0; ; i++) {
      this.#path.enterElement(i)
      if (tokens.peek() === LETTER_N && tokens.standsHere(NULL) && field.kind !== 'JSON') {
        throw tokens.bad(tokens.at, 'null', 'a value: a list of BigQuery holds no NULL')
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
      if (first !== OPEN_OBJECT) throw this.#misfit(field)
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
    if (beginsNumber(first)) {
      tokens.number()
      this.#readNumber(field, start)
      return
    }
    this.#readWord(field)
  }

  #readJson(field: RowField): void {
    const tokens = this.#tokens
    const start = tokens.at
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
    if (field.kind === 'FLOAT64' && length <= SAFE_FLOAT_BYTES && !tokens.hasExponent) return
    if (NUMBER_KINDS.has(field.kind)) {
      this.#leaf(field, start, tokens.wholeText(start, tokens.at))
      return
    }
    throw this.#wrong(field, start)
  }

  #readWord(field: RowField): void {
    const tokens = this.#tokens
    const start = tokens.at
    const word = tokens.standsHere(TRUE) ? 'true' : tokens.standsHere(FALSE) ? 'false' : null
    if (word === null) {
      const byte = tokens.peek()
      throw byte === OPEN_LIST || byte === OPEN_OBJECT ? this.#misfit(field) : tokens.unexpected('a JSON value')
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

  /** The error for a value, from `start` to here, that is not of the field's type. */
  #wrong(field: RowField, start: number): BadRowError {
    const tokens = this.#tokens
    const found = tokens.textFrom(start, tokens.at)
    return tokens.bad(start, shown(found), expectation(field.kind, field.limits))
  }

  /** The error for a value of the wrong JSON kind that begins here. */
  #misfit(field: RowField, expected = expectation(field.kind, field.limits)): BadRowError {
    const tokens = this.#tokens
    const start = tokens.at
    const byte = tokens.peek()
    tokens.skip()
    const found =
      byte === OPEN_LIST ? 'a list' : byte === OPEN_OBJECT ? 'an object' : shown(tokens.textFrom(start, tokens.at))
    return tokens.bad(start, found, expected)
  }
}

const REQUIRED = 'a value: the field is REQUIRED'

const NUMBER_KINDS: ReadonlySet<string> = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'TIMESTAMP'])
