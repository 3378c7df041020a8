/** A histogram with one label; adding a sample needs no lookup. */

export interface Samples {
  add(value: number): void
}

export interface HistogramOptions {
  readonly name: string
  readonly help: string
  readonly labelName: string
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[]
}

interface Counts extends Samples {
  /**
   * The number of samples for each bucket, in the order of `buckets`. A sample is counted only in the first bucket that it fits
   * in. The last number counts the samples above every bound.
   */
  readonly counts: readonly number[]
  readonly sum: () => number
}

export interface Histogram {
  /** The samples for one value of the label. */
  of(label: string): Samples
  /** The metric, in the form that a prom-client registry needs. */
  readonly metric: { readonly name: string; get(): Promise<object> }
}

/** A histogram without samples. */
export function createHistogram({ name, help, labelName, buckets }: HistogramOptions): Histogram {
  const byLabel = new Map<string, Counts>()

  function valuesOf(label: string, { counts, sum }: Counts): readonly object[] {
    let total = 0
    const cumulated = [...buckets.map(String), '+Inf'].map((le, i) => {
      total += counts[i]!
      return { metricName: `${name}_bucket`, labels: { le, [labelName]: label }, value: total }
    })
    const labels = { [labelName]: label }
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels, value: sum() },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }

  return {
    of(label) {
      let counts = byLabel.get(label)
      if (!counts) {
        counts = createCounts(buckets)
        byLabel.set(label, counts)
      }
      return counts
    },
    metric: {
      name,
      get: async () => ({
        name,
        help,
        type: 'histogram',
        aggregator: 'sum',
        values: [...byLabel].flatMap(([label, counts]) => valuesOf(label, counts)),
      }),
    },
  }
}

function createCounts(buckets: readonly number[]): Counts {
  const counts = new Array<number>(buckets.length + 1).fill(0)
  let sum = 0
  return {
    counts,
    sum: () => sum,
    add(value) {
      let i = 0
      while (i < buckets.length && value > buckets[i]!) i += 1
      counts[i]! += 1
      sum += value
    },
  }
}
