/** Reads values from JSON into the form that the Parquet writer takes. */
import { distinctNames, type Type } from '../../../googlesql/index.js'
import { CLOSE_LIST, COMMA, OPEN_LIST } from '../json-reader.js'
import {
  daysAt,
  doubleAt,
  type WriteInteger,
  writeInteger,
  writeMicrosOfDay,
  writeMicrosSince1970,
  writeNumeric,
  writeTimestamp,
} from './arrow-values.js'
import { NOT_REQUIRED, nullInColumn, ofElements, type Requirement } from './facts.js'
import type { ResultReader } from './result-reader.js'
import { Words } from './words.js'

/** Reads the next value; undefined for NULL, as the writer wants objects and lists to be free of null. */
export type ReadValue = (reader: ResultReader) => unknown

/**
 * Decimals as integers of the type's scale; DATE in days, times in microseconds; texts as strings. It throws a JsonTextError for
 * NULL in what is required.
 */
export function valueReader(name: string, type: Type, requirement: Requirement = NOT_REQUIRED): ReadValue {
  const read = presentReader(type, requirement)
  if (type.kind === 'ARRAY') return reader => (reader.takeNull() ? [] : read(reader))
  if (!requirement.required) return reader => (reader.takeNull() ? undefined : read(reader))
  return reader => {
    if (reader.takeNull()) throw nullInColumn(name)
    return read(reader)
  }
}

/** Reads a value that is not null. */
function presentReader(type: Type, requirement: Requirement): ReadValue {
  switch (type.kind) {
    case 'ARRAY':
      return listReader(valueReader('element', type.element, ofElements(requirement)))
    case 'STRUCT': {
      const names = distinctNames(type.fields.map(field => field.name))
      return structReader(
        names,
        type.fields.map((field, i) => valueReader(names[i]!, field.type, requirement.fields?.[i])),
      )
    }
    case 'STRING':
      return reader => {
        reader.readString()
        return reader.source.toString('utf8', reader.sourceStart, reader.sourceEnd)
      }
    case 'JSON':
      return reader => {
        reader.next()
        const start = reader.at
        reader.skipValue()
        return reader.bytes.toString('utf8', start, reader.at)
      }
    case 'BYTES':
      return word((bytes, start, end) => Buffer.from(bytes.toString('latin1', start, end), 'base64'))
    case 'BIGNUMERIC':
    case 'INTERVAL':
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return word((bytes, start, end) => bytes.toString('latin1', start, end))
    case 'BOOL':
      return word((bytes, start) => bytes[start] === LETTER_T)
    case 'FLOAT64':
      return word(doubleAt)
    case 'DATE':
      return word(daysAt)
    case 'INT64':
      return integer(2, writeInteger)
    case 'NUMERIC':
      return integer(4, writeNumeric)
    case 'TIME':
      return integer(2, writeMicrosOfDay)
    case 'DATETIME':
      return integer(2, writeMicrosSince1970)
    case 'TIMESTAMP':
      return integer(2, writeTimestamp)
    default:
      return type satisfies never
  }
}

const LETTER_T = 0x74

/** A number, true, false or a string without escapes. */
function word(valueAt: (bytes: Buffer, start: number, end: number) => unknown): ReadValue {
  return reader => {
    const end = reader.readWord()
    const value = valueAt(reader.bytes, reader.at, end)
    reader.endWord(end)
    return value
  }
}

/** A bigint of this many words. */
function integer(count: 2 | 4, write: WriteInteger): ReadValue {
  const values = new Uint32Array(count)
  const words = new Words(count, values)
  const halves = new BigInt64Array(values.buffer)
  return word((bytes, start, end) => {
    write(bytes, start, end, words)
    return count === 2 ? halves[0] : (halves[1]! << 64n) | BigInt.asUintN(64, halves[0]!)
  })
}

function listReader(readItem: ReadValue): ReadValue {
  return reader => {
    const items: unknown[] = []
    reader.expect(OPEN_LIST)
    if (reader.take(CLOSE_LIST)) return items
    do items.push(readItem(reader))
    while (reader.take(COMMA))
    reader.expect(CLOSE_LIST)
    return items
  }
}

function structReader(names: readonly string[], readers: readonly ReadValue[]): ReadValue {
  return reader => {
    // A field may be named __proto__.
    const struct: Record<string, unknown> = Object.create(null)
    for (let i = 0; i < readers.length; i++) {
      reader.toMember(i)
      struct[names[i]!] = readers[i]!(reader)
    }
    reader.closeObject(readers.length)
    return struct
  }
}
