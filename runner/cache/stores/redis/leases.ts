/** Leases in Redis: a key is one process's for as long as that lives and wants it. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../model/ports.js'
import type { RedisLink } from './link.js'
import type { Scripts } from './scripts.js'

/** A process that is gone holds its leases this long. */
const LEASE_MS = 3_000
/** How often a lease that is in use is made longer. */
const RENEW_MS = LEASE_MS / 3

/** While Redis does not hear that a lease is given back, it is told again, until the lease has run out by itself. */
const RELEASE_AGAIN_MS = 250

/**
 * Claims unless the second key is there. PTTL, since every user may that must count. What never ends, or later than any lease
 * does, is none: nobody will give it back.
 */
const CLAIM_UNLESS =
  "if redis.call('PTTL', KEYS[2]) ~= -2 then return 2 end " +
  "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end " +
  "local left = redis.call('PTTL', KEYS[1]) if left ~= -1 and left <= tonumber(ARGV[2]) then return 0 end " +
  "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1"

/** Only whoever holds the lease may end it or make it longer: it may have run out and be another's by now. */
const END = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"

export interface LeaseOptions {
  readonly link: RedisLink
  readonly scripts: Scripts
  readonly clock: Clock
  /** Where the lease of this key is, for data of this state. */
  readonly nameOf: (key: string, state: string) => string
}

export interface Leases {
  /** Null: it is another's. @throws StoreError. */
  claim(key: string, state: string): Promise<HeldLease | null>
  /** The same unless there is a value of this name, in the slot of the lease. @throws StoreError. */
  claimUnless(key: string, state: string, name: string): Promise<HeldLease | 'stored' | null>
}

export interface HeldLease {
  release(): Promise<void>
}

export function createLeases({ link, scripts, clock, nameOf }: LeaseOptions): Leases {
  /** Of one that has just been claimed. */
  function hold(name: string, secret: string): HeldLease {
    let cancelTimer = (): void => {}
    const renewLater = (): void => {
      cancelTimer = clock.after(RENEW_MS, () => {
        renewLater()
        // One that is lost is not won back: another runs the same meanwhile, which does no harm.
        link.send(['EVAL', RENEW, '1', name, secret, String(LEASE_MS)]).catch(() => {})
      })
    }
    renewLater()
    return {
      async release() {
        cancelTimer()
        for (let left = LEASE_MS / RELEASE_AGAIN_MS; left > 0; left -= 1) {
          const isTold = await link.send(['EVAL', END, '1', name, secret]).then(
            () => true,
            () => false,
          )
          if (isTold) return
          await new Promise<void>(resolve => void clock.after(RELEASE_AGAIN_MS, resolve))
        }
      },
    }
  }

  /** As `CLAIM_UNLESS` does. Two that take over what is no lease at the same moment both run, which does no harm. */
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
