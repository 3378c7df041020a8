/**
 * A connection to Redis on which no command waits: while Redis does not answer, every command fails at once. What the client
 * library does of this, and which fault test needs the rest, is in ../../README.md.
 */
import { type Backoff, pauseAfter } from '../../../model/backoff.js'
import type { Clock } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import { refusalOf, unusable } from './failure-reason.js'

/** How long a command waits for a Redis that hangs; the next commands fail at once, until a probe is answered. */
const COMMAND_MS = 40
/** The connection to a server that hangs this long is replaced by a new one. */
const PROBE_MS = 1_000
/** How long connecting and logging in may take. */
const CONNECT_MS = 2_000
/** How often the connection is probed: a peer that has vanished closes nothing. */
const HEARTBEAT_MS = 5_000
/** The pauses between attempts to connect. */
const RECONNECT: Backoff = { firstMs: 50, longestMs: 1_000, jitter: 0.5 }
/**
 * The connection to a server that has become a replica is replaced, since its address may lead to the new master; at most once
 * in this time.
 */
const READONLY_MS = 5_000
/** Clocks that differ by less count as equal: a measurement is hardly more exact. */
const SKEW_MS = 500

/** Bytes for a bulk string, text for a simple one, numbers, lists of these, null. */
export type Reply = Buffer | string | number | null | readonly Reply[]

/** A connection to one server. */
export interface NodeLink {
  /**
   * @throws StoreError: at once while Redis does not answer, after `withinMs` when it has just stopped to, or with
   *   Redis' own refusal.
   */
  send(command: readonly (string | Buffer)[], withinMs?: number): Promise<Reply>
  /** Delivers the messages of the channel to the listener, also after each reconnection. */
  subscribe(channel: string, listener: (message: string) => void): void
  /** Calls the listener after each connection to Redis, and at once where there is one. */
  onConnected(listener: () => void): void
  /** By how much Redis' clock is ahead of this process's, in milliseconds; 0 when they agree to half a second. */
  aheadMs(): number
  /** Connected, and answering. */
  isUp(): boolean
  /** Whether the server said, when it was last connected to, that it is a node of a cluster. */
  isClustered(): boolean
  close(): Promise<void>
}

/** One server, or all nodes of a cluster: a command goes to the node that has its key. */
export interface RedisLink extends Pick<NodeLink, 'send' | 'subscribe' | 'onConnected' | 'close'> {
  /** By how much the clock of the server that has this key is ahead; see `NodeLink`. */
  aheadMs(name: string): number
  /** Every master, for commands that each of them must receive. */
  masters(): Promise<readonly Pick<NodeLink, 'send'>[]>
}

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

/** The part of the client that is used here. */
interface Client {
  connect(): Promise<unknown>
  destroy(): void
  sendCommand(command: readonly (string | Buffer)[]): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  on(event: 'error' | 'end', listener: (error?: unknown) => void): unknown
}

