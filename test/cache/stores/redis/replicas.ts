/** Replicas that share a Redis, inside the test process: each has its own connection, Redis store and memory store. */
import type { MemoryStore } from '../../../../runner/cache/stores/memory.js'
import { RedisLink } from '../../../../runner/cache/stores/redis/link.js'
import { RedisStore } from '../../../../runner/cache/stores/redis/store.js'
import { TieredStore } from '../../../../runner/cache/stores/tiered.js'
import type { Event } from '../../../../runner/model/events.js'
import type { Lease, PurgeMarks, RunOutcome, StoredResult } from '../../../../runner/model/ports.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import type { ContractStore } from '../../../contracts/result-store.js'
import { openRedisServer, type RedisServer } from './redis-server.js'
import { type Line, openLine } from './slow-line.js'

export const KEY = '0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11:abc'
export const PREFIX = 'test:'
export const REDIS_KEY = 'a key of more than 32 characters, for tests'

interface Claims {
  claim(key: string, dataState: string): Promise<Lease | null>
  outcome(key: string, signal: AbortSignal): Promise<RunOutcome>
}

export interface Replica {
  readonly link: RedisLink
  /** The store that a result cache uses. */
  readonly store: TieredStore
  /** The marks of purges that concern this key now. */
  marks(key: string): Promise<PurgeMarks>
  /** The results in Redis. `get` rejects with the reason where an entry is ignored. */
  readonly shared: ContractStore & { readonly replicas: Claims }
  /** The results in memory, else those in Redis. A result is stored with the marks of purges now. */
  readonly tiered: ContractStore & { readonly replicas: Claims }
  /** The results in memory. */
  readonly memory: ContractStore
  readonly events: readonly Event[]
  /** The reason of each loss of the connection. */
  readonly troubles: readonly string[]
  /** The reason of each message and each entry that was ignored. */
  readonly ignored: readonly string[]
  /** The prefixes that replicas have purged, as this replica learnt of them. */
  readonly purged: readonly string[]
}

export interface ReplicaOptions {
  readonly url: string
  readonly prefix?: string
  readonly commandMs?: number
  /** SLUICE_REDIS_KEY: with one, the bodies of results may be any bytes. @default `REDIS_KEY` */
  readonly key?: string | null
}

const open: Replica[] = []

export async function openReplica({
  url,
  prefix = PREFIX,
  commandMs,
  key = REDIS_KEY,
}: ReplicaOptions): Promise<Replica> {
  const events: Event[] = []
  const troubles: string[] = []
  const ignored: string[] = []
  const clock = systemClock()
  const link = new RedisLink({
    url,
    clock,
    random: Math.random,
    // The timeout is long, since a working Redis may answer late on a busy machine.
    commandMs: commandMs ?? 2_000,
    onTrouble: cause => void troubles.push(cause.message),
  })
  const redis = new RedisStore({
    link,
    prefix,
    clock,
    key,
    onTrouble: (_, cause) => void ignored.push(cause.message),
  })
  const store = new TieredStore({
    maxBytes: 4_000_000,
    shared: redis,
    observe: event => void events.push(event),
  })
  const purged: string[] = []
  store.replicas.onEvent(event => event.type === 'purged' && purged.push(event.prefix))
  await link.open()
  const claims = {
    claim: (name: string, state: string) => redis.claim(name, state),
    outcome: (name: string, signal: AbortSignal) => redis.outcome(name, signal),
  }
  const close = async (): Promise<void> => {}
  const shared = {
    async get(name: string) {
      const count = ignored.length
      const { result } = await redis.find(name)
      if (ignored.length > count) throw new Error(ignored.at(-1))
      return result
    },
    set: async (name: string, result: StoredResult, keepMs: number) =>
      redis.set(name, result, keepMs, (await redis.find(name)).purges),
    purge: (what: string, part?: string) => redis.purge(what, part),
    close,
    replicas: claims,
  }
  const find = async (name: string): Promise<StoredResult | undefined> => {
    const { lease, result } = await store.replicas.claim(name, 'a state that no run has')
    await lease?.release({ kind: 'unknown' })
    return result
  }
  const tiered = {
    get: async (name: string) => store.entry(name) ?? (await find(name)),
    set: async (name: string, result: StoredResult, keepMs: number) =>
      store.set(name, result, keepMs, (await redis.find(name)).purges),
    purge: (what: string, part?: string) => store.purge(what, part),
    close,
    replicas: claims,
  }
  const marks = async (name: string) => (await redis.find(name)).purges
  const replica = { link, store, marks, shared, tiered, memory: inMemory(store), events, troubles, ignored, purged }
  open.push(replica)
  return replica
}

/** A memory store, as the contract uses it. */
export function inMemory(memory: MemoryStore): ContractStore {
  return {
    get: key => memory.entry(key),
    set: (key, result, keepMs) => memory.set(key, result, keepMs),
    purge: prefix => memory.purge(prefix),
    close: () => memory.close(),
  }
}

export async function closeReplicas(): Promise<void> {
  for (const { link, store } of open.splice(0)) {
    await store.close()
    await link.close()
  }
}

/**
 * For a suite: a Redis that is empty before each test, and a connection to it that can be slowed down. After each test its
 * replicas are closed.
 */
export function sharedRedis(): { readonly server: RedisServer; readonly line: Line } {
  let server: RedisServer
  let line: Line
  before(async () => {
    server = await openRedisServer()
    line = await openLine(server.port)
  })
  after(async () => {
    await line.close()
    await server.close()
  })
  beforeEach(() => server.cli('FLUSHALL'))
  afterEach(closeReplicas)
  return {
    get server() {
      return server
    },
    get line() {
      return line
    },
  }
}

/** The message of the error with which the promise rejects; `none` when it resolves. */
export const failure = (asked: unknown): Promise<string> =>
  Promise.resolve(asked).then(
    () => 'none',
    (error: Error) => error.message,
  )

export const bodyOf = async (store: ContractStore, key = KEY): Promise<string> =>
  Buffer.from((await store.get(key))?.body ?? []).toString()
