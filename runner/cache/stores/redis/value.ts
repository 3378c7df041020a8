/** The format of results in Redis: version, checksum, begin of the query, a head in JSON, and the unchanged body. */
import { crc32 } from 'node:zlib'
import type { StoredResult } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import type { Script } from './scripts.js'

/** Incremented when the format changes: replicas of different versions then ignore each other's results. */
const FORMAT_VERSION = 4

const MAGIC = Buffer.from('sluice')
const BEGINNING = Buffer.concat([MAGIC, Buffer.of(FORMAT_VERSION)])
/** Offsets after magic and version: checksum of the rest, begin of the query, length of the head, end of the preamble. */
const [CHECKSUM_AT, BEGAN_AT, LENGTH_AT, PREAMBLE_BYTES] = [7, 11, 19, 23]
/** The longest head: JSON about columns. A longer one is not ours. */
const MAX_HEAD_BYTES = 4_000_000

/**
 * Sets a value with an expiry in milliseconds and returns 1; returns 0 where the existing value's query began later. A begin
 * in the future comes from a wrong clock and is ignored.
 */
const SET_UNLESS_NEWER = `
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'string' and #held >= ${PREAMBLE_BYTES} and string.sub(held, 1, ${BEGINNING.byteLength}) == ARGV[1] then
  local began = struct.unpack('>d', held, ${BEGAN_AT + 1})
  if began > tonumber(ARGV[2]) and began <= tonumber(ARGV[3]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
return 1`

interface Kept {
  /** Milliseconds since 1970. */
  readonly keepUntil: number
  /** The purge numbers that the writer knew. */
  readonly purges: PurgeNumbers
}

/** When the log of purges was begun, and the numbers of the last purge of everything, of the endpoint and of its tenant. */
export type PurgeNumbers = readonly number[]

interface Head extends Kept, Omit<StoredResult, 'body' | 'storedAt'> {
  /** The key that it was stored under; a value found under another key is not used. */
  readonly key: string
}

/** A result with its expiry and the purge numbers that its writer knew. */
export interface KeptResult extends Kept {
  readonly result: StoredResult
}

export function encodeValue(key: string, { result, ...kept }: KeptResult): Buffer {
  const { body, storedAt, ...rest } = result
  const head: Head = { ...rest, ...kept, key }
  const headBytes = Buffer.from(JSON.stringify(head))
  const preamble = Buffer.alloc(PREAMBLE_BYTES)
  BEGINNING.copy(preamble)
  preamble.writeDoubleBE(storedAt, BEGAN_AT)
  preamble.writeUInt32BE(headBytes.byteLength, LENGTH_AT)
  const checksum = [preamble.subarray(BEGAN_AT), headBytes, body].reduce((sum, part) => crc32(part, sum), 0)
  preamble.writeUInt32BE(checksum, CHECKSUM_AT)
  return Buffer.concat([preamble, headBytes, body])
}

/** A script that stores an encoded value unless the existing value's query began later; it then returns 0. */
export function setUnlessNewer(name: string, value: Buffer, keepMs: number, nowMs: number): Script {
  const [began, keep] = [String(value.readDoubleBE(BEGAN_AT)), String(Math.ceil(keepMs))]
  return { text: SET_UNLESS_NEWER, keys: [name], values: [BEGINNING, began, String(nowMs), value, keep] }
}

/**
 * Decodes a value; undefined for another format version.
 * @throws StoreError when the value is not ours, is truncated or corrupt, or belongs to another key.
 */
export function decodeValue(key: string, value: Buffer): KeptResult | undefined {
  if (value.byteLength < PREAMBLE_BYTES || !value.subarray(0, MAGIC.byteLength).equals(MAGIC)) {
    throw new StoreError('the value is not one of ours')
  }
  if (value.readUInt8(MAGIC.byteLength) !== FORMAT_VERSION) return undefined
  const headEnd = PREAMBLE_BYTES + value.readUInt32BE(LENGTH_AT)
  const isWhole = headEnd <= value.byteLength && headEnd <= PREAMBLE_BYTES + MAX_HEAD_BYTES
  if (!isWhole || crc32(value.subarray(BEGAN_AT)) !== value.readUInt32BE(CHECKSUM_AT)) {
    throw new StoreError('the value is cut off or has been changed')
  }
  const text = value.toString('utf8', PREAMBLE_BYTES, headEnd)
  const { key: storedKey, keepUntil, purges, ...head } = JSON.parse(text) as Head
  if (storedKey !== key) throw new StoreError('the value belongs to another key')
  // A copy, since a slice would keep the whole received chunk in memory.
  const body = new Uint8Array(value.subarray(headEnd))
  return { result: { ...head, storedAt: value.readDoubleBE(BEGAN_AT), body }, keepUntil, purges }
}
