/** Results as Redis keeps them: a version, a checksum, a head in JSON, and the body as it is. */
import { crc32 } from 'node:zlib'
import type { StoredResult } from '../model/ports.js'
import { StoreError } from './store-error.js'

/** Raised when the form changes: replicas of two versions then do without each other's results. */
export const FORMAT_VERSION = 1

const MAGIC = Buffer.from('sluice')
/** Magic, version, length of the head, checksum of all that follows. */
const PREAMBLE_BYTES = MAGIC.byteLength + 1 + 4 + 4
/** JSON of a few columns; more is no head of ours. */
const MAX_HEAD_BYTES = 4_000_000

interface Head extends Omit<StoredResult, 'body'> {
  /** The key it was stored under: what turns up under another is nobody's result. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly keepUntil: number
}

/** A result, and how long it may be kept. */
export interface KeptResult {
  readonly result: StoredResult
  /** Milliseconds since 1970. */
  readonly keepUntil: number
}

export function encodeValue(key: string, { result, keepUntil }: KeptResult): Buffer {
  const { body, ...rest } = result
  const head: Head = { ...rest, key, keepUntil }
  const headBytes = Buffer.from(JSON.stringify(head))
  const preamble = Buffer.alloc(PREAMBLE_BYTES)
  MAGIC.copy(preamble)
  preamble.writeUInt8(FORMAT_VERSION, MAGIC.byteLength)
  preamble.writeUInt32BE(headBytes.byteLength, MAGIC.byteLength + 1)
  preamble.writeUInt32BE(crc32(body, crc32(headBytes)), MAGIC.byteLength + 5)
  return Buffer.concat([preamble, headBytes, body])
}

/**
 * Undefined for a value of another format version.
 * @throws StoreError when it is none of ours, is cut off or changed, or belongs to another key.
 */
export function decodeValue(key: string, value: Buffer): KeptResult | undefined {
  if (value.byteLength < PREAMBLE_BYTES || !value.subarray(0, MAGIC.byteLength).equals(MAGIC)) {
    throw new StoreError('the value is not one of ours')
  }
  if (value.readUInt8(MAGIC.byteLength) !== FORMAT_VERSION) return undefined
  const headEnd = PREAMBLE_BYTES + value.readUInt32BE(MAGIC.byteLength + 1)
  const rest = value.subarray(PREAMBLE_BYTES)
  const isWhole = headEnd <= value.byteLength && headEnd <= PREAMBLE_BYTES + MAX_HEAD_BYTES
  if (!isWhole || crc32(rest) !== value.readUInt32BE(MAGIC.byteLength + 5)) {
    throw new StoreError('the value is cut off or has been changed')
  }
  const { key: storedKey, keepUntil, ...head } = JSON.parse(value.toString('utf8', PREAMBLE_BYTES, headEnd)) as Head
  if (storedKey !== key) throw new StoreError('the value belongs to another key')
  // Memory of its own: a slice would keep whatever arrived with it.
  return { result: { ...head, body: new Uint8Array(value.subarray(headEnd)) }, keepUntil }
}
