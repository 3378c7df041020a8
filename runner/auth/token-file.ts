/** Reads and checks the tokens file. It holds hashes, never a token. */
import { createHash } from 'node:crypto'
import { parseByteSize } from '../model/byte-size.js'
import { SetupError } from '../model/errors.js'
import { isRecord, recordOf } from '../model/is-record.js'
import { typeScalar } from '../model/typed-value.js'
import { readOrdinaryFile } from '../platform/read-ordinary-file.js'
import { fileReason, SETTING } from '../platform/write-failure.js'

/** A token as the file stores it. */
export interface TokenRecord {
  /** Unique in the file. */
  readonly name: string
  /** The SHA-256 of the token's text, in lower-case hexadecimal. */
  readonly sha256: string
  /** Patterns of endpoint names; `*` matches any characters. */
  readonly endpoints: readonly string[]
  readonly pinned: Readonly<Record<string, string>>
  /** Whether it may call endpoints that declare a tenant, although it does not pin the tenant. */
  readonly allTenants: boolean
  /** The expiry as ISO 8601; null for never. */
  readonly expires: string | null
  /** `100/min`; null for no limit. */
  readonly rate: string | null
  /** The most calls that wait for queries at once; null for no limit. */
  readonly concurrent: number | null
  /** The rate at which `Cache-Control: no-cache` gets a fresh result, such as `10/min`; null for never. */
  readonly fresh: string | null
  /** The most bytes that its queries may be billed for in a day, such as `100 GB`; null for no limit. */
  readonly bytesPerDay: string | null
  /** Whether it may purge stored results. */
  readonly purge: boolean
  /** Whether it may see the SQL of queries. */
  readonly explain: boolean
  /** Whether it may export. */
  readonly export: boolean
}

/** The hash that identifies a token in the file. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The permission bits with which the group or all other users may write. */
const WRITABLE_BY_OTHERS = 0o022

/** The number of the user who may write to any file. */
const ROOT = 0

/**
 * The text of the tokens file. A user who can write to it can give any rights to any token.
 * @throws SetupError when other users may write to it; what `readOrdinaryFile` throws.
 */
function readTokenFile(path: string): string {
  return readOrdinaryFile(path, ({ mode, uid }) => {
    // Windows has no such bits: Node reports all of them as set.
    if (process.platform !== 'win32' && (mode & WRITABLE_BY_OTHERS) !== 0) {
      throw new SetupError(`other users may write to the tokens file ${path}, which is refused: chmod 600 ${path}`)
    }
    const user = process.getuid?.() ?? uid
    if (uid !== user && uid !== ROOT) {
      throw new SetupError(`the tokens file ${path} belongs to another user, which is refused: chown ${user} ${path}`)
    }
  })
}

/** Parses the records. @throws SetupError that names the wrong record. */
function parseTokenFile(text: string, path: string): readonly TokenRecord[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // The parser's message is not used, since it would quote the file.
    throw new SetupError(`the tokens file ${path} is not valid JSON`)
  }
  const { tokens, ...others } = recordOf(document)
  if (!Array.isArray(tokens) || Object.keys(others).length > 0)
    throw new SetupError(`the tokens file ${path} must hold {"tokens": [...]}, and nothing else`)
  // JSON.parse keeps the last of two members with one name: a second "pinned" must not cancel the first.
  if (countNames(text) !== countMembers(document)) throw new SetupError(`the tokens file ${path} holds a member twice`)
  const records = tokens.map((token, index) => parseRecord(token, index, path))
  const [, namesake] = pairWithSame(records, 'name')
  if (namesake) throw new SetupError(`the tokens file ${path} holds two tokens named "${namesake.name}"`)
  const [first, second] = pairWithSame(records, 'sha256')
  if (!first || !second) return records
  throw new SetupError(`in the tokens file ${path} "${first.name}" and "${second.name}" are the same token`)
}

/** The number of member names in this valid JSON text. */
const countNames = (text: string): number => text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const below = Object.values(value).reduce((sum: number, inner) => sum + countMembers(inner), 0)
  return Array.isArray(value) ? below : below + Object.keys(value).length
}

/** Two records with the same value of this member, since one might allow what the other forbids; empty without such records. */
function pairWithSame(records: readonly TokenRecord[], member: 'name' | 'sha256'): readonly TokenRecord[] {
  const byValue = new Map<string, TokenRecord>()
  for (const record of records) {
    const other = byValue.get(record[member])
    if (other) return [other, record]
    byValue.set(record[member], record)
  }
  return []
}

