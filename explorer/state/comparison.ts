/** A second result in the chart of the first: one that the reader kept, or that of the same call for an earlier time. */
import { effect, signal } from '@preact/signals'
import { isAbort } from '../api/ask.js'
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
/** The earlier call that is under way. */
export const asked = signal<{ readonly offsetSeconds: number; readonly controller: AbortController } | null>(null)

effect(() => {
  const now = call.value
  leaveEarlier()
  const { of } = comparison.peek() ?? { of: null }
  if (now.kind === 'none' || (now.kind === 'result' && of !== null && of !== now)) stopComparing()
})

/** Aborts the earlier call, so that the server cancels its query. */
export function leaveEarlier(): void {
  asked.peek()?.controller.abort()
  asked.value = null
}

export function stopComparing(): void {
  leaveEarlier()
  comparison.value = null
  comparisonProblem.value = null
}

/** The results after this one are compared with it. */
export function keepForComparison(result: Result): void {
  stopComparing()
  comparison.value = { result, offsetSeconds: 0, of: null }
}

/** Moves the times among the arguments; where that is not possible, moves the times of the result. */
export async function compareWithEarlier(of: Result, offsetSeconds: number): Promise<void> {
  stopComparing()
  const args = earlierArguments(of.endpoint.parameters, of.args, offsetSeconds)
  if (args === null) {
    comparison.value = { result: of, offsetSeconds, of }
    return
  }
  const controller = new AbortController()
  asked.value = { offsetSeconds, controller }
  try {
    const result = await fetchResult(of.endpoint, args, { signal: controller.signal })
    if (controller.signal.aborted) return
    comparison.value = { result, offsetSeconds, of }
  } catch (thrown) {
    if (isAbort(thrown)) return
    comparisonProblem.value = problemOf(thrown)
  }
  asked.value = null
}
