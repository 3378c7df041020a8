/** What the name at the cursor means: a parameter, a lookup, a constant, a partial, a table, a column or a function. */

import type { FunctionSource, ListedFunction } from '../../../googlesql/index.js'
import type { Lookup, Manifest } from '../../../runner/model/manifest.js'
import { namePathAt, type SqlCursor, tokenIndexAt } from '../cursor.js'
import { FUNCTIONS } from '../documentation.js'
import { type Cte, resolvePath, type ScopeColumn, type SqlScope } from '../sql/columns.js'

/** `from` and `to` are offsets in the template. */
export type NamedThing = { readonly from: number; readonly to: number } & Meaning

type Meaning =
  | {
      readonly kind: 'parameter'
      readonly name: string
      readonly parameter: NonNullable<Manifest['parameters']>[string] | null
    }
  | { readonly kind: 'lookup'; readonly name: string; readonly field: string | null; readonly lookup: Lookup }
  | { readonly kind: 'constant'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'partial'; readonly name: string }
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'cte'; readonly cte: Cte }
  | { readonly kind: 'column'; readonly column: ScopeColumn }
  | { readonly kind: 'function'; readonly functions: readonly ListedFunction[] }
  | { readonly kind: 'stored-function'; readonly source: FunctionSource }

/** Null where the cursor is on nothing that has a meaning of its own. */
export function thingAt(cursor: SqlCursor): NamedThing | null {
  return cursor.tag === null ? inSql(cursor) : inTag(cursor)
}

function inTag({ tag, offset, view }: SqlCursor): NamedThing | null {
  const { content, contentAt } = tag!
  const words = [...content.matchAll(/[\w.@-]+/g)]
  const word = words.find(
    ({ 0: text, index }) => contentAt + index <= offset && offset <= contentAt + index + text.length,
  )
  if (word === undefined) return null
  const at = { from: contentAt + word.index, to: contentAt + word.index + word[0].length }
  if (/^~?\s*>\s*$/.test(content.slice(0, word.index))) return { ...at, kind: 'partial', name: word[0] }
  const [first = '', second = null] = word[0].split('.')
  const { parameters = {}, lookups = {}, constants = {} } = view.manifest?.names ?? {}
  if (first === 'given' && second !== null) {
    const from = at.from + 'given.'.length
    return { from, to: at.to, kind: 'parameter', name: second, parameter: parameters[second] ?? null }
  }
  if (first === 'constants' && second !== null && second in constants) {
    return { ...at, kind: 'constant', name: second, value: constants[second] }
  }
  const lookup = Object.hasOwn(lookups, first) ? lookups[first] : undefined
  return lookup ? { ...at, kind: 'lookup', name: first, field: second, lookup } : null
}

function inSql(cursor: SqlCursor): NamedThing | null {
  const { tokens, offset, view } = cursor
  const index = tokenIndexAt(tokens, offset)
  const isBeforeName = tokens[index]?.term === '@'
  const name = namePathAt(tokens, isBeforeName ? index + 1 : index)
  if (name === null) return null
  const { token, path, isParameter, isCall } = name
  const at = { from: token.at, to: token.end }
  if (isParameter) {
    const parameter = view.manifest?.names.parameters[token.text] ?? null
    return { ...at, from: at.from - 1, kind: 'parameter', name: token.text, parameter }
  }
  const functions = isCall ? FUNCTIONS.get(path.join('.').toUpperCase()) : undefined
  if (functions) return { from: name.from, to: token.end, kind: 'function', functions }
  const stored = isCall ? storedNamed(path.join('.'), cursor) : undefined
  if (stored) return { from: name.from, to: token.end, kind: 'stored-function', source: stored }
  const table = tableAt(cursor, index)
  if (table !== null) return table
  const scope = cursor.scope()
  const column = resolvePath(scope, path)
  const cte = path.length === 1 ? cteNamed(scope, path[0]!) : undefined
  if (cte && (column === undefined || !isColumn(column))) return { ...at, kind: 'cte', cte }
  return column ? { ...at, kind: 'column', column } : null
}

/** The function of this name that is kept in a dataset, with or without the project in front. */
function storedNamed(name: string, { view }: SqlCursor): FunctionSource | undefined {
  const sources = view.workspace.catalogue?.functions.sources ?? []
  return sources.find(source => source.name === name) ?? sources.find(source => name.endsWith(`.${source.name}`))
}

/** An alias of a whole row is not a column. */
const isColumn = ({ origin, type }: ScopeColumn): boolean => origin !== null || type?.kind !== 'STRUCT'

function cteNamed(scope: SqlScope, name: string): Cte | undefined {
  return scope.ctes.find(cte => cte.name.toLowerCase() === name.toLowerCase())
}

/** The table that the token at the index is a part of. */
function tableAt({ tokens, view }: SqlCursor, index: number): NamedThing | null {
  let first = index
  while (
    tokens[first - 1]?.term === '.' ||
    (tokens[first - 1]?.term === '-' && tokens[first - 1]!.end === tokens[first]!.at)
  )
    first -= 2
  let name = tokens[first]?.text ?? ''
  for (let last = first; ; last += 2) {
    const table = last >= index ? view.workspace.catalogue?.find(name) : undefined
    if (table) return { from: tokens[first]!.at, to: tokens[last]!.end, kind: 'table', name: table.name }
    const joint = tokens[last + 1]?.term
    if (joint !== '.' && joint !== '-') return null
    name += `${joint}${tokens[last + 2]?.text ?? ''}`
  }
}
