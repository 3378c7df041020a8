/** The format of results in Redis: a line with a signature and a head in JSON, and after it the unchanged body. */
import { isUtf8 } from 'node:buffer'
import { parseTypeName } from '../../../../googlesql/index.js'
import type { StoredResult } from '../../../model/ports.js'
import { readJson } from '../../../model/read-json.js'
import { etagInTurns } from '../../../model/result-key.js'
import { StoreError } from './failure.js'
import { type Head, isBody, isHead, MAX_PARTS_LENGTH } from './schemas.js'
import type { Signer } from './signer.js'

/** The largest value; larger results stay in memory, since their transfer would delay all other commands. */
export const MAX_BYTES = 4_000_000
/** Without a key the body of a value is parsed when it is read: 1 MB takes 10 ms, in which no other call is answered. */
export const MAX_UNSIGNED_BYTES = 1_000_000
/** The longest first line that is read. */
const MAX_HEAD_BYTES = 2_000_000

/** How far the clock of a replica may be ahead, in milliseconds. A result from the future would outlast every newer one. */
const MAX_AHEAD_MS = 5_000
/** The longest ttl that a manifest may have, and the longest time after it: 365 days, in milliseconds. */
const MAX_TTL_MS = 31_536_000_000

const LINE_END = 10

/** A result with its expiry and the marks of purges that were read before its query began. */
interface KeptResult extends Pick<Head, 'keepUntil' | 'purges'> {
  readonly result: StoredResult
}

/** Whether a result of this size is shared. */
export function hasRoomFor({ byteLength }: Uint8Array, { hasKey }: Signer): boolean {
  return byteLength <= (hasKey ? MAX_BYTES : MAX_UNSIGNED_BYTES)
}

/** False where kept rows have too many parts: the head, which lists them, is parsed at once. */
export const hasFewKeptParts = ({ kept }: StoredResult): boolean => (kept?.parts.length ?? 0) <= MAX_PARTS_LENGTH

/** The value for this name in Redis. */
export function encodeValue(name: string, { result, keepUntil, purges }: KeptResult, signer: Signer): Buffer {
  const { body, etag, ...facts } = result
  const head: Head = { ...facts, keepUntil, purges }
  return Buffer.concat([Buffer.from(`${signer.seal(JSON.stringify(head), name, etag)}\n`), body])
}

/** @throws StoreError when the value was not written by a replica under this name, was changed, or cannot be right. */
export async function decodeValue(name: string, value: Buffer, signer: Signer, nowMs: number): Promise<KeptResult> {
  const end = value.subarray(0, MAX_HEAD_BYTES).indexOf(LINE_END)
  // A copy, since a slice would keep the whole received chunk in memory.
  const body = new Uint8Array(value.subarray(end + 1))
  if (end < 0 || !hasRoomFor(body, signer)) throw new StoreError('the value is not one of ours')
  const etag = await etagInTurns(body)
  const json = signer.open(value.subarray(0, end).toString(), name, etag)
  if (json === null) {
    throw new StoreError('the value is cut off, was changed, is of another key, or has another SLUICE_REDIS_KEY')
  }
  const { keepUntil, purges, ...facts } = headOf(json, nowMs)
  if (!signer.hasKey && !isResultJson(body, facts)) throw new StoreError('the value has a body that is not a result')
  return { result: { ...facts, body, etag }, keepUntil, purges }
}

function headOf(json: string, nowMs: number): Head {
  const head = readJson(json)
  if (!isHead(head) || !areColumnsRight(head)) throw new StoreError('the value has a wrong head')
  if (!areTimesRight(head, nowMs)) throw new StoreError('the value has impossible times')
  return head
}

/** Whether these bytes are `{"result":[{…},…]}` with this number of rows, each with these columns and no other member. */
function isResultJson(body: Uint8Array, { columns, rowCount }: Pick<Head, 'columns' | 'rowCount'>): boolean {
  const document = isUtf8(body) ? readJson(Buffer.from(body).toString()) : null
  const isRow = (row: object): boolean =>
    Object.keys(row).length === columns.length && columns.every(({ name }) => Object.hasOwn(row, name))
  return isBody(document) && document.result.length === rowCount && document.result.every(isRow)
}

/** Names are different, and types are known. */
function areColumnsRight({ columns }: Head): boolean {
  const names = new Set(columns.map(({ name }) => name))
  try {
    return names.size === columns.length && columns.every(({ type }) => parseTypeName(type))
  } catch {
    return false // A type is nested deeper than the stack is.
  }
}

const areTimesRight = ({ storedAt, freshUntil, keepUntil }: Head, nowMs: number): boolean =>
  storedAt <= nowMs + MAX_AHEAD_MS &&
  freshUntil >= storedAt &&
  freshUntil <= storedAt + MAX_TTL_MS &&
  keepUntil <= freshUntil + MAX_TTL_MS
