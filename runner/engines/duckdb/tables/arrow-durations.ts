/**
 * Finds durations in a Parquet file. In the file they are whole numbers; only Arrow's schema, which some writers put into the metadata,
 * has their unit. That schema is a FlatBuffer, https://github.com/apache/arrow/blob/main/format/Schema.fbs.
 */
import { Duration } from 'apache-arrow/fb/duration'
import type { Field } from 'apache-arrow/fb/field'
import { Message } from 'apache-arrow/fb/message'
import { Schema } from 'apache-arrow/fb/schema'
import { Type } from 'apache-arrow/fb/type'
import { ByteBuffer } from 'flatbuffers'

const UNITS = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds']
const MAX_FIELDS = 100_000

type Units = readonly (string | null)[]

/**
 * For each column, the unit of each of its leaves; null for a leaf that is not a duration.
 * @throws RangeError for a schema with too many fields: in a forged one, fields may share their children
 */
export function durationUnits(schema: Uint8Array): readonly Units[] {
  let remaining = MAX_FIELDS
  function fieldsOf<T>(count: number, fieldAt: (index: number) => Field | null, map: (field: Field) => T): T[] {
    remaining -= count
    if (count < 0 || remaining < 0) throw new RangeError(`more than ${MAX_FIELDS} fields`)
    return Array.from({ length: count }, (_, i) => map(fieldAt(i)!))
  }
  function unitsOf(field: Field): Units {
    const childUnits = fieldsOf(field.childrenLength(), i => field.children(i), unitsOf)
    if (childUnits.length > 0) return childUnits.flat()
    const type = field.typeType() === Type.Duration ? (field.type(new Duration()) as Duration | null) : null
    return [(type && UNITS[type.unit()]) ?? null]
  }
  // The first 8 bytes are a mark, 0xffffffff, and the length of the message.
  const arrowSchema = Message.getRootAsMessage(new ByteBuffer(schema.subarray(8))).header(new Schema()) as Schema | null
  return arrowSchema === null ? [] : fieldsOf(arrowSchema.fieldsLength(), i => arrowSchema.fields(i), unitsOf)
}
