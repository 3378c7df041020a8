/** Reads the types of parameters, such as `{ project: 'STRING' }`. */
import { parseTypeName, type Type } from '../../googlesql/index.js'

/** The types by the names of their parameters; null where one is not a type. */
export function typesOf(names: Readonly<Record<string, string>>): Readonly<Record<string, Type>> | null {
  const types: Record<string, Type> = {}
  for (const [name, text] of Object.entries(names)) {
    const type = parseTypeName(text)
    if (!type) return null
    types[name] = type
  }
  return types
}
