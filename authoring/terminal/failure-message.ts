/** Why a call failed, for authors. */
import type { RunnerError } from '../../runner/model/errors.js'

/** The message of the cause, which only authors may see, or without a cause the detail. */
export const failureMessage = ({ detail, cause }: RunnerError): string =>
  cause instanceof Error ? cause.message : detail
