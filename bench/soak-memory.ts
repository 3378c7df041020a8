/** The memory of a server during a soak test, and its growth. */
import { readFileSync } from 'node:fs'
import type { Server } from './processes.js'

/**
 * The allowed growth of a server in the last two fifths of the test, in megabytes: of the memory in use, and of the resident
 * memory. V8 allocates in steps, and malloc keeps gaps between results that have been dropped.
 */
const MAX_GROWTH_MB = { held: 3, resident: 12 }

/** Flags and variables that make a server write its memory in use to this file; see `memoryOf`. */
export const heldMemoryTo = (file: string) => ({
  nodeFlags: ['--import', './bench/held-memory.mjs'],
  environment: { SLUICE_HELD_MEMORY: file },
})

/** Reads a server's metrics, and returns a function from a metric's name to its value; NaN for an unknown metric. */
export async function metricsOf({ url }: Server): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return name => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/** The memory of the server's own process, in megabytes. */
export interface Memory {
  /** The resident memory. */
  readonly resident: number
  /** The memory in use after the last full garbage collection: V8's heap, and external memory. */
  readonly held: number
  readonly cache: number
  readonly entries: number
}

/** `heldFile` is the file of `heldMemoryTo`, which does not exist before the first full garbage collection. */
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

/**
 * The growth of the median from the second and third fifths of the test to the last two, in MB; the first fifth is a warm-up.
 * The maximum would show how much garbage V8 had at one moment, which differs by 50 MB; what leaks is in the median, too.
 */
function growth(all: readonly Memory[], of: 'resident' | 'held'): number {
  const [from, middle] = [0.2, 0.6].map(part => Math.floor(all.length * part)) as [number, number]
  return median(all.slice(middle), of) - median(all.slice(from, middle), of)
}

const median = (all: readonly Memory[], of: 'resident' | 'held'): number =>
  all.map(memory => memory[of]).sort((a, b) => a - b)[Math.floor(all.length / 2)]!

export const toldGrowth = (all: readonly Memory[]): string =>
  `memory grew by ${growth(all, 'held').toFixed(1)} MB (held) and ${growth(all, 'resident').toFixed(1)} MB (resident)`

export const isFlat = (all: readonly Memory[]): boolean =>
  growth(all, 'held') <= MAX_GROWTH_MB.held && growth(all, 'resident') <= MAX_GROWTH_MB.resident
