/** What replicas tell each other over Redis: results stored, runs ended, entries purged. */
import { EventEmitter, once } from 'node:events'
import { RunnerError } from '../../../model/errors.js'
import type { ReplicaEvent, RunOutcome } from '../../../model/ports.js'
import { StoreError } from './failure.js'
import type { RedisLink } from './link.js'
import { isMessage, type ReplicaMessage } from './schemas.js'
import type { Signer } from './signer.js'
import { parsed, splitOnce } from './value.js'

/** The interval at which a replica that waits for another's run polls the store: messages can be lost, and owners can die. */
const POLL_MS = 200

export interface MessagesOptions {
  readonly link: RedisLink
  readonly channel: string
  /** An id of this process, since Redis sends its own messages back to it. */
  readonly replica: string
  readonly signer: Signer
  /** Called with the reason when a message is ignored. */
  readonly onForeign: (cause: StoreError) => void
}

export class Messages {
  readonly #options: MessagesOptions
  readonly #listeners: ((event: ReplicaEvent) => void)[] = []
  /** Outcomes of runs, by `nameOf` their key. */
  readonly #outcomes = new EventEmitter().setMaxListeners(0)

  constructor(options: MessagesOptions) {
    this.#options = options
    options.link.subscribe({
      channel: options.channel,
      onMessage: text => this.#receive(text),
      // Purges may have been missed, so all that this process holds is dropped.
      onConnected: () => this.#notify({ type: 'purged', prefix: '' }),
    })
  }

  /** @throws StoreError. */
  async publish(event: ReplicaEvent): Promise<void> {
    const { link, channel, replica, signer } = this.#options
    const message: ReplicaMessage = { from: replica, event }
    const json = JSON.stringify(message)
    await link.send(['PUBLISH', channel, `${signer.sign(channel, json)} ${json}`])
  }

  /** Registers a listener for events of other replicas. */
  onEvent(listener: (event: ReplicaEvent) => void): void {
    this.#listeners.push(listener)
  }

  /** Waits for the outcome of another replica's run of this key; `unknown` after 200 ms without an event. */
  async outcome(key: string, signal: AbortSignal): Promise<RunOutcome> {
    try {
      const either = AbortSignal.any([signal, AbortSignal.timeout(POLL_MS)])
      const [outcome] = await once(this.#outcomes, nameOf(key), { signal: either })
      return outcome
    } catch {
      if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
      return { kind: 'unknown' }
    }
  }

  #receive(text: string): void {
    const { channel, replica, signer, onForeign } = this.#options
    const [signature, json] = splitOnce(text)
    const message = signer.hasSigned(signature, channel, json) ? parsed(json) : null
    if (!isMessage(message)) {
      onForeign(new StoreError('a message was not written by a replica with the same version and SLUICE_REDIS_KEY'))
    } else if (message.from !== replica) this.#notify(message.event)
  }

  #notify(event: ReplicaEvent): void {
    for (const listener of this.#listeners) listener(event)
    if (event.type === 'stored') this.#outcomes.emit(nameOf(event.key), { kind: 'stored' })
    if (event.type === 'ended') this.#outcomes.emit(nameOf(event.key), event.outcome)
  }
}

/** No key must be the emitter's own `error`. */
const nameOf = (key: string): string => `outcome of ${key}`
