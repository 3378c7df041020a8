/** Whose fault a refused regular expression is, where several arguments could be it. */
import { RunnerError } from '../model/errors.js'
import type { Parameter } from '../model/param.js'

/**
 * An engine's refusal of arguments as it is, or, where some of them are declared `format: re2`, of those alone: the
 * others only happen to hold the text that RE2 stumbled over.
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
