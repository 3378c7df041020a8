/** Decides which argument is the invalid regular expression, where several arguments hold the refused text. */
import { RunnerError } from '../model/errors.js'
import type { Parameter } from '../model/param.js'

/**
 * Returns the engine's error unchanged or, where some of the named arguments are declared `format: re2`, limited to those:
 * the others only happen to hold the same text.
 */
export function narrowRegexErrors(error: RunnerError, parameters: readonly Parameter[]): RunnerError {
  if (error.code !== 'ARGUMENT_INVALID') return error
  const patterns = new Set(parameters.filter(({ format }) => format === 're2').map(({ name }) => name))
  const errors = error.errors.filter(({ parameter }) => patterns.has(parameter))
  if (errors.length === 0 || errors.length === error.errors.length) return error
  const detail = `These arguments are not valid: ${errors.map(({ parameter }) => parameter).join(', ')}.`
  const { code, headers, cause, cost } = error
  return new RunnerError(code, { detail, errors, headers, cause, ...(cost && { cost }) })
}
