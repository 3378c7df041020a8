/**
 * Reads the texts of DuckDB's vectors. The binding makes a buffer for each text of more than 12 bytes, which takes ten times as long
 * as reading it; here, texts that lie close together in DuckDB's memory share one.
 */
import { isAscii } from 'node:buffer'
import { DuckDBBlobVector, type DuckDBValue, DuckDBVarCharVector, type DuckDBVector } from '@duckdb/node-api'

/** DuckDB's `duckdb_string_t`: a length, then all bytes of a short text, or from `address` on where a longer one lies. */
const RECORD = { bytes: 16, text: 4, address: 8, mostShort: 12 } as const
/**
 * The most bytes between two texts that share a buffer. Bytes between two that may be read may be read too where they are fewer than a
 * page of memory, since each of their pages then has a byte of a text.
 */
const MOST_BETWEEN = 256
const MOST_SHARED_BYTES = 262_144
/** With fewer texts, one at a time takes less: each value of an ARRAY is a vector of its own. */
const LEAST_TEXTS = 8

/** Makes the function that reads the items of a column of texts, row after row, as `getItem` does. */
export function textReader(): (vector: DuckDBVector, row: number) => DuckDBValue {
  let [last, textAt]: [DuckDBVector | null, (row: number) => string] = [null, String]
  return (vector, row) => {
    if (!(vector instanceof DuckDBVarCharVector) || vector.itemCount < LEAST_TEXTS) return vector.getItem(row)
    if (!vector['validity'].itemValid(row)) return null
    if (vector !== last) [last, textAt] = [vector, textsOf(vector)]
    return textAt(row)
  }
}

/** Reads the text of a row that is not NULL. */
function textsOf(vector: DuckDBVarCharVector): (row: number) => string {
  const [records, record] = [vector['dataView'], new DataView(new ArrayBuffer(RECORD.bytes))]
  const lengthOf = (row: number): number => records.getUint32(row * RECORD.bytes, true)
  const readers = new Array<ReadText>(vector.itemCount).fill(textsIn(records))
  /** Where the texts begin, from the start of what their readers read. */
  const starts = Array.from(readers, (_, row) => row * RECORD.bytes + RECORD.text)
  const long: number[] = []
  for (let row = 0; row < readers.length; row++) {
    // The record of a NULL may hold anything.
    if (!vector['validity'].itemValid(row) || lengthOf(row) <= RECORD.mostShort) continue
    // A double is exact for it: programs have addresses of at most 52 bits.
    starts[row] = Number(records.getBigUint64(row * RECORD.bytes + RECORD.address, true))
    long.push(row)
  }
  // They mostly lie in the order of the rows; those of a dictionary do not.
  long.sort((a, b) => starts[a]! - starts[b]!)
  for (let next = 0; next < long.length; ) {
    const [first, start] = [next, starts[long[next]!]!]
    let end = start
    for (; next < long.length; next++) {
      const row = long[next]!
      if (starts[row]! > end + MOST_BETWEEN || end - start > MOST_SHARED_BYTES) break
      end = Math.max(end, starts[row]! + lengthOf(row))
    }
    // The binding takes all of them for one value, as valid as the first.
    record.setUint32(0, end - start, true)
    record.setBigUint64(RECORD.address, BigInt(start), true)
    const shared = new DuckDBBlobVector(record, vector['validity'].slice(long[first]!, 1), vector['vector'], 0, 1)
    const read = textsIn(shared.getItemBytes(0)!)
    for (const row of long.slice(first, next)) [readers[row], starts[row]] = [read, starts[row]! - start]
  }
  return row => readers[row]!(starts[row]!, lengthOf(row))
}

type ReadText = (start: number, length: number) => string

/** Reads texts in UTF-8, between which other bytes may be. */
function textsIn({ buffer, byteOffset, byteLength }: ArrayBufferView): ReadText {
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
  const [latin1, hasAsciiOnly] = [bytes.toString('latin1'), isAscii(bytes)]
  return (start, length) => {
    const text = latin1.slice(start, start + length)
    return hasAsciiOnly || !NOT_ASCII.test(text) ? text : UTF8.decode(bytes.subarray(start, start + length))
  }
}

const NOT_ASCII = /[\u0080-\u00ff]/
/** The binding has the same, which drops a byte order mark. */
const UTF8 = new TextDecoder()
