/** Leases in Redis: a key is one process's for as long as that lives and wants it. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../model/ports.js'
import type { RedisLink } from './redis-link.js'

/** A process that is gone holds its leases this long. */
export const LEASE_MS = 3_000
/** How often a lease that is in use is made longer. */
const RENEW_MS = LEASE_MS / 3

/** While Redis does not hear that a lease is given back, it is told again, until the lease has run out by itself. */
const RELEASE_AGAIN_MS = 250

/** Only whoever holds the lease may end it or make it longer: it may have run out and be another's by now. */
const END = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"

export interface LeaseOptions {
  readonly link: RedisLink
  readonly clock: Clock
  /** Where the lease of this key is. */
  readonly keyOf: (key: string) => string
}

export interface Leases {
  /** Null: it is another's. @throws StoreError. */
  claim(key: string): Promise<{ release(): Promise<void> } | null>
}

export function createLeases({ link, clock, keyOf }: LeaseOptions): Leases {
  return {
    async claim(key) {
      const name = keyOf(key)
      const secret = randomBytes(12).toString('base64url')
      const reply = await link.send(['SET', name, secret, 'NX', 'PX', String(LEASE_MS)])
      if (reply === null) return null
      let callOff = (): void => {}
      const renewLater = (): void => {
        callOff = clock.after(RENEW_MS, () => {
          renewLater()
          // One that is lost is not won back: another runs the same meanwhile, which does no harm.
          link.send(['EVAL', RENEW, '1', name, secret, String(LEASE_MS)]).catch(() => {})
        })
      }
      renewLater()
      return {
        async release() {
          callOff()
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
    },
  }
}
