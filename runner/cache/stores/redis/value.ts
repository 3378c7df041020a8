/** The format of results in Redis: version, signature, begin of the query, a head in JSON, and the unchanged body. */
import { parseTypeName } from '../../../../googlesql/index.js'
import type { StoredResult } from '../../../model/ports.js'
import { etagOf } from '../../../model/result-key.js'
import { StoreError } from '../store-error.js'
import { isResultJson } from './result-json.js'
import type { Head, RedisSchemas } from './schemas.js'
import type { Script } from './scripts.js'
import { SIGNATURE_BYTES, type Signer } from './signer.js'

/** Incremented when the format changes: replicas of different versions then ignore each other's results. */
const FORMAT_VERSION = 4

const MAGIC = Buffer.from('sluice')
const BEGINNING = Buffer.concat([MAGIC, Buffer.of(FORMAT_VERSION)])
/** Offsets of the signature of all that follows it, of the begin of the query, and of the length of the head. */
const SIGNATURE_AT = BEGINNING.byteLength
const BEGAN_AT = SIGNATURE_AT + SIGNATURE_BYTES
const LENGTH_AT = BEGAN_AT + 8
const PREAMBLE_BYTES = LENGTH_AT + 4

/** The largest value; larger results stay in memory, since their transfer would delay all other commands. */
const MAX_BYTES = 4_000_000
/** Without a secret the body of a value is parsed when it is read: 1 MB takes 10 ms, in which no other call is answered. */
const MAX_UNSIGNED_BYTES = 1_000_000

/** How far the clock of a replica may be ahead, in milliseconds. A result from the future would outlast every newer one. */
const MAX_AHEAD_MS = 5_000
/** The longest ttl that a manifest may have, and the longest time after it: 365 days, in milliseconds. */
const MAX_TTL_MS = 31_536_000_000

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

/** A result with its expiry and the purge numbers that its writer knew. */
export interface KeptResult extends Pick<Head, 'keepUntil' | 'purges'> {
  readonly result: StoredResult
}

/** Reads and writes the values of results. */
export class ValueFormat {
  readonly #signer: Signer
  readonly #isHead: RedisSchemas['isHead']

  constructor(signer: Signer, { isHead }: Pick<RedisSchemas, 'isHead'>) {
    this.#signer = signer
    this.#isHead = isHead
  }

  /** Whether a result of this size is shared. */
  hasRoomFor({ byteLength }: Uint8Array): boolean {
    return byteLength <= (this.#signer.isSecret ? MAX_BYTES : MAX_UNSIGNED_BYTES)
  }

  /** The value for this name in Redis. */
  encode(name: string, { result, keepUntil, purges }: KeptResult): Buffer {
    const { body, storedAt, columns, rowCount, isTruncated, freshUntil, dataState } = result
    const data = dataState === undefined ? {} : { dataState }
    const head: Head = { columns, rowCount, isTruncated, freshUntil, keepUntil, purges, ...data }
    const headBytes = Buffer.from(JSON.stringify(head))
    const preamble = Buffer.alloc(PREAMBLE_BYTES)
    BEGINNING.copy(preamble)
    preamble.writeDoubleBE(storedAt, BEGAN_AT)
    preamble.writeUInt32BE(headBytes.byteLength, LENGTH_AT)
    this.#signer.sign(name, preamble.subarray(BEGAN_AT), headBytes, body).copy(preamble, SIGNATURE_AT)
    return Buffer.concat([preamble, headBytes, body])
  }

  /**
   * Decodes a value; undefined for another format version. `nowMs` is Redis' time.
   * @throws StoreError when the value was not written by a replica under this name, was changed, or cannot be right.
   */
  decode(name: string, value: Buffer, nowMs: number): KeptResult | undefined {
    if (value.byteLength < PREAMBLE_BYTES || !value.subarray(0, MAGIC.byteLength).equals(MAGIC)) {
      throw new StoreError('the value is not one of ours')
    }
    if (value.readUInt8(MAGIC.byteLength) !== FORMAT_VERSION) return undefined
    const signature = value.subarray(SIGNATURE_AT, BEGAN_AT)
    if (!this.#signer.hasSigned(signature, name, value.subarray(BEGAN_AT))) {
      throw new StoreError('the value is cut off, was changed, is of another key, or has another SLUICE_REDIS_KEY')
    }
    const headEnd = PREAMBLE_BYTES + value.readUInt32BE(LENGTH_AT)
    const storedAt = value.readDoubleBE(BEGAN_AT)
    const { keepUntil, purges, ...head } = this.#headOf(value.subarray(PREAMBLE_BYTES, headEnd))
    if (!areTimesRight({ ...head, storedAt, keepUntil }, nowMs)) throw new StoreError('the value has impossible times')
    const body = this.#bodyOf(value.subarray(headEnd), head)
    return { result: { ...head, storedAt, body, etag: etagOf(body) }, keepUntil, purges }
  }

  #headOf(bytes: Buffer): Head {
    const head = parsed(bytes)
    if (!this.#isHead(head)) {
      const [mistake] = this.#isHead.errors ?? []
      throw new StoreError(`the value has a wrong head: ${mistake?.instancePath} ${mistake?.message}`)
    }
    const names = new Set(head.columns.map(({ name }) => name))
    if (names.size < head.columns.length || !head.columns.every(({ type }) => isType(type))) {
      throw new StoreError('the value has impossible columns')
    }
    return head
  }

  #bodyOf(bytes: Buffer, head: Pick<Head, 'columns' | 'rowCount'>): Uint8Array {
    const isRight = this.#signer.isSecret || (this.hasRoomFor(bytes) && isResultJson(bytes, head))
    if (!isRight) throw new StoreError('the value has a body that is not a result')
    // A copy, since a slice would keep the whole received chunk in memory.
    return new Uint8Array(bytes)
  }
}

/** A script that stores an encoded value unless the existing value's query began later; it then returns 0. */
export function setUnlessNewer(name: string, value: Buffer, keepMs: number, nowMs: number): Script {
  const [began, keep] = [String(value.readDoubleBE(BEGAN_AT)), String(Math.ceil(keepMs))]
  return { text: SET_UNLESS_NEWER, keys: [name], values: [BEGINNING, began, String(nowMs), value, keep] }
}

/** Undefined for a text that is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function isType(text: string): boolean {
  try {
    return parseTypeName(text) !== undefined
  } catch {
    return false // It is nested deeper than the stack is.
  }
}

type Times = Pick<StoredResult, 'storedAt' | 'freshUntil'> & Pick<Head, 'keepUntil'>

/** NaN, which no comparison holds for, counts as wrong. */
const areTimesRight = ({ storedAt, freshUntil, keepUntil }: Times, nowMs: number): boolean =>
  storedAt >= 0 &&
  storedAt <= nowMs + MAX_AHEAD_MS &&
  freshUntil >= storedAt &&
  freshUntil <= storedAt + MAX_TTL_MS &&
  keepUntil <= freshUntil + MAX_TTL_MS
