/** Reads the types of parameters. */
import { meantType, parseTypeName, type Type } from '../../googlesql/index.js'
import { type ArgumentProblem, invalidArguments } from './errors.js'
import type { BoundValue } from './query.js'
import { proposing } from './suggest.js'

/** The types of these parameters. @throws as readTypes */
export const typesOf = (parameters: Readonly<Record<string, BoundValue>>): Readonly<Record<string, Type>> =>
  readTypes(Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, type])))

/** Parses types such as `{ project: 'STRING' }`. @throws RunnerError ARGUMENT_INVALID that names the unknown types. */
export function readTypes(names: Readonly<Record<string, string>>): Readonly<Record<string, Type>> {
  const types: [string, Type][] = []
  const errors: ArgumentProblem[] = []
  for (const [parameter, text] of Object.entries(names)) {
    const type = parseTypeName(text)
    if (type) types.push([parameter, type])
    else errors.push({ parameter, detail: `has an unknown type: ${text}${proposing(meantType(text)).hint}` })
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return Object.fromEntries(types)
}
