/** Example arguments for dry runs: the bytes that a query reads may depend on its arguments. */
import type { Manifest, Parameter } from '../../model/manifest.js'
import { type ScalarValue, splitType } from '../../model/param.js'
import { typeScalar } from '../../model/typed-value.js'

/** Typed values by name: the default of a parameter, else its first example. A parameter without either is left out. */
export function exampleArguments({ parameters = {} }: Manifest): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = exampleOf(parameter)
    if (value !== null) values[name] = value
  }
  return values
}

/** Null where the parameter has no default or example of its type; a rule reports wrong types. */
function exampleOf({ type, default: fallback, examples = [] }: Parameter): ScalarValue | readonly ScalarValue[] | null {
  const { scalar, isArray } = splitType(type)
  const authored = fallback ?? examples[0]
  if (authored === undefined) return null
  const results = [authored].flat().map(value => typeScalar(scalar, String(value)))
  const values = results.map(result => (result.ok ? result.value : null))
  if (values.includes(null)) return null
  return isArray ? values : (values[0] ?? null)
}
