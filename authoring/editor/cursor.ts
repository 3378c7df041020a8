/** What the cursor points at: a tag of the template, or a place in the SQL with the names that can be used there. */
import { typesOfParameters } from '../check/parameter-types.js'
import type { DocumentView } from './document-view.js'
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
      const rendered = sqlAt(view, offset)
      const parameterTypes = typesOfParameters(manifest?.names.parameters ?? {})
      return scopeAt(rendered.sql, rendered.offset, { tables, parameterTypes })
    },
  }
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
  const { owners, at = index } = ownersBefore(tokens, index - 1)
  return {
    /** The names up to the one at the cursor: `["entry", "metadata"]`. */
    path: [...owners, token.text] as readonly string[],
    /** The token of the last name. */
    token,
    /** An `@` comes before it. */
    isParameter: tokens[at - 1]?.term === '@',
    /** A parenthesis follows. */
    isCall: tokens[index + 1]?.term === '(',
    /** The offset of the first name. */
    from: tokens[at]!.at,
  }
}

/** The names before the dot at this index, the index of the first one, and whether a name stands before each dot (`isWhole`). */
export function ownersBefore(tokens: readonly LenientToken[], dot: number) {
  const owners: string[] = []
  let at: number | undefined
  let next = dot
  for (; tokens[next]?.term === '.'; next = at - 1) {
    const owner = elementOwner(tokens, next - 1)
    if (owner < 0) break
    owners.unshift(tokens[owner]!.text)
    at = owner
  }
  return { owners: owners as readonly string[], at, isWhole: tokens[next]?.term !== '.' }
}

/** The index of the name before a dot, from the `index` of the token before the dot; `[OFFSET(0)]` may follow the name. -1 without a name. */
function elementOwner(tokens: readonly LenientToken[], index: number): number {
  let current = index
  if (tokens[current]?.term === ']') {
    let depth = 0
    for (; current >= 0; current--) {
      const { term } = tokens[current]!
      if (term === ']') depth++
      else if (term === '[' && --depth === 0) break
    }
    current--
  }
  const kind = tokens[current]?.kind
  return kind === 'identifier' || kind === 'quoted' ? current : -1
}
