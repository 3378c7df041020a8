/** Figures: percentiles of samples, and rows of the results table. */

export interface Figure {
  readonly what: string
  readonly value: string
  /** The target, as the table shows it; empty for a figure without one. */
  readonly bar: string
}

/** The percentile by nearest rank, in the unit of the samples; `rank` is from 0 to 100. NaN without samples. */
export function percentile(samples: readonly number[], rank: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((rank / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** Two percentiles and the number of samples: `p50 1.23 ms, p99 4.56 ms (300 runs)`. */
export function spread(samples: readonly number[], unit = 'ms'): string {
  const text = (rank: number): string => `p${rank} ${percentile(samples, rank).toFixed(2)} ${unit}`
  return `${text(50)}, ${text(99)} (${samples.length} runs)`
}

/** The milliseconds of each of `runs` runs, after `warmUp` runs that do not count. */
export async function timed(runs: number, warmUp: number, run: () => unknown): Promise<readonly number[]> {
  const samples: number[] = []
  for (let i = 0; i < warmUp + runs; i += 1) {
    const began = performance.now()
    await run()
    if (i >= warmUp) samples.push(performance.now() - began)
  }
  return samples
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, bar }) => `| ${what} | ${value} | ${bar} |`)
  return ['| What | Measured | Bar |', '|---|---|---|', ...rows].join('\n')
}