/** Resolves once connected, or after 2 s without a connection, so that a service starts while Redis is down. */
export async function openRedisLink({
  url,
  clock,
  random,
  commandMs = COMMAND_MS,
  onTrouble,
}: RedisLinkOptions): Promise<NodeLink> {
  const { createClient, RESP_TYPES } = await import('redis')
  const subscriptions = new Map<string, (message: string) => void>()
  const onConnected: (() => void)[] = []
  /** Null while there is no connection. */
  let current: Client | null = null
  /** Connected, and answering. */
  let isUp = false
  let isClosed = false
  let attempts = 0
  /** Why there is no connection. */
  let trouble: StoreError = noAnswer()
  let aheadMs = 0
  let isClustered = false
  let leftReplicaAt = -Infinity
  let cancelNext = (): void => {}

  function makeClient(): Client {
    const socket = { reconnectStrategy: false, connectTimeout: CONNECT_MS } as const
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer }
    return createClient({
      url,
      socket,
      disableOfflineQueue: true,
      // A user may be allowed no more than the few commands that this store sends.
      disableClientInfo: true,
      maintNotifications: 'disabled',
      commandOptions: { typeMapping },
    }) as unknown as Client
  }

  function within<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // If this process was held up itself, the answer may have arrived: it is read first.
      const cancelTimer = clock.after(ms, () => setImmediate(() => reject(noAnswer())))
      work.then(resolve, reject).finally(cancelTimer)
    })
  }

  async function connect(): Promise<void> {
    const client = makeClient()
    const onLost = (error?: unknown): void => lose(client, error)
    client.on('error', onLost)
    client.on('end', onLost)
    current = client
    try {
      await within(CONNECT_MS, login(client))
    } catch (thrown) {
      lose(client, thrown)
      return
    }
    if (current !== client) return
    attempts = 0
    isUp = true
    scheduleHeartbeat(client)
    for (const listener of onConnected) listener()
  }

  async function login(client: Client): Promise<void> {
    await client.connect()
    for (const [channel, listener] of subscriptions) await subscribeTo(client, channel, listener)
    const facts = Object(await client.sendCommand(['HELLO']).catch(() => null)) as { readonly mode?: unknown }
    isClustered = String(facts.mode) === 'cluster'
    await compareClocks(client)
  }

  /** Asks for the time: an answer shows that Redis lives. */
  async function compareClocks(client: Client): Promise<void> {
    const asked = clock.nowMs()
    const reply = await orRefusal(['TIME'], client.sendCommand(['TIME']))
    const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : []
    const answered = clock.nowMs()
    const measured = Number(seconds) * 1_000 + Number(micros) / 1_000 - (asked + answered) / 2
    if (!Number.isFinite(measured)) throw new StoreError('Redis cannot be used: what answers is no Redis')
    // A slow measurement is inexact; one close to the last changes nothing, so that stored times stay equal.
    const isBetter = answered - asked < SKEW_MS && Math.abs(measured - aheadMs) >= SKEW_MS
    if (isBetter) aheadMs = Math.abs(measured) < SKEW_MS ? 0 : Math.round(measured)
  }

  function lose(client: Client, thrown: unknown): void {
    if (current !== client) return
    current = null
    isUp = false
    trouble = unusable(thrown)
    onTrouble?.(trouble)
    cancelNext()
    discard(client)
    if (isClosed) return
    attempts += 1
    cancelNext = clock.after(pauseAfter(attempts, RECONNECT, random()), () => void connect())
  }

  /** Commands fail at once from now on, until a probe is answered. */
  function suspect(client: Client): void {
    if (current !== client || !isUp) return
    isUp = false
    void probe(client)
  }

  async function probe(client: Client): Promise<void> {
    try {
      await within(PROBE_MS, compareClocks(client))
      if (current === client) isUp = true
    } catch (thrown) {
      lose(client, thrown)
    }
  }

  function scheduleHeartbeat(client: Client): void {
    cancelNext = clock.after(HEARTBEAT_MS, async () => {
      await probe(client)
      if (current === client) scheduleHeartbeat(client)
    })
  }

  /** READONLY: the server is no longer a master. */
  function leaveReplica(client: Client, cause: StoreError): void {
    if (cause.kind !== 'READONLY' || clock.ticksMs() - leftReplicaAt < READONLY_MS) return
    leftReplicaAt = clock.ticksMs()
    lose(client, cause)
  }

  await Promise.race([connect(), new Promise<void>(resolve => void clock.after(CONNECT_MS, resolve))])

  return {
    async send(command, withinMs = commandMs) {
      const client = current
      if (client === null) throw trouble
      if (!isUp) throw noAnswer()
      try {
        return (await within(withinMs, client.sendCommand(command))) as Reply
      } catch (thrown) {
        if (thrown instanceof StoreError) {
          suspect(client)
          throw thrown
        }
        const cause = refusalOf(command, thrown)
        leaveReplica(client, cause)
        throw cause
      }
    },
    subscribe(channel, listener) {
      subscriptions.set(channel, listener)
      const client = current
      // A process that does not hear of purges must not use what it reads.
      if (client && isUp) subscribeTo(client, channel, listener).catch(thrown => lose(client, thrown))
    },
    onConnected(listener) {
      onConnected.push(listener)
      if (isUp) listener()
    },
    aheadMs: () => aheadMs,
    isUp: () => isUp,
    isClustered: () => isClustered,
    async close() {
      isClosed = true
      cancelNext()
      const client = current
      current = null
      isUp = false
      if (client) discard(client)
    },
  }
}

const noAnswer = (): StoreError => new StoreError('Redis does not answer')

/** A failed login names the command that was refused. */
function orRefusal<T>(command: readonly string[], sent: Promise<T>): Promise<T> {
  return sent.catch(thrown => {
    throw refusalOf(command, thrown)
  })
}

function subscribeTo(client: Client, channel: string, listener: (message: string) => void): Promise<void> {
  return orRefusal(
    ['SUBSCRIBE'],
    client.subscribe(channel, message => listener(message)),
  )
}

function discard(client: Client): void {
  try {
    client.destroy()
  } catch {
    // The connection had ended already.
  }
}
