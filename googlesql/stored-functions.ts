/** Functions that are kept in a dataset: each in a text of its own, parsed when a query first calls it. */

import { bodyDepth } from './ast/depth.js'
import { memo } from './memo.js'
import { parseStoredFunction } from './parse/parse.js'
import type { StoredDefinition } from './parse/udf.js'
import { SqlError } from './sql-error.js'

/** The text of one function: `CREATE [OR REPLACE] [TABLE] FUNCTION …`. */
export interface FunctionSource {
  /** The name by which queries call it: `dataset.name`, or `project.dataset.name`. */
  readonly name: string
  /** The file of the text, for messages. */
  readonly file: string
  readonly text: string
}

/** The functions that queries may call, besides built-in and temporary functions. */
export interface FunctionSources {
  readonly functions: readonly FunctionSource[]
  /** The folder that holds such functions, for messages about a missing function; null without a folder. */
  readonly folder: string | null
}

export const NO_FUNCTIONS: FunctionSources = { functions: [], folder: null }

/** The parsed definition of a function that is kept in a dataset. */
export type StoredFunction = FunctionSource & {
  /** The depth of the body (see bodyDepth); 0 for JavaScript. */
  readonly depth: number
} & StoredDefinition

export interface FunctionCatalogue {
  /**
   * The function with this name, dots included; undefined for any other name. Names are case-sensitive.
   * @throws SqlError, with an offset in the text of the function, where that text is not a definition
   */
  find(name: string): StoredFunction | undefined
  /** The texts of all functions. */
  readonly sources: readonly FunctionSource[]
  /** All names, for "did you mean". */
  names(): readonly string[]
  /** The file that would hold the function with this name; null where no folder holds functions. */
  fileOf(name: string): string | null
}

/** @param otherNames returns the other names of the function with this name, such as the name with the project in front */
export function functionCatalogue(
  { functions, folder }: FunctionSources,
  otherNames: (name: string) => readonly string[],
): FunctionCatalogue {
  const byName = new Map(functions.map(source => [source.name, source]))
  const parsed = new Map<FunctionSource, StoredFunction>()
  return {
    find(name) {
      if (byName.size === 0) return undefined
      for (const candidate of [name, ...otherNames(name)]) {
        const source = byName.get(candidate)
        if (source) return memo(parsed, source, storedFunction)
      }
      return undefined
    },
    sources: functions,
    names: () => [...byName.keys()],
    fileOf: name => (folder === null ? null : `${folder}/${name}.sql`),
  }
}

/** @throws SqlError where the text is not a definition, or defines a function with another name */
export function storedFunction(source: FunctionSource): StoredFunction {
  const stored = parseStoredFunction(source.text)
  const { name, body } = stored.definition
  if (name.name !== source.name && !source.name.endsWith(`.${name.name}`) && !name.name.endsWith(`.${source.name}`)) {
    throw new SqlError(`The text defines ${name.name}, not ${source.name}`, source.text, name.at)
  }
  const depth = body.kind === 'javascript' ? 0 : bodyDepth(body)
  const fullName = { ...name, name: source.name }
  // The two objects are written alike, but TypeScript needs both to derive the type of `definition` from `kind`.
  return stored.kind === 'scalar'
    ? { ...source, depth, ...stored, definition: { ...stored.definition, name: fullName } }
    : { ...source, depth, ...stored, definition: { ...stored.definition, name: fullName } }
}
