/** Replicas that share a Redis, inside the test process: each has its own connection, Redis store and memory store. */
import { openMemoryStore } from '../../../../runner/cache/stores/memory.js'
import { openRedis } from '../../../../runner/cache/stores/redis/cluster.js'
import type { RedisLink } from '../../../../runner/cache/stores/redis/link.js'
import { openRedisStore, type RedisStore } from '../../../../runner/cache/stores/redis/store.js'
import { openTieredStore } from '../../../../runner/cache/stores/tiered.js'
import type { Event } from '../../../../runner/model/events.js'
import type { Clock, ResultStore } from '../../../../runner/model/ports.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import { openRedisServer, type RedisServer } from './redis-server.js'
import { type Line, openLine } from './slow-line.js'

export const KEY = '0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11:abc'
export const PREFIX = 'test:'
export const REDIS_KEY = 'a key of more than 32 characters, for tests'

export interface Replica {
  readonly link: RedisLink
  readonly shared: RedisStore
  readonly tiered: ResultStore
  /** The memory store that the tiered store reads first. */
  readonly memory: ResultStore
  readonly events: readonly Event[]
  /** The reason of each loss of the connection. */
  readonly troubles: readonly string[]
  /** The reason of each message that was ignored. */
  readonly ignored: readonly string[]
  /** The prefixes that other replicas have purged, as this replica learnt of them. */
  readonly purged: readonly string[]
}

export interface ReplicaOptions {
  readonly url: string
  readonly prefix?: string
  readonly commandMs?: number
  /** SLUICE_REDIS_KEY: with one, the bodies of results may be any bytes. @default `REDIS_KEY` */
  readonly key?: string | null
  /** How far the replica's clock is ahead of the machine's clock, in milliseconds. */
  readonly aheadMs?: number
  /** The delay, in milliseconds, that replaces every delay of one minute. */
  readonly minuteMs?: number
}

const open: Replica[] = []

export async function openReplica({
  url,
  prefix = PREFIX,
  commandMs,
  key = REDIS_KEY,
  aheadMs = 0,
  minuteMs = 60_000,
}: ReplicaOptions): Promise<Replica> {
  const events: Event[] = []
  const troubles: string[] = []
  const ignored: string[] = []
  const machine = systemClock()
  const clock: Clock = {
    ...machine,
    nowMs: () => machine.nowMs() + aheadMs,
    after: (ms, callback) => machine.after(ms === 60_000 ? minuteMs : ms, callback),
  }
  const link = await openRedis({
    url,
    clock,
    random: Math.random,
    // The timeout is long, since a working Redis may answer late on a busy machine.
    commandMs: commandMs ?? 2_000,
    onTrouble: cause => void troubles.push(cause.message),
  })
  const shared = openRedisStore({
    link,
    prefix,
    clock,
    replica: String(Math.random()),
    key,
    onTrouble: cause => void ignored.push(cause.message),
  })
  const memory = openMemoryStore({ maxBytes: 4_000_000 })
  const tiered = openTieredStore({ memory, shared, clock, observe: event => void events.push(event) })
  const purged: string[] = []
  tiered.replicas?.onPurge(what => void purged.push(what))
  const replica = { link, shared, tiered, memory, events, troubles, ignored, purged }
  open.push(replica)
  // Answers come in order: with this answer the replica knows of all purges so far.
  await link.send(['HGETALL', `${prefix}purges`]).catch(() => {})
  return replica
}

export async function closeReplicas(): Promise<void> {
  for (const { link, tiered } of open.splice(0)) {
    await tiered.close()
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

export const bodyOf = async (store: ResultStore, key = KEY): Promise<string> =>
  Buffer.from((await store.get(key))?.body ?? []).toString()
