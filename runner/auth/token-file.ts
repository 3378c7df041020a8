/** Reads, checks and writes the tokens file. It holds hashes, never a token. */
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseByteSize } from '../model/byte-size.js'
import { SetupError, UsageError } from '../model/errors.js'
import { isRecord } from '../model/is-record.js'
import { nearest } from '../model/suggest.js'
import { makeFolder } from '../platform/make-folder.js'
import { fileReason, SETTING, writeFailure } from '../platform/write-failure.js'
import { withFileLock } from './file-lock.js'

/** A token as the file stores it. */
export interface TokenRecord {
  /** Unique in the file. */
  readonly name: string
  /** The SHA-256 of the token's text, in lower-case hexadecimal. */
  readonly sha256: string
  /** Patterns of endpoint names; `*` matches any characters. */
  readonly endpoints: readonly string[]
  readonly pinned: Readonly<Record<string, string>>
  /** Whether it may call endpoints that declare a tenant without pinning it. */
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
}

export interface NewToken {
  readonly name: string
  /** Patterns of endpoint names. */
  readonly allow: readonly string[]
  readonly pin?: Readonly<Record<string, string>>
  /** Whether it may call endpoints that declare a tenant without pinning it. @default false */
  readonly allTenants?: boolean
  /** `90d`, `12h`, `30min`; absent for never. */
  readonly expires?: string | undefined
  /** `100/min`; per s, min, hour or day. Absent for no limit. */
  readonly rate?: string | undefined
  /** The most calls that wait for queries at once, as a number of digits. Absent for no limit. */
  readonly concurrent?: string | undefined
  /** The rate at which it may demand a fresh result, such as `10/min`. Absent for never. */
  readonly fresh?: string | undefined
  /** The most bytes that its queries may be billed for in a day, such as `100 GB`. Absent for no limit. */
  readonly bytesPerDay?: string | undefined
  /** Whether it may purge stored results. @default false */
  readonly purge?: boolean
  /** Whether it may see the SQL of queries. @default false */
  readonly explain?: boolean
}

/** The hash that identifies a token in the file. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The permissions to write of the group and of all others. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * The text of the tokens file. A user who can write to it can give any rights to any token.
 * @throws SetupError when other users may write to it; what `open` throws.
 */
