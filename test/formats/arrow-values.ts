/** Reads the values of an Arrow array from its buffers: the library's own getters round microseconds to milliseconds. */
import { type Data, DataType, tableFromIPC } from 'apache-arrow'
import type { Typed } from './typed-values.js'

/** The rows of an IPC stream. */
export function arrowRows(stream: Uint8Array): readonly (readonly Typed[])[] {
  return tableFromIPC(stream).batches.flatMap(({ data }) => {
    const columns = data.children.map(arrowValues)
    return Array.from({ length: data.length }, (_, row) => columns.map(column => column[row]!))
  })
}

function arrowValues(data: Data): readonly Typed[] {
  // The library's placeholder for a stream without rows has no buffers.
  if (data.length === 0) return []
  const read = reader(data)
  return Array.from({ length: data.length }, (_, i) => (data.getValid(i) ? read(i) : null))
}

function reader(data: Data): (index: number) => Typed {
  const { type, values, valueOffsets, children } = data
  if (DataType.isList(type)) {
    const items = arrowValues(children[0]!)
    return i => items.slice(valueOffsets[i], valueOffsets[i + 1])
  }
  if (DataType.isStruct(type)) {
    const fields = children.map(arrowValues)
    return i => fields.map(field => field[i]!)
  }
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    const encoding = DataType.isUtf8(type) ? 'utf8' : 'hex'
    return i => Buffer.from(values.subarray(valueOffsets[i], valueOffsets[i + 1])).toString(encoding)
  }
  if (DataType.isBool(type)) return i => (values[i >> 3]! & (1 << (i & 7))) !== 0
  if (DataType.isDecimal(type)) {
    const words = type.bitWidth / 32
    return i => {
      let value = 0n
      for (let word = words - 1; word >= 0; word--) value = (value << 32n) | BigInt(values[i * words + word]!)
      return BigInt.asIntN(type.bitWidth, value)
    }
  }
  return i => values[i]!
}
