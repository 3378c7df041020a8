/** Leases in Redis: one process owns a key until it releases the lease or dies. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../model/ports.js'
import type { RedisLink } from './link.js'

/** The time to live of a lease that is not renewed, in milliseconds. */
const LEASE_MS = 3_000
/** The interval of renewals, in milliseconds. */
const RENEW_MS = LEASE_MS / 3

/**
 * A key without an expiry, or with one beyond any lease's, is not a lease, and is replaced: no process would ever release it.
 */
const CLAIM =
  "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end " +
  "local left = redis.call('PTTL', KEYS[1]) if left ~= -1 and left <= tonumber(ARGV[2]) then return 0 end " +
  "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1"

/** Only the owner may release or renew a lease: it may have expired and belong to another process. */
const END = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"

/** Claims the lease of this name, and renews it until the returned function releases it; null where another process owns it. */
export async function claimLease(link: RedisLink, clock: Clock, name: string): Promise<(() => Promise<void>) | null> {
  const run = (script: string) => link.send(['EVAL', script, '1', name, secret, String(LEASE_MS)])
  const secret = randomBytes(12).toString('base64url')
  if ((await run(CLAIM)) !== 1) return null
  let cancelTimer = clock.after(RENEW_MS, renew)
  function renew(): void {
    cancelTimer = clock.after(RENEW_MS, renew)
    // A lost lease is not claimed again: another replica then runs the same query, which does no harm.
    run(RENEW).catch(() => {})
  }
  return async () => {
    cancelTimer()
    // A lease that could not be released expires.
    await run(END).catch(() => {})
  }
}
