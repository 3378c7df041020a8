/**
 * A connection to Redis on which no command waits: while Redis does not answer, every command fails at once. ../../README.md says
 * which of this the client library does, and which fault test needs the rest.
 */
import { type Backoff, pauseAfter } from '../../../model/backoff.js'
import type { Clock } from '../../../model/ports.js'
import { within } from '../../../model/within.js'
import { type Client, CONNECT_MS, type Command, makeClient, makeClusterClient, type Reply } from './client.js'
import { StoreError, storeErrorOf } from './failure.js'

/** How long a command waits for a Redis that hangs; the next commands fail at once, until a probe is answered. */
const COMMAND_MS = 40
/** The connection to a server that hangs this long is replaced by a new one. */
const PROBE_MS = 1_000
/** The pauses between attempts to connect. */
const RECONNECT: Backoff = { firstMs: 50, longestMs: 1_000, jitter: 0.5 }
/** When a server has become a replica, its address may lead to the new master: it is looked up again at most once in this time. */
const READONLY_MS = 5_000

export interface RedisLinkOptions {
  /** `redis://` or `rediss://`, with user and password where they are needed. Never logged. */
  readonly url: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  /** How long a command may take, in milliseconds. @default 40 */
  readonly commandMs?: number
  /** Called with the reason whenever a connection is lost or cannot be made. @default no call */
  readonly onTrouble?: (cause: StoreError) => void
}

export interface Subscription {
  readonly channel: string
  onMessage(message: string): void
  /** Messages may have been missed before. */
  onConnected(): void
}

export class RedisLink {
  readonly #options: RedisLinkOptions
  #subscription: Subscription | null = null
  /** Null while there is no connection. */
  #client: Client | null = null
  /** Why no command can be sent; null while Redis answers. */
  #trouble: StoreError | null = noAnswer()
  #isClosed = false
  #attempts = 0
  #soughtMasterAt = -Infinity
  #cancelConnect = (): void => {}

  constructor(options: RedisLinkOptions) {
    this.#options = options
  }

  /** Subscribes on each connection; called before `open`. */
  subscribe(subscription: Subscription): void {
    this.#subscription = subscription
  }

  /** Resolves once connected, or after 2 s without a connection, so that a service starts while Redis is down. */
  async open(): Promise<void> {
    await this.#within(CONNECT_MS, this.#connect()).catch(() => {})
  }

  /**
   * @throws StoreError: at once while Redis does not answer, after `withinMs` when it has just stopped answering, or when Redis
   *   refuses the command.
   */
  async send(command: Command, withinMs = this.#options.commandMs ?? COMMAND_MS): Promise<Reply> {
    const client = this.#client
    if (client === null || this.#trouble !== null) throw this.#trouble ?? noAnswer()
    try {
      return await this.#within(withinMs, client.send(command))
    } catch (thrown) {
      if (thrown instanceof StoreError) this.#suspect(client, thrown)
      const cause = storeErrorOf(thrown, command[0])
      const nowMs = this.#options.clock.ticksMs()
      if (cause.code === 'READONLY' && nowMs - this.#soughtMasterAt >= READONLY_MS) {
        this.#soughtMasterAt = nowMs
        void this.#seekMaster(client, cause)
      }
      throw cause
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#discard()
  }

  #within<T>(ms: number, work: Promise<T>): Promise<T> {
    return within(ms, work, this.#options.clock, noAnswer)
  }

  async #connect(): Promise<void> {
    const { url, onTrouble } = this.#options
    const single = makeClient(url, error => this.#lose(single, error))
    let client = single
    try {
      await this.#within(CONNECT_MS, this.#login(client))
      if ((await this.#within(CONNECT_MS, hello(client))).mode === 'cluster') {
        const onReconnected = (): void => this.#subscription?.onConnected()
        client = makeClusterClient(url, onReconnected, error => onTrouble?.(storeErrorOf(error)))
        await this.#within(CONNECT_MS, this.#login(client))
      }
      if (this.#client !== client) return
      this.#attempts = 0
      this.#trouble = null
      this.#subscription?.onConnected()
    } catch (thrown) {
      this.#lose(client, thrown)
    }
  }

  async #login(client: Client): Promise<void> {
    this.#discard()
    if (this.#isClosed) return
    this.#client = client
    await client.connection.connect()
    // A process that does not hear of purges must not use what it reads.
    const subscription = this.#subscription
    if (subscription)
      await named('SUBSCRIBE', client.connection.subscribe(subscription.channel, subscription.onMessage))
    await ping(client)
  }

  #lose(client: Client, thrown: unknown): void {
    if (this.#client !== client) return
    const { clock, random, onTrouble } = this.#options
    this.#trouble = storeErrorOf(thrown)
    onTrouble?.(this.#trouble)
    this.#discard()
    this.#attempts += 1
    this.#cancelConnect = clock.after(pauseAfter(this.#attempts, RECONNECT, random()), () => void this.#connect())
  }

  #discard(): void {
    const client = this.#client
    this.#client = null
    this.#trouble ??= noAnswer()
    this.#cancelConnect()
    if (client !== null) destroy(client)
  }

  /** Replaces the connection where the address leads to a master now. A lost connection costs all that this process holds. */
  async #seekMaster(client: Client, cause: StoreError): Promise<void> {
    const other = makeClient(this.#options.url, () => undefined)
    try {
      await this.#within(CONNECT_MS, other.connection.connect())
      if ((await this.#within(CONNECT_MS, hello(other))).role === 'master') this.#lose(client, cause)
    } catch {
      // It is sought again after a while.
    } finally {
      destroy(other)
    }
  }

  /** Commands fail at once from now on, until a probe is answered. */
  #suspect(client: Client, trouble: StoreError): void {
    if (this.#client !== client || this.#trouble !== null) return
    this.#trouble = trouble
    void this.#probe(client)
  }

  async #probe(client: Client): Promise<void> {
    try {
      await this.#within(PROBE_MS, ping(client))
      if (this.#client === client) this.#trouble = null
    } catch (thrown) {
      this.#lose(client, thrown)
    }
  }
}

function destroy({ connection }: Client): void {
  try {
    connection.destroy()
  } catch {
    // The connection had ended already.
  }
}

async function ping(client: Client): Promise<void> {
  const reply = await named('PING', client.send(['PING']))
  if (String(reply) !== 'PONG') throw new StoreError('Redis cannot be used: what answers is not a Redis')
}

/** What the server says of itself. HELLO needs no permission; where it is refused, nothing is known. */
async function hello(client: Client): Promise<{ readonly mode: string; readonly role: string }> {
  const { mode, role } = Object(await client.send(['HELLO']).catch(() => null))
  return { mode: String(mode), role: String(role) }
}

/** Adds the name of the command to its refusal. */
const named = <T>(command: string, sent: Promise<T>): Promise<T> =>
  sent.catch(thrown => Promise.reject(storeErrorOf(thrown, command)))

const noAnswer = (): StoreError => new StoreError('Redis does not answer')
