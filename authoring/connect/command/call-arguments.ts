/** The arguments of a snippet: those that the author gives, and examples for required parameters that the author leaves out. */

import type { Endpoint } from '../../../runner/model/endpoint.js'
import { UsageError } from '../../../runner/model/errors.js'
import { type Parameter, splitType } from '../../../runner/model/param.js'
import { didYouMean } from '../../../runner/model/suggest.js'
import { typeScalar } from '../../../runner/model/typed-value.js'
import { sampleArgument } from '../../write/sample-row.js'

type ArgumentTexts = Readonly<Record<string, string | readonly string[]>>

/**
 * `missing` are the required parameters that are not given, with the argument that stands for each.
 * @throws UsageError that names every argument which the endpoint does not declare, or which its type excludes.
 */
export function callArguments({ name, parameters }: Pick<Endpoint, 'name' | 'parameters'>, texts: ArgumentTexts) {
  const declared = parameters.map(parameter => parameter.name)
  const unknown = Object.keys(texts).filter(argument => !declared.includes(argument))
  if (unknown.length > 0) throw new UsageError(unknown.map(argument => unknownArgument(name, argument, declared)))
  const problems = parameters.flatMap(({ name: parameter, type }) =>
    [texts[parameter] ?? []].flat().flatMap(text => {
      const typed = typeScalar(splitType(type).scalar, text)
      return typed.ok ? [] : [`${name}: ${parameter} ${typed.detail}, found ${JSON.stringify(text)}`]
    }),
  )
  if (problems.length > 0) throw new UsageError(problems)
  const missing = parameters
    .filter(
      parameter =>
        parameter.isRequired && parameter.default === undefined && (texts[parameter.name] ?? '').length === 0,
    )
    .map(parameter => ({ parameter: parameter.name, argument: exampleOf(parameter) }))
  return { args: { ...texts, ...Object.fromEntries(missing.map(item => [item.parameter, item.argument])) }, missing }
}

function unknownArgument(endpoint: string, argument: string, names: readonly string[]): string {
  const declared = names.length === 0 ? '; it has no parameters' : `; its parameters are ${names.join(', ')}`
  return `${endpoint} has no parameter "${argument}"${didYouMean(argument, names, declared).hint}`
}

/** An argument that the endpoint takes; where the manifest shows no value, a placeholder of the right type. */
function exampleOf({ type, examples, enum: values, rows, openRows, minimum }: Parameter): string {
  const [example] = [...examples, ...(values ?? []), ...(rows ?? []), ...(openRows ?? [])]
  return String(example ?? minimum ?? sampleArgument(splitType(type).scalar))
}
