/** A million different keys through the results cache: memory must stay within its bound and 100 MB. `make storm`. */
import type { CacheRequest } from '../runner/cache/request.js'
import type { TimedResult } from '../runner/model/query.js'

// Imports the built program: tsx gives every function a name of its own, which takes more memory than is measured here.
const built = <T>(module: string): Promise<T> => import(new URL(`../dist/${module}.js`, import.meta.url).href)
const { ResultCache } = await built<typeof import('../runner/cache/result-cache.js')>('runner/cache/result-cache')
const { systemClock } = await built<typeof import('../runner/platform/clock.js')>('runner/platform/clock')
const { MemoryStore } = await built<typeof import('../runner/cache/stores/memory.js')>('runner/cache/stores/memory')

const KEYS = 1_000_000
const AT_ONCE = 100
const MAX_BYTES = 64_000_000
const ALLOWED_BYTES = MAX_BYTES + 100_000_000

const clock = systemClock()
const store = new MemoryStore({ maxBytes: MAX_BYTES })
const cache = new ResultCache({ store, clock, observe: () => {}, random: Math.random })
const policy = {
  ttlMs: 900_000,
  warmMs: 300_000,
  staleIfErrorMs: 0,
  staleWhileRevalidateMs: 0,
  untilDataChanges: false,
  settledMs: null,
} as const

/** A result of 100 bytes to 4 kB. */
const run = async (n: number): Promise<TimedResult> => {
  return {
    columns: [{ name: 'a', type: 'STRING' }],
    rowCount: 1,
    isTruncated: false,
    now: '0',
    body: Buffer.alloc(100 + (n % 40) * 100, 120),
  }
}
const noWait = (): (() => void) => noWait
/** The functions are arguments: tsx gives each function that is defined in the object a name, which takes memory. */
const requestFor = (n: number, make: CacheRequest['run'], isCurrent: () => boolean): CacheRequest => ({
  key: `0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11:${n}`,
  endpoint: 'storm',
  policy,
  timeoutMs: 30_000,
  token: 'storm',
  beginWait: noWait,
  run: make,
  isCurrent,
})
const ask = (n: number) => {
  const request = requestFor(
    n,
    () => run(n),
    () => true,
  )
  return cache.through(request, new AbortController().signal)
}

for (let n = 0; n < 1_000; n += 1) await ask(KEYS + n)
const before = process.memoryUsage().rss
let most = before
for (let n = 0; n < KEYS; n += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => ask(n + i)))
  // Yields to the event loop, as happens between requests.
  await new Promise(resolve => setImmediate(resolve))
  if (n % 10_000 === 0) most = Math.max(most, process.memoryUsage().rss)
}
const grown = most - before
process.stdout.write(
  `${KEYS} keys; memory grew by at most ${(grown / 1e6).toFixed(0)} MB (bound ${MAX_BYTES / 1e6} MB)\n`,
)
cache.close()
await store.close()
process.exitCode = grown <= ALLOWED_BYTES ? 0 : 1
