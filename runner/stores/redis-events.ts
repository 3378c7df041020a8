/** What replicas tell each other over Redis: results stored, runs ended, entries purged. */
import { randomBytes } from 'node:crypto'
import { RunnerError } from '../model/errors.js'
import type { Clock, RunOutcome } from '../model/ports.js'
import type { RedisLink } from './redis-link.js'

/** Who waits for another replica's run looks by itself this often: messages can be lost, and owners die. */
const LOOK_MS = 200
/** When the purges of the past could not be asked for, they are again after so long. */
const CATCH_UP_AGAIN_MS = 500
/** How long a purge is remembered for replicas that were cut off when it happened. */
const PURGE_MEMORY_SECONDS = 7 * 86_400

export type ReplicaEvent =
  | { readonly type: 'stored'; readonly key: string; readonly storedAt: number }
  | { readonly type: 'ended'; readonly key: string; readonly outcome: RunOutcome }
  | { readonly type: 'purged'; readonly prefix: string }

export interface ReplicaChannel {
  /** @throws StoreError. */
  announce(event: ReplicaEvent): Promise<void>
  /** Also to replicas that come back later. @throws StoreError. */
  announcePurge(prefix: string): Promise<void>
  /** Events of other replicas. */
  onEvent(listener: (event: ReplicaEvent) => void): void
  close(): void
  /** Of the run of this key by another replica; `unknown` when nothing has been heard of it for a moment. */
  outcome(key: string, signal: AbortSignal): Promise<RunOutcome>
}

export interface ReplicaChannelOptions {
  readonly link: RedisLink
  readonly prefix: string
  /** Different in each process: its own messages come back to it. */
  readonly replica: string
  readonly clock: Clock
}

export function openReplicaChannel({ link, prefix, replica, clock }: ReplicaChannelOptions): ReplicaChannel {
  const channel = `${prefix}events`
  const purgesKey = `${prefix}purges`
  const listeners: ((event: ReplicaEvent) => void)[] = []
  const waiting = new Map<string, Set<(outcome: RunOutcome) => void>>()
  /** The last purge that this process knows of, by what was purged. */
  let knownPurges = new Map<string, string>()
  let callOffCatchUp = (): void => {}
  let isClosed = false

  function settle(key: string, outcome: RunOutcome): void {
    const waiters = waiting.get(key)
    waiting.delete(key)
    for (const resolve of waiters ?? []) resolve(outcome)
  }

  function tell(event: ReplicaEvent): void {
    for (const listener of listeners) listener(event)
    if (event.type === 'stored') settle(event.key, { kind: 'stored' })
    if (event.type === 'ended') settle(event.key, event.outcome)
  }

  link.subscribe(channel, text => {
    const message = parseMessage(text)
    if (message && message.from !== replica) tell(message.event)
  })

  /** Purges that happened while this process heard nothing: before it came, too, for it may have run alone till now. */
  async function catchUp(): Promise<void> {
    callOffCatchUp()
    try {
      const now = pairsOf(await link.send(['HGETALL', purgesKey]))
      const before = knownPurges
      knownPurges = now
      for (const [what, id] of now) if (before.get(what) !== id) tell({ type: 'purged', prefix: what })
    } catch {
      if (!isClosed) callOffCatchUp = clock.after(CATCH_UP_AGAIN_MS, () => void catchUp())
    }
  }
  link.onConnected(() => void catchUp())

  async function announce(event: ReplicaEvent): Promise<void> {
    await link.send(['PUBLISH', channel, JSON.stringify({ from: replica, event })])
  }

  return {
    announce,
    async announcePurge(what) {
      const id = randomBytes(9).toString('base64url')
      knownPurges.set(what, id)
      await link.send(['HSET', purgesKey, what, id])
      await link.send(['EXPIRE', purgesKey, String(PURGE_MEMORY_SECONDS)])
      // At each node: what that hears behind this is then known to be behind it.
      const text = JSON.stringify({ from: replica, event: { type: 'purged', prefix: what } satisfies ReplicaEvent })
      await Promise.all((await link.masters()).map(master => master.send(['PUBLISH', channel, text])))
    },
    onEvent(listener) {
      listeners.push(listener)
    },
    close() {
      isClosed = true
      callOffCatchUp()
    },
    outcome(key, signal) {
      if (signal.aborted) return Promise.reject(new RunnerError('CALL_ABANDONED'))
      return new Promise((resolve, reject) => {
        const waiters = waiting.get(key) ?? new Set()
        const end = (): void => {
          callOff()
          signal.removeEventListener('abort', onAbort)
          waiters.delete(settled)
          if (waiters.size === 0 && waiting.get(key) === waiters) waiting.delete(key)
        }
        const settled = (outcome: RunOutcome): void => {
          end()
          resolve(outcome)
        }
        const onAbort = (): void => {
          end()
          reject(new RunnerError('CALL_ABANDONED'))
        }
        const callOff = clock.after(LOOK_MS, () => settled({ kind: 'unknown' }))
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.set(key, waiters.add(settled))
      })
    },
  }
}

/** Null for what no replica of this version says. */
function parseMessage(text: unknown): { readonly from: string; readonly event: ReplicaEvent } | null {
  try {
    const { from, event } = JSON.parse(String(text)) as { from: unknown; event: ReplicaEvent }
    return typeof from === 'string' && isEvent(event) ? { from, event } : null
  } catch {
    return null
  }
}

function isEvent(event: ReplicaEvent): boolean {
  switch (event.type) {
    case 'stored':
      return typeof event.key === 'string' && typeof event.storedAt === 'number'
    case 'ended':
      return typeof event.key === 'string' && isOutcome(event.outcome)
    case 'purged':
      return typeof event.prefix === 'string'
    default:
      return false
  }
}

function isOutcome(outcome: RunOutcome): boolean {
  if (outcome.kind !== 'failed') return outcome.kind === 'stored' || outcome.kind === 'unknown'
  const { code, detail, errors } = outcome.failure
  return typeof code === 'string' && typeof detail === 'string' && Array.isArray(errors)
}

/** A hash as RESP 3 (a map) or RESP 2 (a list) gives it. */
function pairsOf(reply: unknown): Map<string, string> {
  if (Array.isArray(reply)) {
    return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[String(name), String(reply[i + 1])] as const] : [])))
  }
  if (typeof reply !== 'object' || reply === null) return new Map()
  return new Map(Object.entries(reply).map(([name, value]) => [name, String(value)] as const))
}
