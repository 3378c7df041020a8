/** What the name at the cursor means: a parameter, a lookup, a constant, a partial, a table, a column or a function. */

import type { FunctionSource } from '../../../googlesql/index.js'
import { type FilePlace, placeAt } from '../../../runner/manifest/source.js'
import { lineStartsOf } from '../../../runner/model/line-starts.js'
import type { Lookup } from '../../../runner/model/manifest.js'
import { namePathAt, type SqlCursor, tokenIndexAt } from '../cursor.js'
import type { DocumentView } from '../document-view.js'
import {
  columnText,
  constantText,
  FUNCTIONS,
  functionText,
  lookupText,
  parameterText,
  partialText,
  storedFunctionText,
  tableText,
} from '../documentation.js'
import { type Cte, resolvePath, type ScopeColumn, type SqlScope } from '../sql/columns.js'

/** `from` and `to` are offsets in the template. */
export interface NameAtCursor extends NameInfo {
  readonly from: number
  readonly to: number
}

interface NameInfo {
  /** What a hover shows, in Markdown; null where nothing is known. */
  readonly text: string | null
  /** The place of the definition, 1-based; null where no file has it. */
  readonly place: FilePlace | null
}

/** Null where the cursor is not on a name with a known meaning. */
export function nameAtCursor(cursor: SqlCursor): NameAtCursor | null {
  return cursor.tag === null ? nameInSql(cursor) : nameInTag(cursor)
}

function nameInTag({ tag, offset, view }: SqlCursor): NameAtCursor | null {
  const { content, contentAt } = tag!
  const words = [...content.matchAll(/[\w.@-]+/g)]
  const word = words.find(
    ({ 0: text, index }) => contentAt + index <= offset && offset <= contentAt + index + text.length,
  )
  if (word === undefined) return null
  const range = { from: contentAt + word.index, to: contentAt + word.index + word[0].length }
  if (/^~?\s*>\s*$/.test(content.slice(0, word.index))) return { ...range, ...partialInfo(view, word[0]) }
  const [first = '', second = null] = word[0].split('.')
  const { lookups = {}, constants = {} } = view.manifest?.names ?? {}
  if (first === 'given' && second !== null) {
    return { from: range.from + 'given.'.length, to: range.to, ...parameterInfo(view, second) }
  }
  if (first === 'constants' && second !== null && second in constants) {
    const place = view.manifest?.source?.keyAt(['constants', second]) ?? null
    return { ...range, text: constantText(second, constants[second]), place }
  }
  const lookup = Object.hasOwn(lookups, first) ? lookups[first] : undefined
  return lookup ? { ...range, ...lookupInfo(view, first, second, lookup) } : null
}

function nameInSql(cursor: SqlCursor): NameAtCursor | null {
  const { tokens, offset, view } = cursor
  const index = tokenIndexAt(tokens, offset)
  const isBeforeName = tokens[index]?.term === '@'
  const name = namePathAt(tokens, isBeforeName ? index + 1 : index)
  if (name === null) return null
  const { token, path, isParameter, isCall } = name
  const range = { from: token.at, to: token.end }
  if (isParameter) return { ...range, from: range.from - 1, ...parameterInfo(view, token.text) }
  const functions = isCall ? FUNCTIONS.get(path.join('.').toUpperCase()) : undefined
  if (functions) {
    return { from: name.from, to: token.end, text: functions.map(functionText).join('\n\n'), place: null }
  }
  const storedFunction = isCall ? findStoredFunction(path.join('.'), cursor) : undefined
  if (storedFunction) {
    const place = { file: storedFunction.file, line: 1, column: 1 }
    return { from: name.from, to: token.end, text: storedFunctionText(storedFunction), place }
  }
  const table = tableAt(cursor, index)
  if (table !== null) return table
  const scope = cursor.scope()
  const column = resolvePath(scope, path)
  const cte = path.length === 1 ? findCte(scope, path[0]!) : undefined
  if (cte && (column === undefined || !isColumn(column))) return { ...range, ...cteInfo(view, cte) }
  if (!column) return null
  const { tables } = view.workspace
  const { origin } = column
  const place = (origin && tables.get(origin.table)?.placeOf(origin.path)) ?? null
  return { ...range, text: columnText(column, tables), place }
}

