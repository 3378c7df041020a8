/** A failure as replicas tell it to each other: their callers are told the same as those who share a run. */
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError } from '../model/errors.js'
import type { RunOutcome, SharedFailure } from '../model/ports.js'

/** Failures of the query itself. Others are this replica's own trouble, or its caller's: another may fare better. */
const SHARED: readonly ErrorCode[] = [
  'ARGUMENT_INVALID',
  'QUERY_FAILED',
  'QUERY_TIMEOUT',
  'RESULT_TOO_LARGE',
  'COST_LIMIT_EXCEEDED',
]

/** What the others are told of a run that threw this. */
export function outcomeOf(thrown: unknown): RunOutcome {
  if (!(thrown instanceof RunnerError) || !SHARED.includes(thrown.code)) return { kind: 'unknown' }
  const { code, detail, errors } = thrown
  return { kind: 'failed', failure: { code, detail, errors } }
}

/** The error again; null for a code that no replica of this version shares. */
export function errorOf({ code, detail, errors }: SharedFailure): RunnerError | null {
  const known = SHARED.find(one => one === code)
  return known === undefined ? null : new RunnerError(known, { detail, errors })
}
