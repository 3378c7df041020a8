/** Failures as replicas send them to each other, so that callers of every replica get the same error for one run. */
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError } from '../model/errors.js'
import type { RunOutcome, SharedFailure } from '../model/ports.js'

/** Failures of the query itself. Other failures concern one replica or one caller, and another replica may succeed. */
const SHARED: readonly ErrorCode[] = [
  'ARGUMENT_INVALID',
  'QUERY_FAILED',
  'QUERY_TIMEOUT',
  'RESULT_TOO_LARGE',
  'CONTRACT_BROKEN',
  'COST_LIMIT_EXCEEDED',
]

/** The outcome that other replicas are sent for a run that threw this. */
export function outcomeOf(thrown: unknown): RunOutcome {
  if (!(thrown instanceof RunnerError) || !isShared(thrown.code)) return { kind: 'unknown' }
  const { code, detail, errors } = thrown
  return { kind: 'failed', failure: { code, detail, errors } }
}

/** Rebuilds the error; null for a code that this version does not share. */
export const errorOf = ({ code, detail, errors }: SharedFailure): RunnerError | null =>
  isShared(code) ? new RunnerError(code, { detail, errors }) : null

const isShared = (code: string): code is ErrorCode => (SHARED as readonly string[]).includes(code)
