/** The facts about the values of one column, or of one field of a record, in all rows. */

import { excerptOf } from '../../../runner/engines/duckdb/tables/rows/bad-row.js'
import { columnName } from '../../../runner/engines/duckdb/tables/rows/column-name.js'
import type { Cell } from '../../../runner/engines/duckdb/tables/rows/csv.js'
import { renamingDoubt } from './column-name.js'
import type { ValueKind } from './value-kinds.js'

/** The first value of a kind, and where it stands. */
export type Sample = ReturnType<typeof sampleOf>

/** If objects have more keys than this, their keys are probably values. */
const MAX_FIELDS = 200

export class ValueFacts {
  readonly kinds = new Map<ValueKind, { count: number; readonly first: Sample }>()
  /** The number of values that are present and not null. */
  count = 0
  /** The key that these facts are about, in its first spelling; `renaming` says how the name of its column differs. */
  readonly key: string
  renaming: string | null = null
  /** The fields of objects by the names of their columns, in the order in which they first occur. */
  readonly fields = new Map<string, ValueFacts>()
  /** Whether objects have more different keys than may be kept. */
  hasTooManyFields = false
  /** The first null among the elements; null where no list has one. */
  nullElement: Sample | null = null
  /** The smallest and largest of the numbers, including texts that consist of digits. */
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  /** The first number that a FLOAT64 rounds; null if there is no such number. */
  rounded: Sample | null = null
  /** The first time with digits beyond microseconds; null if there is no such time. */
  fineTime: Sample | null = null
  /** The number of objects read so far in all files of the table; only the facts about the table's rows count them. */
  objects = 0
  /** The row of a CSV file that was read last; only the facts about the table's rows have it. */
  lastRow: { readonly cells: readonly Cell[]; readonly line: number } | null = null
  /** The first text with spaces around it; null if there is no such text. */
  padded: Sample | null = null
  /** The number of the object in which the field was last seen, and its key there. */
  lastObject = 0
  lastKey = ''
  readonly #spellings = new Map<string, string>()
  #element: ValueFacts | null = null
  readonly #maxFields: number

  constructor(maxFields = MAX_FIELDS, key = '') {
    this.#maxFields = maxFields
    this.key = key
  }

  /** The facts about the elements of lists. */
  get element(): ValueFacts {
    this.#element ??= new ValueFacts()
    return this.#element
  }

  /** Counts a value; `place` is used for the first value of each kind. */
  see(kind: ValueKind, text: string, place: Place): void {
    this.count++
    const facts = this.kinds.get(kind)
    if (facts) facts.count++
    else this.kinds.set(kind, { count: 1, first: sampleOf(text, place) })
    if (kind === 'integer' || kind === 'number' || kind === 'digits') {
      const value = Number(text)
      if (value < this.min) this.min = value
      if (value > this.max) this.max = value
      if (this.rounded === null && kind !== 'digits' && isRounded(text, value)) this.rounded = sampleOf(text, place)
    }
    if (this.padded === null && kind === 'text' && text.trim().length < text.length) this.padded = sampleOf(text, place)
    if (this.fineTime === null && (kind === 'time' || kind === 'local-time') && /\.\d{6}0*[1-9]/.test(text)) {
      this.fineTime = sampleOf(text, place)
    }
  }

  /** The facts of a key; null when there are too many keys. */
  field(key: string): ValueFacts | null {
    const name = columnName(key)
    const lower = name.toLowerCase()
    const facts = this.fields.get(name) ?? this.fields.get(this.#spellings.get(lower) ?? name)
    if (facts) return facts
    if (this.fields.size >= this.#maxFields) {
      this.hasTooManyFields = true
      return null
    }
    const added = new ValueFacts(MAX_FIELDS, key)
    if (name !== key) added.renaming = renamingDoubt(key)
    this.fields.set(name, added)
    this.#spellings.set(lower, name)
    return added
  }
}

/** A FLOAT64 keeps every number of at most 15 digits. */
const isRounded = (text: string, value: number): boolean =>
  text.length > 15 && Number.isFinite(value) && digitsOf(text) !== digitsOf(String(value))

const digitsOf = (number: string): string =>
  number
    .replace(/e.*/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '')

/** The row that is being read. */
export interface Place {
  readonly file: string
  readonly line: number
}

export const sampleOf = (text: string, { file, line }: Place) => ({ text: excerptOf(text), file, line })
