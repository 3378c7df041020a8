/** Reads rows of NDJSON and CSV, and counts their values by kind (see ValueKind). */

import { excerptOf } from '../../../runner/engines/duckdb/tables/rows/bad-row.js'
import { headerNames, sameNameNote } from '../../../runner/engines/duckdb/tables/rows/column-name.js'
import type { Cell } from '../../../runner/engines/duckdb/tables/rows/csv.js'
import type { CsvForm } from '../../../runner/engines/duckdb/tables/rows/csv-form.js'
import { csvReader } from '../../../runner/engines/duckdb/tables/rows/csv-row.js'
import { beginsNumber, JsonTokens } from '../../../runner/engines/duckdb/tables/rows/json-tokens.js'
import type { RowReader } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { type Place, sampleOf, type ValueFacts } from './value-facts.js'
import { kindOfCell, kindOfNumber, kindOfText } from './value-kinds.js'

/** BigQuery's limit on the nesting depth of records. */
const MAX_RECORDS = 15
/** The length to which an object or list that no type fits is cut for messages. */
const MAX_SAMPLE_LENGTH = 200

/** Reads rows of one file into the facts of the whole table. */
export class JsonValueReader implements RowReader, Place {
  readonly file: string
  /** The line in which the row begins. */
  #line = 0
  readonly #row: ValueFacts
  readonly #path: string[] = []
  readonly #tokens = new JsonTokens(() => this.#path.join('.'))

  constructor(file: string, row: ValueFacts) {
    this.file = file
    this.#row = row
  }

  /** The line of the value that was read last. */
  get line(): number {
    return this.#line + this.#tokens.textFrom(0).split('\n').length - 1
  }

  /** @throws BadRowError */
  read(bytes: Buffer, start: number, end: number, line: number): null {
    const tokens = this.#tokens
    this.#line = line
    tokens.open(bytes.toString('utf8', start, end))
    this.#path.length = 0
    if (tokens.peek() !== '{') throw tokens.unexpected('a row, as a JSON object')
    this.#readObject(this.#row, 0)
    if (tokens.peek() !== '') throw tokens.unexpected('the end of the row')
    return null
  }

  #readObject(facts: ValueFacts, depth: number): void {
    const tokens = this.#tokens
    const object = ++this.#row.objects
    facts.see('object', '{…}', this)
    tokens.members(() => {
      tokens.peek()
      const start = tokens.at
      const key = tokens.key()
      const field = facts.field(key)
      if (field === null) {
        tokens.skip()
        return
      }
      if (field.lastObject === object) {
        const twice = `the key "${excerptOf(key)}" a second time${sameNameNote(field.lastKey, key)}`
        throw tokens.fault(start, twice, 'each key once')
      }
      field.lastObject = object
      field.lastKey = key
      this.#path.push(key)
      this.#readValue(field, depth)
      this.#path.pop()
    })
  }

  #readValue(facts: ValueFacts, depth: number): void {
    const tokens = this.#tokens
    const first = tokens.peek()
    const start = tokens.at
    if (first === '"') {
      const text = tokens.text()
      facts.see(kindOfText(text), text, this)
    } else if (beginsNumber(first)) {
      tokens.number()
      const text = tokens.textFrom(start)
      facts.see(kindOfNumber(text), text, this)
    } else if (tokens.isNext('null')) {
      tokens.at += 'null'.length
    } else if (first === '{' && depth < MAX_RECORDS) {
      this.#readObject(facts, depth + 1)
    } else if (first === '[') {
      this.#readList(facts, depth)
    } else if (first === '{') {
      tokens.skip()
      facts.hasTooManyFields = true
      facts.see('object', tokens.textFrom(start).slice(0, MAX_SAMPLE_LENGTH), this)
    } else {
      const isTrue = tokens.isNext('true')
      tokens.skip()
      facts.see('bool', isTrue ? 'true' : 'false', this)
    }
  }

  #readList(facts: ValueFacts, depth: number): void {
    const tokens = this.#tokens
    facts.see('list', '[…]', this)
    tokens.members(() => {
      if (tokens.peek() === 'n' && tokens.isNext('null')) facts.nullElement ??= sampleOf('null', this)
      if (tokens.peek() !== '[') {
        this.#readValue(facts.element, depth)
        return
      }
      const start = tokens.at
      tokens.skip()
      facts.element.see('list', tokens.textFrom(start).slice(0, MAX_SAMPLE_LENGTH), this)
    })
  }
}

/** Reads rows of CSV into the facts about each column. A column beyond the greatest number of columns is ignored. */
export function csvValueReader(file: string, row: ValueFacts, form: CsvForm): RowReader {
  function columnsOf(header: readonly Cell[]): readonly (ValueFacts | null)[] {
    const names = header.map(({ text }) => text ?? '')
    const keys = new Map<ValueFacts, string>()
    return headerNames(names).map((name, i) => {
      const field = row.field(name)
      if (field === null) return null
      const other = keys.get(field)
      if (other !== undefined) throw new QueryFault(`the header has a name twice${sameNameNote(other, name)}`)
      keys.set(field, name)
      if (names[i] === '') field.renaming ??= `is the name for column ${i + 1}, which has none`
      else if (names[i] !== name) field.renaming ??= `is the name for another column "${excerptOf(names[i]!)}"`
      return field
    })
  }

  function read(columns: readonly (ValueFacts | null)[], cells: readonly Cell[], line: number): null {
    row.see('object', '', { file, line })
    row.lastRow = { cells, line }
    for (const [i, { text }] of cells.entries()) {
      const facts = columns[i]
      if (!facts || text === null) continue
      // A word for NULL that is still here stands in quotes in the file, so it is a text.
      const kind = text !== '' && form.nulls.has(text) ? 'text' : kindOfCell(text, form.hasDecimalComma)
      facts.see(kind, text, { file, line })
    }
    return null
  }

  const headerFor = (cells: readonly Cell[]): Cell[] => cells.map((_, i) => ({ text: `column_${i + 1}`, offset: 0 }))
  return csvReader({ columnsOf, headerFor, read }, form)
}
