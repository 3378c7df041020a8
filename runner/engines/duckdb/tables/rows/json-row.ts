/**
 * Checks one row of NDJSON against its table's schema, and writes it for DuckDB's reader: with the schema's names, and in another spelling
 * for the few values that the reader would change.
 */
import { type BadRowError, excerptOf } from './bad-row.js'
import { sameNameNote } from './column-name.js'
import { beginsNumber, JsonTokens } from './json-tokens.js'
import { expectation, leafOfText } from './leaf.js'
import type { RowField, RowRecord } from './row-schema.js'
import type { RowReader } from './row-stream.js'

export class JsonRowReader implements RowReader {
  /** The open fields, outermost first, such as `lines[1]`. */
  readonly #path: string[] = []
  readonly #tokens = new JsonTokens(() => this.#path.join('.'))
  readonly #record: RowRecord
  readonly #ignoreSetting: string | null
  /** For fields whose key in the row is not the field's name: the last such key, for messages. */
  readonly #keys = new Map<RowField, string>()
  #unknown: string[] = []
  #unknownAt = 0

  /** @param ignoreSetting see rowFormat */
  constructor(record: RowRecord, ignoreSetting: string | null) {
    this.#record = record
    this.#ignoreSetting = ignoreSetting
  }

  /** @throws BadRowError */
  read(bytes: Buffer, start: number, end: number): string {
    const tokens = this.#tokens
    tokens.open(bytes.toString('utf8', start, end))
    this.#path.length = 0
    this.#unknown = []
    if (tokens.peek() !== '{') throw tokens.unexpected('a row, as a JSON object')
    const row = this.#readRecord(this.#record)
    if (tokens.peek() !== '') throw tokens.unexpected('the end of the row')
    if (this.#unknown.length > 0) throw this.#unknownFields()
    return row
  }

  #unknownFields(): BadRowError {
    const names = this.#unknown
    const list = names.map(name => JSON.stringify(excerptOf(name))).join(', ')
    return this.#tokens.fault(
      this.#unknownAt,
      names.length === 1 ? `the unknown field ${list}` : `the unknown fields ${list}`,
      `fields of the schema; ${this.#ignoreSetting} leaves others out`,
      '',
    )
  }

  #pathOf(name: string): string {
    return [...this.#path, name].join('.')
  }

  /** Reads an object; returns it as JSON, like the methods below. */
  #readRecord(record: RowRecord): string {
    const tokens = this.#tokens
    const members = new Map<RowField, string>()
    tokens.members(() => this.#readMember(record, members))
    for (const field of record.neededFields) {
      if (members.has(field)) continue
      if (field.folderValue === null && field.isRequired)
        throw tokens.fault(tokens.at - 1, 'nothing', REQUIRED, this.#pathOf(field.name))
      members.set(field, field.folderValue ?? '[]')
    }
    return jsonObject(members)
  }

  #readMember(record: RowRecord, members: Map<RowField, string>): void {
    const tokens = this.#tokens
    tokens.peek()
    const start = tokens.at
    const name = tokens.key()
    const field = record.find(name)
    if (field === undefined) {
      this.#addUnknown(name, start)
      return
    }
    this.#path.push(field.name)
    if (members.has(field)) {
      const twice = sameNameNote(this.#keys.get(field) ?? field.name, name)
      throw tokens.fault(start, `the field a second time${twice}`, 'each field once')
    }
    if (field.folderValue !== null) throw tokens.fault(start, 'the field', FOLDER_ONLY)
    if (name !== field.name) this.#keys.set(field, name)
    else if (this.#keys.size > 0) this.#keys.delete(field)
    members.set(field, this.#readField(field))
    this.#path.pop()
  }

  #addUnknown(name: string, start: number): void {
    if (this.#ignoreSetting !== null) {
      if (this.#unknown.length === 0) this.#unknownAt = start
      this.#unknown.push(this.#pathOf(name))
    }
    this.#tokens.skip()
  }

  #readField(field: RowField): string {
    const tokens = this.#tokens
    tokens.peek()
    const start = tokens.at
    // This also holds for JSON columns: a JSON null in a row is the column's NULL.
    if (tokens.isNext('null')) {
      tokens.at += 'null'.length
      if (field.isRequired) throw tokens.fault(start, 'null', REQUIRED)
      return field.isRepeated ? '[]' : 'null'
    }
    return field.isRepeated ? this.#readList(field) : this.#readSingle(field)
  }

  #readList(field: RowField): string {
    const tokens = this.#tokens
    if (tokens.peek() !== '[') throw this.#wrongKind(field, 'a list, since the field is REPEATED')
    const elements: string[] = []
    tokens.members(index => {
      this.#path[this.#path.length - 1] = `${field.name}[${index}]`
      if (tokens.peek() === 'n' && tokens.isNext('null') && field.kind !== 'JSON') {
        throw tokens.fault(tokens.at, 'null', 'a value: a list of BigQuery holds no NULL')
      }
      elements.push(this.#readSingle(field))
    })
    return `[${elements.join(',')}]`
  }

  #readSingle(field: RowField): string {
    const tokens = this.#tokens
    const { kind, record } = field
    const first = tokens.peek()
    const start = tokens.at
    if (record !== null) {
      if (first !== '{') throw this.#wrongKind(field)
      return this.#readRecord(record)
    }
    if (kind === 'JSON') {
      tokens.skip()
      return this.#leaf(field, start, tokens.textFrom(start))
    }
    if (first === '"') {
      if (kind === 'STRING' && field.limits.maxLength === null) {
        tokens.string()
        return tokens.textFrom(start)
      }
      const text = tokens.text()
      // Only CSV may also have `yes`, `t` and 1.
      if (kind === 'BOOL' && !/^(?:true|false)$/i.test(text)) throw this.#wrongValue(field, start)
      return this.#leaf(field, start, text)
    }
    if (beginsNumber(first)) {
      tokens.number()
      if (NUMBER_KINDS.has(kind)) return this.#leaf(field, start, numberText(kind, tokens.textFrom(start)))
      throw this.#wrongValue(field, start)
    }
    const word = ['true', 'false'].find(literal => tokens.isNext(literal))
    if (word === undefined) {
      throw first === '[' || first === '{' ? this.#wrongKind(field) : tokens.unexpected('a JSON value')
    }
    tokens.at += word.length
    if (kind === 'BOOL' || kind === 'STRING') return this.#leaf(field, start, word)
    throw this.#wrongValue(field, start)
  }

  /** The value as JSON for DuckDB. @param start where the value begins in the row, for an error @param text the text of the value */
  #leaf(field: RowField, start: number, text: string): string {
    const leaf = field.kind === 'STRUCT' ? null : leafOfText(field.kind, text, field.limits)
    if (leaf === null) throw this.#wrongValue(field, start)
    return leaf
  }

  /** The error for a value, from `start` to here, that is not of the field's type. */
  #wrongValue(field: RowField, start: number): BadRowError {
    const tokens = this.#tokens
    const found = tokens.textFrom(start)
    return tokens.fault(start, excerptOf(found), expectation(field.kind, field.limits))
  }

  /** The error for a value of the wrong JSON kind that begins here. */
  #wrongKind(field: RowField, expected = expectation(field.kind, field.limits)): BadRowError {
    const tokens = this.#tokens
    const start = tokens.at
    const first = tokens.peek()
    tokens.skip()
    const found = first === '[' ? 'a list' : first === '{' ? 'an object' : excerptOf(tokens.textFrom(start))
    return tokens.fault(start, found, expected)
  }
}

/** What a message expects if a row or header has a field whose value the name of the file's folder gives. */
export const FOLDER_ONLY = 'it in the name of the folder alone'

const REQUIRED = 'a value: the field is REQUIRED'

/** The types for which a JSON number is a value. */
export const NUMBER_KINDS: ReadonlySet<string> = new Set([
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'STRING',
  'TIMESTAMP',
])

/** The text of a number for its type: without an exponent for INT64 and TIMESTAMP, which have none. DuckDB reads -0 as 0. */
function numberText(kind: RowField['kind'], text: string): string {
  if (text === '-0') return '0'
  const hasExponent = /[eE]/.test(text)
  return hasExponent && (kind === 'INT64' || kind === 'TIMESTAMP') ? String(Number(text)) : text
}

/** A JSON object of these fields. @param members the values as JSON */
export const jsonObject = (members: Iterable<readonly [RowField, string]>): string =>
  `{${[...members].map(([{ key }, value]) => `${key}:${value}`).join(',')}}`
