/** A Parquet file: the rows of a result in groups, each written and forgotten before the next is read. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Type } from '../../../googlesql/index.js'
import type { ResultColumn } from '../../model/query.js'
import { BodyTooLargeError } from '../body.js'
import type { ResultFacts } from './facts.js'
import { schemaElements } from './parquet-schema.js'
import { valueReader } from './parquet-values.js'
import { ResultReader } from './result-reader.js'
import { columnTypes, schemaMetadata } from './typed-result.js'

/** A group of rows ends at this many rows or bytes of JSON, since its values take about ten times as much memory. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 4_000_000

/** @throws JsonTextError, BodyTooLargeError, TypeError when a column's type cannot be read. */
export function toParquet(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array {
  const { maxBytes = Number.POSITIVE_INFINITY } = facts
  const types = columnTypes(columns)
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'schema', num_children: columns.length },
      ...columns.flatMap(({ name }, i) => schemaElements(name, types[i]!, facts.contract?.[i])),
    ],
    kvMetadata: [...schemaMetadata(facts)].map(([key, value]) => ({ key, value })),
    createdBy: 'sluice',
  })
  const readers = columns.map(({ name }, i) => valueReader(name, types[i]!, facts.contract?.[i]))
  const reader = new ResultReader(json)
  const next = (): unknown[][] => columns.map(() => [])
  let [cells, rows, start] = [next(), 0, reader.at]
  const writeGroup = (): void => {
    file.write({
      columnData: columns.map(({ name }, i) => ({ name, data: cells[i]!, ...encodingOf(types[i]!) })),
      rowGroupSize: rows,
    })
    if (writer.offset > maxBytes) throw new BodyTooLargeError(maxBytes)
    ;[cells, rows, start] = [next(), 0, reader.at]
  }
  while (reader.hasRow()) {
    for (let i = 0; i < readers.length; i++) {
      reader.toMember(i)
      cells[i]!.push(readers[i]!(reader))
    }
    reader.closeObject(readers.length)
    if (++rows === GROUP_ROWS || reader.at - start >= GROUP_BYTES) writeGroup()
  }
  if (rows > 0) writeGroup()
  file.finish()
  if (writer.offset > maxBytes) throw new BodyTooLargeError(maxBytes)
  return new Uint8Array(writer.getBuffer())
}

/** The writer's dictionaries take -0 and 0 for one value. */
const encodingOf = (type: Type): { readonly encoding?: 'PLAIN' } => (hasDouble(type) ? { encoding: 'PLAIN' } : {})

function hasDouble(type: Type): boolean {
  if (type.kind === 'ARRAY') return hasDouble(type.element)
  return type.kind === 'FLOAT64' || (type.kind === 'STRUCT' && type.fields.some(field => hasDouble(field.type)))
}
