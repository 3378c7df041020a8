/** Plans the calls of an endpoint that are worth comparing: its lookup rows, its examples, with and without optional parameters. */

import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import type { Parameter } from '../../runner/model/param.js'
import type { CallArguments } from '../../runner/serve/runner.js'

type Value = string | readonly string[]
type Choice = readonly [name: string, value: Value | undefined]

/**
 * Combines all rows of lookup tables with the first values of other parameters; each optional parameter is given in one combination and
 * left out in another. Then adds one call for each further value. `fixed` are arguments of every call. `missing` are required parameters
 * without a value: if there are any, there are no calls. `neverGiven` are optional parameters without a value.
 */
export function planCalls({ endpoint, lookupRows }: LoadedEndpoint, fixed: CallArguments) {
  const axes = endpoint.parameters.map(parameter => {
    const rows = Object.hasOwn(lookupRows, parameter.name) ? lookupRows[parameter.name]! : null
    return { parameter, rows, values: valuesOf(parameter, rows, fixed) }
  })
  const without = axes.filter(({ values }) => values.length === 0).map(({ parameter }) => parameter)
  const missing = without.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const neverGiven = without.filter(({ isRequired }) => !isRequired).map(({ name }) => name)
  if (missing.length > 0) return { calls: [], missing, neverGiven }
  let combinations: readonly (readonly Choice[])[] = [[]]
  for (const { parameter, rows, values } of axes) {
    const isFixed = Object.hasOwn(fixed, parameter.name)
    const axisValues: readonly Value[] = rows === null ? values.slice(0, 1) : values
    const tried = parameter.isRequired || isFixed ? axisValues : [undefined, ...axisValues]
    combinations = combinations.flatMap(all => tried.map(value => [...all, [parameter.name, value] as const]))
  }
  const full = axes.map(({ parameter, values }): Choice => [parameter.name, values[0]])
  const further = axes.flatMap(({ parameter, rows, values }) =>
    rows === null
      ? values
          .slice(1)
          .map(value => full.map((choice): Choice => (choice[0] === parameter.name ? [choice[0], value] : choice)))
      : [],
  )
  return { calls: [...combinations, ...further].map(argumentsOf), missing, neverGiven }
}

function valuesOf(parameter: Parameter, rows: readonly string[] | null, fixed: CallArguments): readonly Value[] {
  if (Object.hasOwn(fixed, parameter.name)) return [fixed[parameter.name]!]
  if (rows !== null) return rows
  const values = parameter.examples.length > 0 ? parameter.examples : (parameter.enum ?? []).map(String)
  // Each example of an array is one of its elements.
  return parameter.type.startsWith('array<') && values.length > 0 ? [values] : values
}

function argumentsOf(choices: readonly Choice[]): CallArguments {
  const entries = choices.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return Object.fromEntries(entries)
}
