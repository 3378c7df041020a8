/** NDJSON: the unchanged JSON object of each row, followed by a line feed. */
import type { ResultColumn } from '../../model/query.js'
import { ByteWriter } from './byte-writer.js'
import type { ResultFacts } from './facts.js'
import { ResultReader } from './result-reader.js'

const LINE_FEED = 0x0a

/** @throws JsonTextError, BodyTooLargeError. */
export function toNdjson(_columns: readonly ResultColumn[], json: Uint8Array, { maxBytes }: ResultFacts): Uint8Array {
  const reader = new ResultReader(json)
  const out = new ByteWriter(json.byteLength, maxBytes)
  while (reader.hasRow()) {
    reader.next()
    const start = reader.at
    reader.skipValue()
    out.range(reader.bytes, start, reader.at)
    out.byte(LINE_FEED)
  }
  return out.take()
}