function readTokenFile(path: string): string {
  const file = openSync(path, 'r')
  try {
    const { mode } = fstatSync(file)
    // Windows has no such permissions, and shows all of them.
    if (process.platform !== 'win32' && (mode & WRITABLE_BY_OTHERS) !== 0) {
      throw new SetupError(`other users may write to the tokens file ${path}, which is refused: chmod 600 ${path}`)
    }
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
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
  const tokens = isRecord(document) ? document['tokens'] : undefined
  if (!Array.isArray(tokens)) throw new SetupError(`the tokens file ${path} must hold {"tokens": [...]}`)
  // JSON.parse keeps the last of two members with one name: a second "pinned" must not cancel the first.
  if (countNames(text) !== countMembers(document)) throw new SetupError(`the tokens file ${path} holds a member twice`)
  const records = tokens.map((token, index) => parseRecord(token, index, path))
  const [, named] = firstAlike(records, 'name')
  if (named) throw new SetupError(`the tokens file ${path} holds two tokens named "${named.name}"`)
  const [first, second] = firstAlike(records, 'sha256')
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

/** Two records that are alike in this member: one of them might allow what the other forbids. */
function firstAlike(records: readonly TokenRecord[], member: 'name' | 'sha256'): readonly TokenRecord[] {
  const byValue = new Map<string, TokenRecord>()
  for (const record of records) {
    const other = byValue.get(record[member])
    if (other) return [other, record]
    byValue.set(record[member], record)
  }
  return []
}

function parseRecord(given: unknown, index: number, path: string): TokenRecord {
  const bad = (what: string): SetupError => new SetupError(`token ${index + 1} of the tokens file ${path}: ${what}`)
  if (!isRecord(given)) throw bad('must be an object')
  const unknown = Object.keys(given).find(key => !Object.hasOwn(MEMBERS, key))
  // Without this check, a misspelt "pinned" would leave the token unpinned.
  if (unknown !== undefined) throw bad(`has an unknown member "${unknown}"`)
  const values: Record<string, unknown> = {}
  for (const [name, [must, isRight, fallback]] of Object.entries(MEMBERS)) {
    values[name] = given[name] === undefined ? fallback : given[name]
    if (!isRight(values[name])) throw bad(`"${name}" must ${must}`)
  }
  const { bytes_per_day: bytesPerDay, all_tenants: allTenants, ...others } = values
  const record = { ...others, bytesPerDay, allTenants } as unknown as TokenRecord
  const open = Object.keys(record.pinned).find(parameter => isBlank(record.pinned[parameter]!))
  if (open !== undefined) throw bad(`"pinned" has no value for "${open}", which would pin nothing`)
  return record
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Null, or a text that passes the test. */
const textOrNull =
  (isRight: (text: string) => boolean) =>
  (value: unknown): boolean =>
    value === null || (isText(value) && isRight(value))

const isRate = textOrNull(text => parseRate(text) !== null)
const isSize = textOrNull(text => parseByteSize(text) !== undefined)

const isConcurrency = (value: unknown): boolean =>
  value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_CONCURRENT)

/** As many queries as a server may be allowed to have at once. */
const MOST_CONCURRENT = 10_000

/**
 * The members of a record in the file: what each must do, its test, and what a record without it has; without that, it must be there.
 * A JSON Schema's messages would not say what is expected.
 */
const MEMBERS: Readonly<
  Record<string, readonly [must: string, isRight: (value: unknown) => boolean, fallback?: unknown]>
> = {
  name: ['be a word', value => isText(value) && TOKEN_NAME.test(value)],
  sha256: ['be 64 hexadecimal digits', value => isText(value) && /^[0-9a-f]{64}$/.test(value)],
  endpoints: ['be a list of names', value => Array.isArray(value) && value.every(isText)],
  pinned: ['map parameters to text', value => isRecord(value) && Object.values(value).every(isText), {}],
  expires: ['be an ISO 8601 time', textOrNull(text => !Number.isNaN(Date.parse(text))), null],
  rate: ['be like 100/min', isRate, null],
  concurrent: [`be a whole number from 1 to ${MOST_CONCURRENT}`, isConcurrency, null],
  fresh: ['be like 10/min', isRate, null],
  bytes_per_day: ['be like 100 GB', isSize, null],
  purge: ['be true or false', isBoolean, false],
  all_tenants: ['be true or false', isBoolean, false],
  explain: ['be true or false', isBoolean, false],
}

const TOKEN_NAME = /^[\w.@-]{1,100}$/
/** The names that endpoint.schema.json allows; an endpoint pattern may also contain `*` anywhere. */
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
const ENDPOINT_PATTERN = /^[a-z0-9.*-]+$/

/** Whether a pin is empty. An empty argument counts as absent, so an empty pin would not confine the caller. */
const isBlank = (value: string): boolean => value.trim() === ''

const RATE_UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Parses a rate into calls per time; null when the text is not a rate. */
export function parseRate(text: string): { readonly calls: number; readonly perMs: number } | null {
  const parts = /^([1-9]\d{0,8})\/(s|min|hour|day)$/.exec(text)
  return parts ? { calls: Number(parts[1]), perMs: RATE_UNIT_MS[parts[2]!]! } : null
}

const LIFE_UNIT_MS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 }

function lifeMs(text: string): number | null {
  const parts = /^([1-9]\d{0,4})(min|h|d)$/.exec(text)
  return parts ? Number(parts[1]) * LIFE_UNIT_MS[parts[2]!]! : null
}

/** The records of this file. @throws SetupError when it cannot be read, as where it does not exist, or is malformed. */
export function readRecords(path: string): readonly TokenRecord[] {
  try {
    return parseTokenFile(readTokenFile(path), path)
  } catch (cause) {
    if (cause instanceof SetupError) throw cause
    const message = `cannot read the tokens file ${path}: ${fileReason(cause)}; ${SETTING.tokens} names another place`
    throw new SetupError(message, { cause })
  }
}

/** The same; empty when the file does not exist. */
export async function listTokens(path: string): Promise<readonly TokenRecord[]> {
  try {
    return readRecords(path)
  } catch (thrown) {
    const { cause } = thrown as { readonly cause?: NodeJS.ErrnoException }
    if (cause?.code === 'ENOENT') return []
    throw thrown
  }
}

/**
 * Creates a token of 256 random bits, stores its hash in the file and returns its text, which is stored nowhere.
 * @throws UsageError when the order is invalid or the name is taken; SetupError when the file cannot be used.
 */
export async function createToken(path: string, order: NewToken, nowMs: number): Promise<string> {
  const problems = problemsOf(order)
  if (problems.length > 0) throw new UsageError(problems)
  const token = randomBytes(32).toString('base64url')
  const life = order.expires === undefined ? null : lifeMs(order.expires)
  const record: TokenRecord = {
    name: order.name,
    sha256: hashToken(token),
    endpoints: order.allow,
    pinned: order.pin ?? {},
    allTenants: order.allTenants ?? false,
    expires: life === null ? null : new Date(nowMs + life).toISOString(),
    rate: order.rate ?? null,
    concurrent: order.concurrent === undefined ? null : Number(order.concurrent),
    fresh: order.fresh ?? null,
    bytesPerDay: order.bytesPerDay ?? null,
    purge: order.purge ?? false,
    explain: order.explain ?? false,
  }
  makeFolderOf(path)
  await changeTokens(path, records => {
    if (records.some(({ name }) => name === order.name)) {
      throw new UsageError([`there is a token named "${order.name}" already`])
    }
    return [...records, record]
  })
  return token
}

/** The mistakes in an order that do not depend on the file. */
function problemsOf({ name, allow, pin = {}, expires, rate, concurrent, fresh, bytesPerDay }: NewToken): string[] {
  const problems: string[] = []
  if (!TOKEN_NAME.test(name)) problems.push('a token name is 1 to 100 letters, digits, or . _ - @')
  if (allow.length === 0) problems.push('name at least one endpoint pattern to allow; * allows all')
  for (const pattern of allow) {
    if (ENDPOINT_PATTERN.test(pattern)) continue
    problems.push(
      `an endpoint pattern is lower-case letters, digits, - and ., and * for any of them, found ${JSON.stringify(pattern)}`,
    )
  }
  for (const [parameter, value] of Object.entries(pin)) {
    if (!PARAMETER_NAME.test(parameter))
      problems.push(`a pin names a parameter, found ${JSON.stringify(parameter)}, which cannot be the name of one`)
    if (isBlank(value)) problems.push(`the pin of ${JSON.stringify(parameter)} has no value: it would pin nothing`)
  }
  if (expires !== undefined && lifeMs(expires) === null) problems.push('an expiry is like 90d, 12h or 30min')
  if (!isRate(rate ?? null) || !isRate(fresh ?? null)) {
    problems.push('a rate is like 100/min; the units are s, min, hour and day')
  }
  if (concurrent !== undefined && !(/^\d+$/.test(concurrent) && isConcurrency(Number(concurrent)))) {
    problems.push(`--concurrent is a whole number from 1 to ${MOST_CONCURRENT}`)
  }
  if (!isSize(bytesPerDay ?? null)) problems.push('a number of bytes is like 100 GB, more than 0 and at most 1000 TiB')
  return problems
}

/** Removes the token with this name. @throws UsageError when it does not exist; SetupError when the file cannot be used. */
export async function revokeToken(path: string, name: string): Promise<void> {
  withoutToken(await listTokens(path), name) // an unknown name is reported without a lock
  await changeTokens(path, records => withoutToken(records, name))
}

function withoutToken(records: readonly TokenRecord[], name: string): readonly TokenRecord[] {
  const kept = records.filter(record => record.name !== name)
  if (kept.length === records.length) {
    const meant = nearest(
      name,
      records.map(record => record.name),
    )
    const hint = meant === undefined ? '; `sluice token list` lists them' : `; did you mean "${meant}"?`
    throw new UsageError([`there is no token named "${name}"${hint}`])
  }
  return kept
}

/** Reads, changes and writes the file under a lock; without it, the second of two concurrent changes would undo the first. */
function changeTokens(
  path: string,
  change: (records: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  return withFileLock(path, async () => writeTokens(path, change(await listTokens(path))))
}

function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(path))
  } catch (cause) {
    throw cannotWrite(path, cause)
  }
}

const cannotWrite = (path: string, cause: unknown): SetupError =>
  writeFailure({ what: 'the tokens file', path, setting: SETTING.tokens }, cause)

/**
 * A record as the file stores it. Members that older servers do not know are written only where they differ from the default.
 */
function asMember(token: TokenRecord): Readonly<Record<string, unknown>> {
  const { bytesPerDay, allTenants, explain, concurrent, ...record } = token
  return {
    ...record,
    bytes_per_day: bytesPerDay,
    ...(allTenants && { all_tenants: true }),
    ...(explain && { explain }),
    ...(concurrent !== null && { concurrent }),
  }
}

/** Writes the file atomically: a reader sees the old file or the new one. */
async function writeTokens(path: string, records: readonly TokenRecord[]): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify({ tokens: records.map(asMember) }, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cannotWrite(path, cause)
  }
}
