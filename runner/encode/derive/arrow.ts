/**
 * Writes a result as an Arrow IPC stream. The library's builders lose microseconds (they multiply a number by 1,000 and
 * refuse a bigint), so the buffers of each column are filled here and the library only writes them.
 */
import { makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow'
import type { ResultColumn } from '../../model/query.js'
import { BodyTooLargeError } from '../body.js'
import { arrowColumn } from './arrow-columns.js'
import { arrowField } from './arrow-types.js'
import type { ResultFacts } from './facts.js'
import { ResultReader } from './result-reader.js'
import { columnTypes, schemaMetadata } from './typed-result.js'

/** The most rows of a record batch. */
const BATCH_ROWS = 8_192

/** @throws JsonTextError, BodyTooLargeError, TypeError when a column's type cannot be read. */
export function toArrow(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array {
  const { maxBytes = Number.POSITIVE_INFINITY } = facts
  const types = columnTypes(columns)
  const fields = columns.map(({ name }, i) => arrowField(name, types[i]!, facts.contract?.[i]))
  const schema = new Schema(fields, new Map(schemaMetadata(facts)))
  const cells = fields.map((field, i) => arrowColumn(field, types[i]!))
  const writer = new RecordBatchStreamWriter()
  // Writes the schema, which a result without rows has too.
  writer.reset(undefined, schema)

  const reader = new ResultReader(json)
  const struct = new Struct(schema.fields)
  let [rows, bytes] = [0, 0]
  const writeBatch = (): void => {
    const children = cells.map(cell => cell.take())
    const batch = makeData({ type: struct, length: rows, nullCount: 0, children })
    bytes += batch.byteLength
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes)
    writer.write(new RecordBatch(schema, batch))
    rows = 0
  }
  while (reader.hasRow()) {
    for (let i = 0; i < cells.length; i++) {
      reader.toMember(i)
      cells[i]!.read(reader)
    }
    reader.closeObject(cells.length)
    if (++rows === BATCH_ROWS) writeBatch()
  }
  if (rows > 0) writeBatch()
  writer.finish()
  return ownBytes(writer.toUint8Array(true))
}

/** The bytes, copied if needed so that they are alone in their buffer. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}
