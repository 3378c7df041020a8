/**
 * Finds durations in a Parquet file: they are whole numbers in it, and only the schema of Arrow that its writer keeps in the metadata
 * tells their unit. The schema is a FlatBuffer, https://github.com/apache/arrow/blob/main/format/Schema.fbs.
 */

/** A table of a FlatBuffer. Its members are numbered in the order of their declaration, and may be absent. */
class Table {
  readonly #bytes: Buffer
  readonly #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  static root(bytes: Buffer, at: number): Table {
    return new Table(bytes, at + bytes.readUInt32LE(at))
  }

  /** The offset of a member; null where it is absent. */
  #offset(member: number): number | null {
    const members = this.#at - this.#bytes.readInt32LE(this.#at)
    const slot = 4 + 2 * member
    const offset = slot < this.#bytes.readUInt16LE(members) ? this.#bytes.readUInt16LE(members + slot) : 0
    return offset === 0 ? null : this.#at + offset
  }

  byte(member: number, otherwise: number): number {
    const at = this.#offset(member)
    return at === null ? otherwise : this.#bytes.readUInt8(at)
  }

  table(member: number): Table | null {
    const at = this.#offset(member)
    return at === null ? null : Table.root(this.#bytes, at)
  }

  tables(member: number): readonly Table[] {
    const at = this.#offset(member)
    if (at === null) return []
    const list = at + this.#bytes.readUInt32LE(at)
    const length = this.#bytes.readUInt32LE(list)
    return Array.from({ length }, (_, i) => Table.root(this.#bytes, list + 4 + 4 * i))
  }
}

const DURATION = 18
const UNITS = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds']
const MILLISECOND = 1
const MAX_FIELDS = 100_000

/**
 * For each column, the unit of each of its leaves, null where that is no duration.
 * @throws RangeError where this is not such a schema
 */
export function durationUnits(schema: Buffer): readonly (readonly (string | null)[])[] {
  // Before the message are a mark, 0xffffffff, and its length.
  const fields = Table.root(schema, 8).table(2)?.tables(1) ?? []
  let left = MAX_FIELDS
  function unitsOf(field: Table): readonly (string | null)[] {
    // In a forged schema, fields may share their children.
    if (--left < 0) throw new RangeError(`more than ${MAX_FIELDS} fields`)
    const children = field.tables(5)
    if (children.length > 0) return children.flatMap(unitsOf)
    const unit = field.byte(2, 0) === DURATION ? (field.table(3)?.byte(0, MILLISECOND) ?? MILLISECOND) : -1
    return [UNITS[unit] ?? null]
  }
  return fields.map(unitsOf)
}
