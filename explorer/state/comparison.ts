/** A second result in the chart of the first: one that was kept, or the same call some time earlier. */
import { effect, signal } from '@preact/signals'
import type { Problem } from '../api/contract.js'
import { call, fetchResult, type Result } from './call.js'
import { earlierArguments } from './earlier.js'
import { problemOf } from './session.js'

export interface Comparison {
  readonly result: Result
  /** How far its times are moved, to lie on those of the first; 0 for a result that was kept. */
  readonly offsetSeconds: number
  /** The first result, for which an earlier one was fetched; null for one that is kept while others come. */
  readonly of: Result | null
}

export const comparison = signal<Comparison | null>(null)
export const comparisonProblem = signal<Problem | null>(null)

effect(() => {
  const now = call.value
  const { of } = comparison.peek() ?? { of: null }
  if (now.kind === 'none' || (now.kind === 'result' && of !== null && of !== now)) stopComparing()
})

export function stopComparing(): void {
  comparison.value = null
  comparisonProblem.value = null
}

/** The results after this one are compared with it. */
export function keepForComparison(result: Result): void {
  comparisonProblem.value = null
  comparison.value = { result, offsetSeconds: 0, of: null }
}

/** With the times among the arguments moved; where there are none, the result itself is moved. */
export async function compareWithEarlier(of: Result, offsetSeconds: number): Promise<void> {
  const args = earlierArguments(of.endpoint.parameters, of.args, offsetSeconds)
  try {
    const result = args === null ? of : await fetchResult(of.endpoint, args, { signal: new AbortController().signal })
    if (call.value !== of) return
    comparisonProblem.value = null
    comparison.value = { result, offsetSeconds, of }
  } catch (thrown) {
    comparisonProblem.value = problemOf(thrown)
  }
}
