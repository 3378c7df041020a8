/** Measures servers in turns under the same load: requests per second, and the processor time of one request. */
import { readdirSync, readFileSync } from 'node:fs'
import { percentile } from './figures.js'
import { type HttpLoad, httpLoad } from './http-load.js'
import type { Server } from './processes.js'
import { apart } from './processors.js'

/** The number of rounds; the first is a warm-up and does not count. */
export const ROUNDS = 9

export interface Side {
  readonly name: string
  readonly server: Server
  readonly load: Partial<HttpLoad>
}

export interface Measured {
  /** Requests per second, the median of the rounds. */
  readonly rate: number
  /** The server's processor time for one request in microseconds, the smallest of the rounds. */
  readonly cpu: number
}

/**
 * Measures the servers in turns, in alternating order, so that other load on the machine affects all of them equally. With
 * one connection, client and servers run on different processors; see `apart`.
 */
export function inTurns(sides: readonly Side[], load: HttpLoad): Promise<readonly Measured[]> {
  if (load.connections > 1) return rounds(sides, load)
  const pids = sides.map(({ server }) => server.pid)
  return apart(pids, () => rounds(sides, load))
}

async function rounds(sides: readonly Side[], load: HttpLoad): Promise<readonly Measured[]> {
  const rates = sides.map((): number[] => [])
  const cpus = sides.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [...sides.entries()]
    for (const [i, side] of round % 2 === 0 ? turns : turns.reverse()) {
      const before = processorMs(side.server.pid)
      const { perSecond, milliseconds } = await httpLoad(side.server.url, { ...load, ...side.load })
      if (round === 0) continue
      rates[i]!.push(perSecond)
      cpus[i]!.push(((processorMs(side.server.pid) - before) * 1000) / milliseconds.length)
    }
  }
  return sides.map((_, i) => ({ rate: percentile(rates[i]!, 50), cpu: Math.min(...cpus[i]!) }))
}

/** The processor time that all threads of the process have used so far, in milliseconds. */
export function processorMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map(thread => {
    const [used = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(used)
  })
  return nanoseconds.reduce((sum, used) => sum + used, 0) / 1e6
}
