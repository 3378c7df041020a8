/** What replicas tell each other over Redis: results stored, runs ended, entries purged. */
import { EventEmitter, once } from 'node:events'
import { RunnerError } from '../../../model/errors.js'
import type { ReplicaEvent, RunOutcome } from '../../../model/ports.js'
import { readJson } from '../../../model/read-json.js'
import { StoreError } from './failure.js'
import type { RedisLink } from './link.js'
import { isMessage, type ReplicaMessage } from './schemas.js'
import type { Signer } from './signer.js'

/** The interval at which a replica that waits for another's run polls the store: messages can be lost, and owners can die. */
const POLL_MS = 200

export interface MessagesOptions {
  readonly link: RedisLink
  /** The prefix of every key and channel: installations with different prefixes are separate. */
  readonly prefix: string
  /** An id of this process, since Redis sends its own messages back to it. */
  readonly replica: string
  /** Called with the reason when an entry or a message of another program is ignored. */
  readonly onTrouble: (operation: 'get' | 'message', cause: StoreError) => void
}

export class Messages {
  readonly #options: MessagesOptions
  readonly #signer: Signer
  readonly #channel: string
  /** All of them as EVENT, and outcomes of runs by `nameOf` their key. */
  readonly #events = new EventEmitter().setMaxListeners(0)

  constructor(options: MessagesOptions, signer: Signer) {
    this.#options = options
    this.#signer = signer
    this.#channel = `${options.prefix}events`
    options.link.subscribe({
      channel: this.#channel,
      onMessage: text => this.#receive(text),
      // Purges may have been missed, so all that this process holds is dropped.
      onConnected: () => this.#notify({ type: 'purged', prefix: '' }),
    })
  }

  /** @throws StoreError. */
  async publish(event: ReplicaEvent): Promise<void> {
    const message: ReplicaMessage = { from: this.#options.replica, event }
    const sealed = this.#signer.seal(JSON.stringify(message), this.#channel)
    await this.#options.link.send(['PUBLISH', this.#channel, sealed])
  }

  /** Registers a listener for events of other replicas. */
  onEvent(listener: (event: ReplicaEvent) => void): void {
    this.#events.on(EVENT, listener)
  }

  /** Waits for the outcome of another replica's run of this key; `unknown` after 200 ms without an event. */
  async outcome(key: string, signal: AbortSignal): Promise<RunOutcome> {
    try {
      const either = AbortSignal.any([signal, AbortSignal.timeout(POLL_MS)])
      const [outcome] = await once(this.#events, nameOf(key), { signal: either })
      return outcome
    } catch {
      if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
      return { kind: 'unknown' }
    }
  }

  #receive(sealed: string): void {
    const { replica, onTrouble } = this.#options
    const message = readJson(this.#signer.open(sealed, this.#channel) ?? '')
    if (!isMessage(message)) {
      onTrouble(
        'message',
        new StoreError('a message was not written by a replica with the same version and SLUICE_REDIS_KEY'),
      )
    } else if (message.from !== replica) this.#notify(message.event)
  }

  #notify(event: ReplicaEvent): void {
    this.#events.emit(EVENT, event)
    if (event.type === 'stored') this.#events.emit(nameOf(event.key), { kind: 'stored' })
    if (event.type === 'ended') this.#events.emit(nameOf(event.key), event.outcome)
  }
}

const EVENT = 'event'
/** No key must be the emitter's own `error`. */
const nameOf = (key: string): string => `outcome of ${key}`
