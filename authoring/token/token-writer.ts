/** Makes, lists and revokes tokens in the tokens file. A server only reads it: see runner/auth/. */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  hashToken,
  isBlank,
  isConcurrency,
  isRate,
  isSize,
  MOST_CONCURRENT,
  readRecords,
  TOKEN_NAME,
  type TokenRecord,
} from '../../runner/auth/token-file.js'
import { UsageError } from '../../runner/model/errors.js'
import { didYouMean } from '../../runner/model/suggest.js'
import { systemClock } from '../../runner/platform/clock.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { SETTING, type WriteTarget, writeFailure } from '../../runner/platform/write-failure.js'
import { tokensPath } from '../../runner/serve/tokens.js'
import type { Settings } from '../../runner/settings/settings.js'
import { writeAtomically } from '../terminal/write-atomically.js'
import { withFileLock } from './file-lock.js'

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
  /** Whether it may export. @default false */
  readonly export?: boolean
}

/** The records of this file; empty when it does not exist. @throws SetupError when it cannot be read or is malformed. */
export async function listTokens(path: string): Promise<readonly TokenRecord[]> {
  try {
    return readRecords(path)
  } catch (thrown) {
    const { cause } = thrown as { readonly cause?: NodeJS.ErrnoException }
    if (cause?.code === 'ENOENT') return []
    throw thrown
  }
}

/** Creates a token and returns its text; the file stores its hash. @throws UsageError, SetupError. */
export function addToken(settings: Settings, order: NewToken): Promise<string> {
  return createToken(tokensPath(settings), order, systemClock().nowMs())
}

/**
 * On a first run, without SLUICE_TOKEN and without a tokens file, creates an unrestricted token and returns its text, to be
 * shown once; otherwise returns null. @throws SetupError when the file cannot be written.
 */
export async function ensureToken(settings: Settings): Promise<string | null> {
  if (settings.token !== null || existsSync(tokensPath(settings))) return null
  try {
    return await addToken(settings, { name: 'first', allow: ['*'], allTenants: true })
  } catch (error) {
    // Another server, started at the same time, has created the token and shown it.
    if (error instanceof UsageError) return null
    throw error
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
  const lifetime = order.expires === undefined ? null : lifetimeMs(order.expires)
  const record: TokenRecord = {
    name: order.name,
    sha256: hashToken(token),
    endpoints: order.allow,
    pinned: order.pin ?? {},
    allTenants: order.allTenants ?? false,
    expires: lifetime === null ? null : new Date(nowMs + lifetime).toISOString(),
    rate: order.rate ?? null,
    concurrent: order.concurrent === undefined ? null : Number(order.concurrent),
    fresh: order.fresh ?? null,
    bytesPerDay: order.bytesPerDay ?? null,
    purge: order.purge ?? false,
    explain: order.explain ?? false,
    export: order.export ?? false,
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
  if (expires !== undefined && lifetimeMs(expires) === null) problems.push('an expiry is like 90d, 12h or 30min')
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
  const remaining = records.filter(record => record.name !== name)
  if (remaining.length === records.length) {
    const names = records.map(record => record.name)
    const { hint } = didYouMean(name, names, '; `sluice token list` lists them')
    throw new UsageError([`there is no token named "${name}"${hint}`])
  }
  return remaining
}

/** Reads, changes and writes the file under a lock; without it, the second of two concurrent changes would undo the first. */
function changeTokens(
  path: string,
  change: (records: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  return withFileLock(path, async () => {
    const tokens = change(await listTokens(path)).map(fileEntry)
    await writeAtomically(targetOf(path), `${JSON.stringify({ tokens }, null, 2)}\n`, 0o600)
  })
}

const targetOf = (path: string): WriteTarget => ({ what: 'the tokens file', path, setting: SETTING.tokens })

function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(path))
  } catch (cause) {
    throw writeFailure(targetOf(path), cause)
  }
}

/**
 * A record as the file stores it. Members that older servers do not know are written only where they differ from the default.
 */
function fileEntry(token: TokenRecord): Readonly<Record<string, unknown>> {
  const { bytesPerDay, allTenants, explain, export: mayExport, concurrent, ...record } = token
  return {
    ...record,
    bytes_per_day: bytesPerDay,
    ...(allTenants && { all_tenants: true }),
    ...(explain && { explain }),
    ...(mayExport && { export: mayExport }),
    ...(concurrent !== null && { concurrent }),
  }
}

const LIFETIME_UNIT_MS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 }

function lifetimeMs(text: string): number | null {
  const parts = /^([1-9]\d{0,4})(min|h|d)$/.exec(text)
  return parts ? Number(parts[1]) * LIFETIME_UNIT_MS[parts[2]!]! : null
}

/** The names that endpoint.schema.json allows; an endpoint pattern may also contain `*` anywhere. */
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/
const ENDPOINT_PATTERN = /^[a-z0-9.*-]+$/
