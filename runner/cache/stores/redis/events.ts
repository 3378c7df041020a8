/** Events that replicas publish to each other over Redis: results stored, runs ended, entries purged. */
import { RunnerError } from '../../../model/errors.js'
import type { Clock, RunOutcome } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import type { RedisLink } from './link.js'
import type { PurgeLog } from './purges.js'
import type { Purged, PurgeNumbers, RedisSchemas, ReplicaEvent, ReplicaMessage } from './schemas.js'
import type { Signer } from './signer.js'

/** The interval at which a replica that waits for another's run polls the store: messages can be lost, and owners can die. */
const POLL_MS = 200
/** The pause after a failed catch-up with past purges, in milliseconds. */
const CATCH_UP_AGAIN_MS = 500
/**
 * The interval of regular catch-ups, in milliseconds. Each one touches the purge log, so that a full Redis evicts other keys
 * first.
 */
const CATCH_UP_EVERY_MS = 60_000

export interface ReplicaChannel {
  /** @throws StoreError. */
  announce(event: Exclude<ReplicaEvent, Purged>): Promise<void>
  /** Announces a purge, also to replicas that reconnect later. @throws StoreError. */
  announcePurge(prefix: string): Promise<void>
  /** Compares the purge numbers that a result was stored with; reports purges that this process has missed. */
  learn(key: string, numbers: PurgeNumbers): void
  /** Registers a listener for events of other replicas. */
  onEvent(listener: (event: ReplicaEvent) => void): void
  close(): void
  /** Waits for the outcome of another replica's run of this key; `unknown` after 200 ms without an event. */
  outcome(key: string, signal: AbortSignal): Promise<RunOutcome>
}

export interface ReplicaChannelOptions {
  readonly link: RedisLink
  readonly prefix: string
  /** An id of this process, since Redis sends its own messages back to it. */
  readonly replica: string
  readonly clock: Clock
  readonly purges: PurgeLog
  readonly signer: Signer
  readonly schemas: Pick<RedisSchemas, 'isMessage'>
  /** Called with the reason when a message is ignored. */
  readonly onTrouble: (cause: StoreError) => void
}

export function openReplicaChannel(options: ReplicaChannelOptions): ReplicaChannel {
  const { link, prefix, replica, clock, purges, signer, schemas, onTrouble } = options
  const channel = `${prefix}events`
  const listeners: ((event: ReplicaEvent) => void)[] = []
  const waiting = new Map<string, Set<(outcome: RunOutcome) => void>>()
  let cancelCatchUp = (): void => {}
  let isClosed = false

  function settle(key: string, outcome: RunOutcome): void {
    const waiters = waiting.get(key)
    waiting.delete(key)
    for (const resolve of waiters ?? []) resolve(outcome)
  }

  function notify(event: ReplicaEvent): void {
    for (const listener of listeners) listener(event)
    if (event.type === 'stored') settle(event.key, { kind: 'stored' })
    if (event.type === 'ended') settle(event.key, event.outcome)
  }

  link.subscribe(channel, text => {
    const message = read(text)
    if (message === null) {
      onTrouble(new StoreError('a message was not written by a replica with the same version and SLUICE_REDIS_KEY'))
      return
    }
    const { event, from } = message
    if (from === replica) return
    if (event.type === 'purged') purges.note(event.prefix, event.number)
    notify(event)
  })

  /** A signature and a message in JSON. */
  function write(event: ReplicaMessage['event']): string {
    const message: ReplicaMessage = { from: replica, event }
    const json = JSON.stringify(message)
    return `${signer.sign(channel, Buffer.from(json)).toString('base64url')} ${json}`
  }

  const isPossible = (event: ReplicaMessage['event']): boolean =>
    event.type !== 'purged' || purges.isPossible(event.number)

  /** Null for a text that no replica with this version and key wrote. */
  function read(text: string): ReplicaMessage | null {
    const end = text.indexOf(' ')
    const json = text.slice(end + 1)
    if (!signer.hasSigned(Buffer.from(text.slice(0, Math.max(0, end)), 'base64url'), channel, Buffer.from(json)))
      return null
    try {
      const message: unknown = JSON.parse(json)
      return schemas.isMessage(message) && isPossible(message.event) ? message : null
    } catch {
      return null
    }
  }

  function notifyPurges(all: readonly string[]): void {
    for (const prefix of all) notify({ type: 'purged', prefix })
  }

  /** Reads purges that happened while this process was not connected, including before it started. */
  async function catchUp(): Promise<void> {
    cancelCatchUp()
    const nextMs = await purges.catchUp().then(
      all => {
        notifyPurges(all)
        return CATCH_UP_EVERY_MS
      },
      () => CATCH_UP_AGAIN_MS,
    )
    cancelCatchUp()
    if (!isClosed) cancelCatchUp = clock.after(nextMs, () => void catchUp())
  }
  link.onConnected(() => void catchUp())

  async function announce(event: Exclude<ReplicaEvent, Purged>): Promise<void> {
    await link.send(['PUBLISH', channel, write(event)])
  }

  return {
    announce,
    learn: (key, numbers) => notifyPurges(purges.learn(key, numbers)),
    async announcePurge(what) {
      const text = write({ type: 'purged', prefix: what, number: await purges.add(what) })
      // Published at each node, so that a replica receives it before any later answer of that node.
      await Promise.all((await link.masters()).map(master => master.send(['PUBLISH', channel, text])))
    },
    onEvent(listener) {
      listeners.push(listener)
    },
    close() {
      isClosed = true
      cancelCatchUp()
    },
    outcome(key, signal) {
      if (signal.aborted) return Promise.reject(new RunnerError('CALL_ABANDONED'))
      return new Promise((resolve, reject) => {
        const waiters = waiting.get(key) ?? new Set()
        const end = (): void => {
          cancelTimer()
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
        const cancelTimer = clock.after(POLL_MS, () => settled({ kind: 'unknown' }))
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.set(key, waiters.add(settled))
      })
    },
  }
}
