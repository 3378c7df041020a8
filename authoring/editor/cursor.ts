/** What the cursor points at: a tag of the template, or a name in the SQL with the names that it can use there. */
import { parseTypeName, type Type } from '../../googlesql/index.js'
import { bigqueryType } from '../../runner/manifest/bigquery-type.js'
import type { ParameterType } from '../../runner/model/param.js'
import type { DeclaredNames, DocumentView } from './document-view.js'
import type { SqlScope } from './sql/columns.js'
import { type LenientToken, lenientTokens } from './sql/lenient-tokens.js'
import { sqlAt } from './sql/rendered-sql.js'
import { scopeAt } from './sql/scope.js'
import { tagAt, withoutTags } from './sql/template-tags.js'

export type SqlCursor = NonNullable<ReturnType<typeof sqlCursor>>

/** Null outside the SQL of a document. */
export function sqlCursor(view: DocumentView, documentOffset: number) {
  const { sql, manifest, workspace } = view
  const offset = sql?.toTemplate(documentOffset) ?? null
  if (sql === null || offset === null) return null
  const { template } = sql
  return {
    view,
    /** The cursor's offset in the template. */
    offset,
    template,
    /** The tag that holds the cursor; null in SQL. */
    tag: tagAt(template, offset),
    /** The template without its tags, cut into tokens. Offsets are those of the template. */
    tokens: lenientTokens(withoutTags(template)),
    /** The names that SQL can use here. */
    scope: (): SqlScope => {
      const tables = workspace.catalogue
      if (tables === undefined) return { items: [], ctes: [], outer: null, aliases: [] }
      const at = sqlAt(view, offset)
      return scopeAt(at.sql, at.offset, { tables, parameterTypes: typesOf(manifest?.names.parameters ?? {}) })
    },
  }
}

/** The types of the parameters, @now included. */
function typesOf(parameters: DeclaredNames['parameters']): Readonly<Record<string, Type>> {
  const types: Record<string, Type> = { now: { kind: 'TIMESTAMP' } }
  for (const [name, { type }] of Object.entries(parameters)) {
    const found = typeof type === 'string' ? parseTypeName(bigqueryType(type as ParameterType)) : undefined
    if (found) types[name] = found
  }
  return types
}

/** The index of the token that the offset is in or directly after; -1 where white space comes before it. */
export function tokenIndexAt(tokens: readonly LenientToken[], offset: number): number {
  const inside = tokens.findIndex(({ at, end, kind }) => kind !== 'end' && at <= offset && offset < end)
  return inside >= 0
    ? inside
    : tokens.findLastIndex(({ at, end, kind }) => kind !== 'end' && at < offset && end === offset)
}

/** The dotted name that the token ends; null for a token that is not a name. */
export function namePathAt(tokens: readonly LenientToken[], index: number) {
  const token = tokens[index]
  if (token === undefined || (token.kind !== 'identifier' && token.kind !== 'quoted')) return null
  const path = [token.text]
  let at = index
  while (tokens[at - 1]?.term === '.') {
    const before = elementOwner(tokens, at - 2)
    if (before < 0) break
    path.unshift(tokens[before]!.text)
    at = before
  }
  return {
    /** The names up to the one at the cursor: `["entry", "metadata"]`. */
    path: path as readonly string[],
    /** The token of the last one. */
    token,
    /** An `@` comes before it. */
    isParameter: tokens[at - 1]?.term === '@',
    /** A parenthesis follows. */
    isCall: tokens[index + 1]?.term === '(',
    /** The offset of the first name. */
    from: tokens[at]!.at,
  }
}

/** The index of the name before a dot, which `[OFFSET(0)]` may follow; -1 without a name. `index` is that of the token before the dot. */
export function elementOwner(tokens: readonly LenientToken[], index: number): number {
  let at = index
  if (tokens[at]?.term === ']') {
    let depth = 0
    for (; at >= 0; at--) {
      const { term } = tokens[at]!
      if (term === ']') depth++
      else if (term === '[' && --depth === 0) break
    }
    at--
  }
  const kind = tokens[at]?.kind
  return kind === 'identifier' || kind === 'quoted' ? at : -1
}
