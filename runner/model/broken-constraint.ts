/** The constraints of a parameter: for a caller's argument, and for the author's own examples and default. */
import { type ArgumentValue, type Parameter, type ScalarParameterType, type ScalarValue, splitType } from './param.js'
import { re2Problem } from './re2.js'
import { isLongerThan } from './text-length.js'
import { compareValues } from './typed-value.js'

/** The constraint that this typed value or element breaks, as the rest of a sentence; null where it breaks none. */
export function brokenConstraint(parameter: Parameter, type: ScalarParameterType, value: ScalarValue): string | null {
  const { rows, enum: allowed, pattern, format, schema, minimum, maximum } = parameter
  if (type === 'string') {
    // The length comes first: it bounds the work of all other checks.
    const maxLength = splitType(parameter.type).isArray ? parameter.maxElementLength : parameter.maxLength
    if (maxLength !== undefined && isLongerThan(String(value), maxLength)) {
      return `must be at most ${maxLength} characters long`
    }
  }
  if (rows && !rows.includes(String(value))) return `must be one of: ${rows.join(', ')}`
  if (allowed && !allowed.includes(value)) return `must be one of: ${allowed.join(', ')}`
  if (pattern && !pattern.matches(String(value))) return `must match the pattern ${pattern.source}`
  if (isBound(minimum) && compareValues(type, value, minimum) < 0) return `must be at least ${minimum}`
  if (isBound(maximum) && compareValues(type, value, maximum) > 0) return `must be at most ${maximum}`
  if (schema) return schema.problem(String(value))
  return format === 're2' ? re2Problem(String(value)) : null
}

/** A bound that is not of the parameter's type is null, and a rule reports it. */
const isBound = (bound: ArgumentValue | undefined): bound is NonNullable<ScalarValue> =>
  bound !== undefined && bound !== null