function parseRecord(value: unknown, index: number, path: string): TokenRecord {
  const bad = (what: string): SetupError => new SetupError(`token ${index + 1} of the tokens file ${path}: ${what}`)
  if (!isRecord(value)) throw bad('must be an object')
  const unknown = Object.keys(value).find(key => !Object.hasOwn(MEMBERS, key))
  // Without this check, a misspelt "pinned" would leave the token unpinned.
  if (unknown !== undefined) throw bad(`has an unknown member "${unknown}"`)
  const values: Record<string, unknown> = {}
  for (const [name, [must, isRight, fallback]] of Object.entries(MEMBERS)) {
    values[name] = value[name] === undefined ? fallback : value[name]
    if (!isRight(values[name])) throw bad(`"${name}" must ${must}`)
  }
  const { bytes_per_day: bytesPerDay, all_tenants: allTenants, ...others } = values
  const record = { ...others, bytesPerDay, allTenants } as unknown as TokenRecord
  const blankPin = Object.keys(record.pinned).find(parameter => isBlank(record.pinned[parameter]!))
  if (blankPin !== undefined) throw bad(`"pinned" has no value for "${blankPin}", which would pin nothing`)
  return record
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Null, or a text that passes the test. */
const textOrNull =
  (isRight: (text: string) => boolean) =>
  (value: unknown): boolean =>
    value === null || (isText(value) && isRight(value))

export const isRate = textOrNull(text => parseRate(text) !== null)
export const isSize = textOrNull(text => parseByteSize(text) !== undefined)

export const isConcurrency = (value: unknown): boolean =>
  value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_CONCURRENT)

/** No server can be set to run more queries at once. */
export const MOST_CONCURRENT = 10_000

/**
 * The members of a record in the file. `must` completes the message `"rate" must …`; a member without a `fallback` is required.
 * A JSON Schema's messages would not say what is expected.
 */
const MEMBERS: Readonly<
  Record<string, readonly [must: string, isRight: (value: unknown) => boolean, fallback?: unknown]>
> = {
  name: ['be a word', value => isText(value) && TOKEN_NAME.test(value)],
  sha256: ['be 64 hexadecimal digits', value => isText(value) && /^[0-9a-f]{64}$/.test(value)],
  endpoints: ['be a list of names', value => Array.isArray(value) && value.every(isText)],
  pinned: ['map parameters to text', value => isRecord(value) && Object.values(value).every(isText), {}],
  expires: ['be a date, or a time with Z or an offset, such as 2027-01-31T12:00:00Z', textOrNull(isTime), null],
  rate: ['be like 100/min', isRate, null],
  concurrent: [`be a whole number from 1 to ${MOST_CONCURRENT}`, isConcurrency, null],
  fresh: ['be like 10/min', isRate, null],
  bytes_per_day: ['be like 100 GB', isSize, null],
  purge: ['be true or false', isBoolean, false],
  all_tenants: ['be true or false', isBoolean, false],
  explain: ['be true or false', isBoolean, false],
  export: ['be true or false', isBoolean, false],
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Whether every server reads the same time. Date.parse alone would take 31 February, and `01.02.2027` as 2 January. */
function isTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? []
  return day !== undefined && typeScalar('date', day).ok && !Number.isNaN(Date.parse(text))
}

export const TOKEN_NAME = /^[\w.@-]{1,100}$/
/** Whether a pin is empty. An empty argument counts as absent, so an empty pin would not confine the caller. */
export const isBlank = (value: string): boolean => value.trim() === ''

const RATE_UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Parses a rate into calls per time; null when the text is not a rate. */
export function parseRate(text: string): { readonly calls: number; readonly perMs: number } | null {
  const parts = /^([1-9]\d{0,8})\/(s|min|hour|day)$/.exec(text)
  return parts ? { calls: Number(parts[1]), perMs: RATE_UNIT_MS[parts[2]!]! } : null
}

/** The records of this file. @throws SetupError when the file is missing, unreadable or malformed. */
export function readRecords(path: string): readonly TokenRecord[] {
  try {
    return parseTokenFile(readTokenFile(path), path)
  } catch (cause) {
    if (cause instanceof SetupError) throw cause
    const message = `cannot read the tokens file ${path}: ${fileReason(cause)}; ${SETTING.tokens} names another place`
    throw new SetupError(message, { cause })
  }
}
