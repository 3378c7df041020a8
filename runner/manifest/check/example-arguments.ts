/** Arguments to ask a warehouse about a query with: what a query reads may hang on them. */
import type { Manifest, Parameter } from '../../model/manifest.js'
import type { ScalarValue } from '../../model/param.js'
import { splitType, typeScalar } from '../../model/typed-value.js'

/** Typed, by name: a parameter's default, else its first example. One without either has no member. */
export function exampleArguments({ parameters = {} }: Manifest): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = exampleOf(parameter)
    if (value !== null) values[name] = value
  }
  return values
}

/** Null where there is none, or none of the type: that is told by a rule. */
function exampleOf({ type, default: fallback, examples = [] }: Parameter): ScalarValue | readonly ScalarValue[] | null {
  const { scalar, isArray } = splitType(type)
  const authored = fallback ?? examples[0]
  if (authored === undefined) return null
  const typed = [authored].flat().map(value => typeScalar(scalar, String(value)))
  const values = typed.map(one => (one.ok ? one.value : null))
  if (values.includes(null)) return null
  return isArray ? values : (values[0] ?? null)
}
