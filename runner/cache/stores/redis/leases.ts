/** Leases in Redis: one process owns a key until it releases the lease or dies. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../model/ports.js'
import type { RedisLink } from './link.js'
import type { Scripts } from './scripts.js'

/** The time to live of a lease that is not renewed, in milliseconds. */
const LEASE_MS = 3_000
/** The interval of renewals, in milliseconds. */
const RENEW_MS = LEASE_MS / 3

/** The interval of retries of a release, in milliseconds, until the lease has expired by itself. */
const RELEASE_AGAIN_MS = 250

/**
 * Claims the lease unless the second key exists. PTTL is used since every user who may count has it. A key without an expiry,
 * or with one beyond any lease's, is not a lease: no process would ever release it.
 */
const CLAIM_UNLESS =
  "if redis.call('PTTL', KEYS[2]) ~= -2 then return 2 end " +
  "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end " +
  "local left = redis.call('PTTL', KEYS[1]) if left ~= -1 and left <= tonumber(ARGV[2]) then return 0 end " +
  "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1"

/** Only the owner may release or renew a lease: it may have expired and belong to another process. */
const END = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"

export interface LeaseOptions {
  readonly link: RedisLink
  readonly scripts: Scripts
  readonly clock: Clock
  /** The name of the lease for a key and a state of the data. */
  readonly nameOf: (key: string, state: string) => string
}

export interface Leases {
  /** Claims a lease; null where another process owns it. @throws StoreError. */
  claim(key: string, state: string): Promise<HeldLease | null>
  /** Claims a lease unless a value with this name exists in the same slot. @throws StoreError. */
  claimUnless(key: string, state: string, name: string): Promise<HeldLease | 'stored' | null>
}

export interface HeldLease {
  release(): Promise<void>
}

export function createLeases({ link, scripts, clock, nameOf }: LeaseOptions): Leases {
  /** Starts the renewal of a lease that was just claimed. */
  function hold(name: string, secret: string): HeldLease {
    let cancelTimer = (): void => {}
    const renewLater = (): void => {
      cancelTimer = clock.after(RENEW_MS, () => {
        renewLater()
        // A lost lease is not claimed again: another replica then runs the same query, which does no harm.
        link.send(['EVAL', RENEW, '1', name, secret, String(LEASE_MS)]).catch(() => {})
      })
    }
    renewLater()
    return {
      async release() {
        cancelTimer()
        for (let left = LEASE_MS / RELEASE_AGAIN_MS; left > 0; left -= 1) {
          const hasReply = await link.send(['EVAL', END, '1', name, secret]).then(
            () => true,
            () => false,
          )
          if (hasReply) return
          await new Promise<void>(resolve => void clock.after(RELEASE_AGAIN_MS, resolve))
        }
      },
    }
  }

  /** Claims without a script. Two processes that replace an invalid lease at the same moment both run, which does no harm. */
  async function take(name: string, secret: string): Promise<boolean> {
    const set = ['SET', name, secret, 'PX', String(LEASE_MS)]
    if ((await link.send([...set, 'NX'])) !== null) return true
    const left = Number(await link.send(['PTTL', name]))
    const isLease = left !== -1 && left <= LEASE_MS
    return !isLease && (await link.send(set)) !== null
  }

  async function claim(key: string, state: string): Promise<HeldLease | null> {
    const [name, secret] = [nameOf(key, state), newSecret()]
    return (await take(name, secret)) ? hold(name, secret) : null
  }

  return {
    claim,
    async claimUnless(key, state, name) {
      const [lease, secret] = [nameOf(key, state), newSecret()]
      const script = { text: CLAIM_UNLESS, keys: [lease, name], values: [secret, String(LEASE_MS)] }
      const reply = await scripts.run(script, async () => {
        if ((await link.send(['PTTL', name])) !== -2) return 2
        return (await take(lease, secret)) ? 1 : 0
      })
      if (reply === 2) return 'stored'
      return reply === 1 ? hold(lease, secret) : null
    },
  }
}

const newSecret = (): string => randomBytes(12).toString('base64url')
