/** The declarations in the text of a function that is kept in a dataset, with their offsets. */
import { tokenize } from './lex/tokenize.js'
import { parametersOf, signatureType } from './resolve/udf.js'
import { SqlError } from './sql-error.js'
import { type FunctionSource, storedFunction } from './stored-functions.js'
import { typeName } from './types/types.js'

export interface FunctionSignature {
  readonly kind: 'scalar' | 'table'
  readonly language: 'SQL' | 'JAVASCRIPT'
  /** The offset of the name. */
  readonly at: number
  /** The type of a parameter is null for ANY TYPE. */
  readonly parameters: readonly { readonly name: string; readonly type: string | null; readonly at: number }[]
  /** The type of RETURNS, `TABLE<a INT64>` for a table function; null where it is not written. */
  readonly returns: { readonly type: string; readonly at: number } | null
  /** The text of the body, without the parentheses or quotes around it, and where it begins. */
  readonly body: { readonly text: string; readonly at: number }
}

/** @throws SqlError where the text is not a definition */
export function functionSignature(source: FunctionSource): FunctionSignature {
  const { kind, definition, bodyText } = storedFunction(source)
  const { text } = source
  const types = parametersOf(definition.parameters, text)
  const parameters = definition.parameters.map(({ name }, i) => {
    const { type } = types[i]!
    return { name: name.name, type: type && typeName(type), at: name.at }
  })
  const base = { at: definition.name.at, parameters, body: bodyText }
  if (kind === 'table') {
    const { returns } = definition
    const columns = (returns ?? []).map(({ name, type }) => `${name.name} ${typeName(signatureType(type, text))}`)
    const first = returns?.[0]
    const tableType = first ? { type: `TABLE<${columns.join(', ')}>`, at: first.name.at } : null
    return { ...base, kind, language: 'SQL', returns: tableType }
  }
  const { returns, body } = definition
  return {
    ...base,
    kind,
    language: body.kind === 'javascript' ? 'JAVASCRIPT' : 'SQL',
    returns: returns && { type: typeName(signatureType(returns, text)), at: returns.at },
  }
}

/** Whether two SQL texts are equal, except for white space, comments, and the letter case and quotes of names. */
export function isSameSql(a: string, b: string): boolean {
  if (a === b) return true
  try {
    return tokenKeys(a) === tokenKeys(b)
  } catch (error) {
    if (error instanceof SqlError) return false
    throw error
  }
}

const tokenKeys = (text: string): string =>
  JSON.stringify(
    tokenize(text).map(({ kind, text: written }) => {
      const isName = kind === 'quoted' || kind === 'identifier'
      return isName ? ['name', written.toUpperCase()] : [kind, written]
    }),
  )
