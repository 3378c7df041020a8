/** A connection to Redis that never makes anybody wait: while it does not answer, every command fails at once. */
import type { Clock } from '../model/ports.js'
import { StoreError } from './store-error.js'

/** What a caller may lose by asking a Redis that hangs: then nobody asks it until it has answered. */
const COMMAND_MS = 40
/** A server that hangs this long is left, and connected to anew. */
const PROBE_MS = 1_000
/** How long connecting and logging in may take. */
const CONNECT_MS = 2_000
/** How often an idle connection is tried: a peer that is gone says nothing. */
const HEARTBEAT_MS = 5_000
/** Between attempts to connect; growing from the first to the second. */
const RETRY_MS = [50, 1_000] as const

/** Bytes for a bulk string, text for a simple one, numbers, lists of these, null. */
export type Reply = Buffer | string | number | null | readonly Reply[]

export interface RedisLink {
  /**
   * @throws StoreError: at once while Redis does not answer, after `withinMs` when it has just stopped to, or with
   *   Redis' own refusal.
   */
  send(command: readonly (string | Buffer)[], withinMs?: number): Promise<Reply>
  /** Messages of the channel, over every connection that there will be. */
  subscribe(channel: string, listener: (message: string) => void): void
  /** Called after each time that Redis has been connected to; now, if it is. */
  onConnected(listener: () => void): void
  close(): Promise<void>
}

export interface RedisLinkOptions {
  /** `redis://` or `rediss://`, with user and password where they are needed. Never logged. */
  readonly url: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  /** How long a command may take, in milliseconds. @default 40 */
  readonly commandMs?: number
}

/** As much of the client as is used here. */
interface Client {
  connect(): Promise<unknown>
  destroy(): void
  sendCommand(command: readonly (string | Buffer)[]): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
}

/** Resolves once connected, or after a moment without: whoever opens it need not wait for a Redis that is down. */
export async function openRedisLink({
  url,
  clock,
  random,
  commandMs = COMMAND_MS,
}: RedisLinkOptions): Promise<RedisLink> {
  const { createClient, RESP_TYPES } = await import('redis')
  const subscriptions = new Map<string, (message: string) => void>()
  const onConnected: (() => void)[] = []
  /** Null while there is no connection. */
  let current: Client | null = null
  /** Connected, and answering. */
  let isUp = false
  let isClosed = false
  let attempts = 0
  let callOffTimer = (): void => {}

  function makeClient(): Client {
    const socket = { reconnectStrategy: false, connectTimeout: CONNECT_MS } as const
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer }
    return createClient({
      url,
      socket,
      disableOfflineQueue: true,
      commandOptions: { typeMapping },
    }) as unknown as Client
  }

  function within<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // A process that was held up itself first reads what has arrived meanwhile.
      const callOff = clock.after(ms, () => setImmediate(() => reject(new StoreError(NO_ANSWER))))
      work.then(resolve, reject).finally(callOff)
    })
  }

  async function connect(): Promise<void> {
    const client = makeClient()
    const onLost = (): void => lose(client)
    client.on('error', onLost)
    client.on('end', onLost)
    current = client
    try {
      await within(CONNECT_MS, login(client))
    } catch {
      lose(client)
      return
    }
    if (current !== client) return
    attempts = 0
    isUp = true
    beatLater(client)
    for (const listener of onConnected) listener()
  }

  async function login(client: Client): Promise<void> {
    await client.connect()
    for (const [channel, listener] of subscriptions) await client.subscribe(channel, message => listener(message))
    await client.sendCommand(['PING'])
  }

  function lose(client: Client): void {
    if (current !== client) return
    current = null
    isUp = false
    callOffTimer()
    discard(client)
    if (isClosed) return
    const pause = Math.min(RETRY_MS[1], RETRY_MS[0] * 2 ** attempts) * (0.5 + random() / 2)
    attempts += 1
    callOffTimer = clock.after(pause, () => void connect())
  }

  /** Nobody asks until it has answered once more. */
  function suspect(client: Client): void {
    if (current !== client || !isUp) return
    isUp = false
    void probe(client)
  }

  async function probe(client: Client): Promise<void> {
    try {
      await within(PROBE_MS, client.sendCommand(['PING']))
      if (current === client) isUp = true
    } catch {
      lose(client)
    }
  }

  function beatLater(client: Client): void {
    callOffTimer = clock.after(HEARTBEAT_MS, async () => {
      await probe(client)
      if (current === client) beatLater(client)
    })
  }

  await Promise.race([connect(), new Promise<void>(resolve => void clock.after(CONNECT_MS, resolve))])

  return {
    async send(command, withinMs = commandMs) {
      const client = current
      if (client === null || !isUp) throw new StoreError(NO_ANSWER)
      try {
        return (await within(withinMs, client.sendCommand(command))) as Reply
      } catch (thrown) {
        if (thrown instanceof StoreError) suspect(client)
        throw thrown instanceof StoreError ? thrown : refusal(thrown)
      }
    },
    subscribe(channel, listener) {
      subscriptions.set(channel, listener)
      if (isUp) current?.subscribe(channel, message => listener(message)).catch(() => {})
    },
    onConnected(listener) {
      onConnected.push(listener)
      if (isUp) listener()
    },
    async close() {
      isClosed = true
      callOffTimer()
      const client = current
      current = null
      isUp = false
      if (client) discard(client)
    },
  }
}

const NO_ANSWER = 'Redis does not answer'

/** Of Redis' refusal only its kind: what follows may quote a command. */
function refusal(thrown: unknown): StoreError {
  const message = thrown instanceof Error ? thrown.message : ''
  const kind = /^[A-Z]{2,}\b/.exec(message)?.[0]
  return new StoreError(kind === undefined ? 'Redis cannot be reached' : `Redis refused: ${kind}`)
}

function discard(client: Client): void {
  try {
    client.destroy()
  } catch {
    // It had ended by itself.
  }
}
