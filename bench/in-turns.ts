/** Measures servers in turns under the same load: how many requests a second, and what one takes of the processor. */
import { readdirSync, readFileSync } from 'node:fs'
import { percentile } from './figures.js'
import { type HttpLoad, httpLoad } from './http-load.js'
import type { Server } from './processes.js'
import { apart } from './processors.js'

/** The first of each warms up and does not count. */
export const ROUNDS = 9

export interface Side {
  readonly name: string
  readonly server: Server
  readonly load: Partial<HttpLoad>
}

export interface Measured {
  /** Requests a second, median of the rounds. */
  readonly rate: number
  /** Microseconds of the server's processor for one request, the least of the rounds. */
  readonly cpu: number
}

/**
 * In turns, in one order and then in the other, so that whatever else the machine does falls on all of them. Over one
 * connection, where client and server take turns too, they have a processor each.
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

/** What the threads of the process have used so far, in milliseconds. */
export function processorMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map(thread => {
    const [used = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(used)
  })
  return nanoseconds.reduce((sum, used) => sum + used, 0) / 1e6
}
