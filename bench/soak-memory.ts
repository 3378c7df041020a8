/** What a server that is soaked takes of memory, and whether that grows. */
import { readFileSync } from 'node:fs'
import type { Server } from './processes.js'

/**
 * What a server whose cache is full may still grow by in its last two fifths, in megabytes: what it holds, and what the
 * system has given it for that. V8 takes memory in steps, and malloc keeps holes between results that have come and gone.
 */
const MAX_GROWTH_MB = { held: 3, resident: 12 }

/** Has a server write to this file what it holds; see `memoryOf`. */
export const heldMemoryTo = (file: string) => ({
  nodeFlags: ['--import', './bench/held-memory.mjs'],
  environment: { SLUICE_HELD_MEMORY: file },
})

/** A number of a server's, by its name; NaN for none. */
export async function metricsOf({ url }: Server): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return name => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/** Megabytes of the server's own process. */
export interface Memory {
  /** What the system has given it. */
  readonly resident: number
  /** What was left after the last full collection: V8's heap, and what lies outside of it. */
  readonly held: number
  readonly cache: number
  readonly entries: number
}

/** `heldFile` as in `heldMemoryTo`; there is nothing in it before the first full collection. */
export async function memoryOf(server: Server, heldFile: string): Promise<Memory> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const left = JSON.parse(readFileSync(heldFile, 'utf8')) as Record<'heapUsed' | 'external', number>
  const metric = await metricsOf(server)
  return {
    resident: (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024) / 1e6,
    held: (left.heapUsed + left.external) / 1e6,
    cache: metric('sluice_cache_bytes') / 1e6,
    entries: metric('sluice_cache_entries'),
  }
}

export const told = ({ resident, held, cache, entries }: Memory): string =>
  `memory ${resident.toFixed(0)} MB, held ${held.toFixed(1)} MB, cache ${cache.toFixed(1)} MB in ${entries} entries`

/** By how much it was more in the last two fifths of the time than in the two before; the first warms up code and heap. */
function growth(all: readonly Memory[], of: 'resident' | 'held'): number {
  const [from, middle] = [0.2, 0.6].map(part => Math.floor(all.length * part)) as [number, number]
  const [before, after] = [all.slice(from, middle), all.slice(middle)].map(some =>
    Math.max(...some.map(one => one[of])),
  )
  return after! - before!
}

export const toldGrowth = (all: readonly Memory[]): string =>
  `memory grew by ${growth(all, 'held').toFixed(1)} MB (held) and ${growth(all, 'resident').toFixed(1)} MB (resident)`

export const isFlat = (all: readonly Memory[]): boolean =>
  growth(all, 'held') <= MAX_GROWTH_MB.held && growth(all, 'resident') <= MAX_GROWTH_MB.resident
