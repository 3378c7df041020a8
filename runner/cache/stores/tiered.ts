/** Results in memory, in front of a store that replicas share. Results and purges of other replicas reach this memory too. */
import type { Observer } from '../../model/events.js'
import type { Claim, PurgeMarks, Replicas, StoredResult } from '../../model/ports.js'
import { MemoryStore } from './memory.js'
import type { RedisStore } from './redis/store.js'

export interface TieredStoreOptions {
  readonly maxBytes: number
  readonly shared: RedisStore
  readonly observe: Observer
}

export class TieredStore extends MemoryStore {
  override readonly replicas: Replicas = {
    claim: (key, dataState) => this.#claim(key, dataState),
    find: async key => (await this.#attempt('get', this.#find(key)))?.result,
    outcome: (key, signal) => this.#options.shared.outcome(key, signal),
    onEvent: listener => this.#options.shared.onEvent(listener),
  }
  readonly #options: TieredStoreOptions
  /** Writes to the shared store that have not ended, by key. */
  readonly #writes = new Map<string, Promise<unknown>>()
  /** The number of purges so far. A result that was being read during a purge may be one of those purged. */
  #purges = 0

  constructor(options: TieredStoreOptions) {
    super(options)
    this.#options = options
    options.shared.onEvent(event => {
      if (event.type === 'purged') this.#drop(event.prefix, event.part)
      const isNews = event.type === 'stored' && event.storedAt > (this.entry(event.key)?.storedAt ?? Infinity)
      if (isNews) void this.#attempt('get', this.#find(event.key)) // The older one is served until the newer one is here.
    })
  }

  override async set(key: string, result: StoredResult, keepMs: number, purges?: PurgeMarks): Promise<boolean> {
    if ((this.entry(key)?.storedAt ?? 0) > result.storedAt) return false
    const isInMemory = await super.set(key, result, keepMs, purges)
    const written = purges && this.#attempt('set', this.#options.shared.set(key, result, keepMs, purges))
    if (written) this.#noteWrite(key, written)
    // The caller does not wait for this write: Redis receives it before the release of the lease, on the same connection.
    return isInMemory || (await written) === true
  }

  override async shared(key: string): Promise<unknown> {
    return this.#writes.get(key)
  }

  #noteWrite(key: string, written: Promise<unknown>): void {
    const ended = written.then(() => {
      if (this.#writes.get(key) === ended) this.#writes.delete(key)
    })
    this.#writes.set(key, ended)
  }

  override async purge(prefix: string, part?: string): Promise<void> {
    this.#drop(prefix, part)
    await this.#options.shared.purge(prefix, part)
    this.#drop(prefix, part)
  }

  #drop(prefix: string, part: string | undefined): void {
    this.#purges += 1
    void super.purge(prefix, part)
  }

  /** Both commands are sent together. Redis runs the claim first, so the lookup sees the result of the key's previous owner. */
  async #claim(key: string, dataState: string): Promise<Claim> {
    const claimed = this.#attempt('claim', this.#options.shared.claim(key, dataState))
    const stored = await this.#attempt('get', this.#find(key))
    return { ...stored, lease: await claimed }
  }

  /** Reads the result and the marks of purges from Redis, and stores the result in memory too. */
  async #find(key: string): Promise<Claim> {
    const purgesBefore = this.#purges
    const { result, keepMs = 0, purges } = await this.#options.shared.find(key)
    if (!result || this.#purges !== purgesBefore) return { purges }
    void super.set(key, result, keepMs, purges)
    return { purges, result }
  }

  /** Undefined where the store fails. */
  async #attempt<T>(operation: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (cause) {
      this.#options.observe({ kind: 'store.failed', operation, cause })
      return undefined
    }
  }
}