function parameterInfo({ manifest }: DocumentView, name: string): NameInfo {
  const parameter = manifest?.names.parameters[name]
  if (parameter === undefined && name !== 'now') return { text: null, place: null }
  const place = parameter && manifest?.source ? manifest.source.keyAt(['parameters', name]) : null
  return { text: parameterText(name, parameter ?? { type: 'timestamp' }), place }
}

function lookupInfo({ manifest }: DocumentView, name: string, field: string | null, lookup: Lookup): NameInfo {
  const [row] = Object.keys(lookup.rows)
  const isField = field !== null && row !== undefined && field in lookup.rows[row]!
  const path = isField ? ['lookups', name, 'rows', row, field] : ['lookups', name]
  return { text: lookupText(name, field, lookup), place: manifest?.source?.keyAt(path) ?? null }
}

function partialInfo({ workspace }: DocumentView, name: string): NameInfo {
  const partial = workspace.texts.partial(name)
  if (!partial) return { text: null, place: null }
  return { text: partialText(name, partial.text), place: { file: partial.file, line: 1, column: 1 } }
}

function cteInfo({ sql, file, text }: DocumentView, { name, columns }: Cte): NameInfo {
  const lines = columns.map(column => `- \`${column.name}\``)
  // The offset is in the rendered SQL, so the name is searched for in the template.
  const quoted = name.replace(/\W/g, '\\$&')
  const beginning = new RegExp(`(?<!\\w)\`?${quoted}\`?(?!\\w)\\s*(?:\\([^()]*\\)\\s*)?AS\\s*\\(`, 'i')
  const templateOffset = sql!.template.search(beginning)
  return {
    text: `Common table expression \`${name}\`\n\n${lines.join('\n')}`,
    place: templateOffset < 0 ? null : placeAt(file, lineStartsOf(text), sql!.toDocument(templateOffset)),
  }
}

/** The function of this name that is kept in a dataset, with or without the project in front. */
function findStoredFunction(name: string, { view }: SqlCursor): FunctionSource | undefined {
  const sources = view.workspace.catalogue?.functions.sources ?? []
  return sources.find(source => source.name === name) ?? sources.find(source => name.endsWith(`.${source.name}`))
}

/** An alias of a whole row is not a column. */
const isColumn = ({ origin, type }: ScopeColumn): boolean => origin !== null || type?.kind !== 'STRUCT'

function findCte(scope: SqlScope, name: string): Cte | undefined {
  return scope.ctes.find(cte => cte.name.toLowerCase() === name.toLowerCase())
}

/** The table that the token at the index is a part of. */
function tableAt({ tokens, view }: SqlCursor, index: number): NameAtCursor | null {
  let first = index
  while (
    tokens[first - 1]?.term === '.' ||
    (tokens[first - 1]?.term === '-' && tokens[first - 1]!.end === tokens[first]!.at)
  )
    first -= 2
  let name = tokens[first]?.text ?? ''
  for (let last = first; ; last += 2) {
    const table = last >= index ? view.workspace.catalogue?.find(name) : undefined
    if (table) {
      const schema = view.workspace.tables.get(table.name)
      const range = { from: tokens[first]!.at, to: tokens[last]!.end }
      return { ...range, text: tableText(schema ?? table), place: schema?.placeOf([]) ?? null }
    }
    const joint = tokens[last + 1]?.term
    if (joint !== '.' && joint !== '-') return null
    name += `${joint}${tokens[last + 2]?.text ?? ''}`
  }
}
