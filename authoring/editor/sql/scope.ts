/** The names that a query can use at the cursor, from tokens: the text need not parse. */
import {
  orMistake,
  RESERVED_KEYWORDS,
  resolveQuery,
  SqlError,
  type TableCatalogue,
  type Type,
} from '../../../googlesql/index.js'
import { type Cte, columnOf, type FromItem, fieldsOf, resolvePath, type ScopeColumn, type SqlScope } from './columns.js'
import { type LenientToken, lenientTokens } from './lenient-tokens.js'
import { closeOf, holdsOffset, insideOf, type Range, splitAt, textOf, topLevelIndexes } from './token-ranges.js'

export interface ScopeContext {
  readonly tables: TableCatalogue
  readonly parameterTypes: Readonly<Record<string, Type>>
}

const CLAUSES: ReadonlySet<string> = new Set('WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT |>'.split(' '))
const SET_OPERATORS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT'])
const JOIN_TERMS: ReadonlySet<string> = new Set(', JOIN INNER LEFT RIGHT FULL OUTER CROSS'.split(' '))
const QUERY_STARTS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'FROM'])

export function scopeAt(sql: string, offset: number, context: ScopeContext): SqlScope {
  const tokens = lenientTokens(sql)
  return new ScopeReader(sql, tokens, offset, context).query({ from: 0, to: tokens.length - 1 }, null, [])
}

const isName = ({ kind, term }: LenientToken): boolean =>
  kind === 'quoted' || (kind === 'identifier' && !RESERVED_KEYWORDS.has(term))

/** How deep parentheses and subqueries are followed; authors do not write deeper ones. */
const MAX_DEPTH = 60

/** A common table expression with its text, for queries that read it. */
interface NamedQuery extends Cte {
  readonly text: string
}

class ScopeReader {
  readonly #sql: string
  readonly #tokens: readonly LenientToken[]
  readonly #offset: number
  readonly #context: ScopeContext
  #depth = 0

  constructor(sql: string, tokens: readonly LenientToken[], offset: number, context: ScopeContext) {
    this.#sql = sql
    this.#tokens = tokens
    this.#offset = offset
    this.#context = context
  }

  /** The scope at the cursor inside this query expression. */
  query(range: Range, outer: SqlScope | null, outerCtes: readonly NamedQuery[]): SqlScope {
    const { ctes, rest, inside } = this.#readCtes(range, outerCtes)
    if (inside !== null)
      return this.#withinDepth(() => this.query(inside, null, ctes), { items: [], ctes, outer, aliases: [] })
    const isSetOperator = ({ term }: LenientToken, i: number): boolean =>
      SET_OPERATORS.has(term) && /^(?:ALL|DISTINCT|SELECT|\()$/.test(this.#tokens[i + 1]?.term ?? '')
    const parts = splitAt(this.#tokens, rest, isSetOperator)
    const part = parts.find(part => holdsOffset(this.#tokens, part, this.#offset)) ?? parts[parts.length - 1]!
    return this.#selectScope(part, outer, ctes)
  }

  #readCtes(
    range: Range,
    outerCtes: readonly NamedQuery[],
  ): { ctes: readonly NamedQuery[]; rest: Range; inside: Range | null } {
    const tokens = this.#tokens
    const ctes = [...outerCtes]
    let index = range.from
    if (tokens[index]?.term !== 'WITH') return { ctes, rest: range, inside: null }
    index += tokens[index + 1]?.term === 'RECURSIVE' ? 2 : 1
    while (index < range.to) {
      const name = tokens[index]!
      let open = index + 1
      if (tokens[open]?.term === '(') open = closeOf(tokens, open, range.to) + 1
      if (!isName(name) || tokens[open]?.term !== 'AS' || tokens[open + 1]?.term !== '(') break
      const body = insideOf(tokens, open + 1, range.to)
      if (holdsOffset(tokens, body, this.#offset)) return { ctes, rest: range, inside: body }
      const text = textOf(this.#sql, tokens, { from: index, to: Math.min(body.to + 1, range.to) })
      ctes.push({ name: name.text, text, columns: this.#withinDepth(() => this.#columnsOf(body, ctes), []) })
      index = body.to + 1
      if (tokens[index]?.term === ',') index++
    }
    return { ctes, rest: { from: index, to: range.to }, inside: null }
  }

  #selectScope(range: Range, outer: SqlScope | null, ctes: readonly NamedQuery[]): SqlScope {
    const aliases = this.#selectList(range).flatMap(part => this.#nameOf(part) ?? [])
    const scope: SqlScope = { items: this.#itemsOf(range, outer, ctes), ctes, outer, aliases }
    return this.#subqueryScope(range, scope, ctes) ?? scope
  }

  #withinDepth<T>(read: () => T, tooDeep: T): T {
    if (this.#depth >= MAX_DEPTH) return tooDeep
    this.#depth++
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  /** The scope of the subquery at the cursor; null where the cursor is in no subquery. */
  #subqueryScope(range: Range, scope: SqlScope, ctes: readonly NamedQuery[]): SqlScope | null {
    for (const i of topLevelIndexes(this.#tokens, range)) {
      if (this.#tokens[i]!.term !== '(' && this.#tokens[i]!.term !== '[') continue
      const inside = insideOf(this.#tokens, i, range.to)
      if (!holdsOffset(this.#tokens, inside, this.#offset) || this.#offset < this.#tokens[i]!.end) continue
      if (QUERY_STARTS.has(this.#tokens[inside.from]?.term ?? ''))
        return this.#withinDepth(() => this.query(inside, scope, ctes), scope)
      return this.#withinDepth(() => this.#subqueryScope(inside, scope, ctes), null)
    }
    return null
  }

  /** The items of the FROM clause; empty without one. */
  #itemsOf(range: Range, outer: SqlScope | null, ctes: readonly NamedQuery[]): readonly FromItem[] {
    const clause = this.#clause(range, 'FROM')
    return clause ? this.#fromItems(clause, outer, ctes) : []
  }

  #fromItems(range: Range, outer: SqlScope | null, ctes: readonly NamedQuery[]): readonly FromItem[] {
    const items: FromItem[] = []
    const scope: SqlScope = { items, ctes, outer, aliases: [] }
    const tokens = this.#tokens
    for (let i = range.from; i < range.to; ) {
      const { term } = tokens[i]!
      if (JOIN_TERMS.has(term)) i++
      else if (term === 'ON' || term === 'USING') i = this.#afterCondition(i + 1, range.to)
      else i = this.#addItem(i, range.to, scope, items, ctes)
    }
    return items
  }

  #afterCondition(from: number, to: number): number {
    for (const i of topLevelIndexes(this.#tokens, { from, to })) if (JOIN_TERMS.has(this.#tokens[i]!.term)) return i
    return to
  }

  /** Reads one item and adds it; returns the index after it. */
  #addItem(index: number, to: number, scope: SqlScope, items: FromItem[], ctes: readonly NamedQuery[]): number {
    const tokens = this.#tokens
    const token = tokens[index]!
    if (token.term === 'UNNEST' && tokens[index + 1]?.term === '(') {
      const inside = insideOf(tokens, index + 1, to)
      const element = elementOf(this.#valueOf(inside, scope))
      return this.#addNamed(inside.to + 1, to, items, name => elementItem(name, element))
    }
    if (token.term === '(') {
      const inside = insideOf(tokens, index, to)
      if (!QUERY_STARTS.has(tokens[inside.from]?.term ?? '') && tokens[inside.from]?.term !== '(') {
        items.push(...this.#withinDepth(() => this.#fromItems(inside, scope.outer, ctes), []))
        return inside.to + 1
      }
      const columns = this.#withinDepth(() => this.#columnsOf(inside, ctes), [])
      return this.#addNamed(inside.to + 1, to, items, alias => ({ alias, columns, value: null }))
    }
    if (!isName(token)) return index + 1
    const { path, end } = this.#pathAt(index, to)
    const source = this.#sourceOf(path, scope, ctes)
    return this.#addNamed(end, to, items, source, path[path.length - 1]!.split('.').pop()!)
  }

  /** Reads `[AS] alias [WITH OFFSET [AS] alias]` and adds the items; returns the index after it. */
  #addNamed(from: number, to: number, items: FromItem[], make: (name: string) => FromItem, fallback = ''): number {
    const tokens = this.#tokens
    let index = from
    const alias = (): string | null => {
      const start = tokens[index]?.term === 'AS' ? index + 1 : index
      const name = tokens[start]
      if (start >= to || name === undefined || !isName(name)) return null
      index = start + 1
      return name.text
    }
    items.push(make(alias() ?? fallback))
    if (tokens[index]?.term === 'WITH' && tokens[index + 1]?.term === 'OFFSET') {
      index += 2
      const name = alias() ?? 'offset'
      items.push({ alias: name, columns: [], value: { name, type: { kind: 'INT64' }, origin: null } })
    }
    return index
  }

  #pathAt(index: number, to: number): { path: readonly string[]; end: number } {
    const tokens = this.#tokens
    const path = [tokens[index]!.text]
    let end = index + 1
    // `my-project.dataset.t`: dashes without blanks belong to the name.
    while (end + 1 < to && tokens[end]!.term === '-' && tokens[end]!.at === tokens[end - 1]!.end) {
      path[0] += `-${tokens[end + 1]!.text}`
      end += 2
    }
    while (end + 1 < to && tokens[end]!.term === '.' && /^(?:identifier|quoted)$/.test(tokens[end + 1]!.kind)) {
      path.push(tokens[end + 1]!.text)
      end += 2
    }
    return { path, end }
  }

  #sourceOf(path: readonly string[], scope: SqlScope, ctes: readonly NamedQuery[]) {
    const name = path.join('.')
    const cte = path.length === 1 ? ctes.findLast(cte => cte.name.toLowerCase() === name.toLowerCase()) : undefined
    const table = this.#context.tables.find(name)
    return (alias: string): FromItem => {
      if (cte) return { alias, columns: cte.columns, value: null }
      if (table) {
        const origin = { table: table.name, path: [] }
        return { alias, columns: table.columns.map(column => columnOf(column, origin)), value: null }
      }
      return elementItem(alias, elementOf(resolvePath(scope, path)))
    }
  }

  /** The value of an expression; its type is null where it cannot be resolved. */
  #valueOf(range: Range, scope: SqlScope): ScopeColumn | undefined {
    const path = this.#wholePath(range)
    if (path !== null) return resolvePath(scope, path)
    const columns = this.#resolve(`SELECT (${textOf(this.#sql, this.#tokens, range)}) AS value`, [])
    return columns?.[0]
  }

  /** The columns of a query: from the resolver, or where it has mistakes from its SELECT list. */
  #columnsOf(range: Range, ctes: readonly NamedQuery[]): readonly ScopeColumn[] {
    const resolved = this.#resolve(textOf(this.#sql, this.#tokens, range), ctes)
    const { rest, ctes: all } = this.#readCtes({ ...range }, ctes)
    const items = this.#itemsOf(rest, null, all)
    const scope: SqlScope = { items, ctes: all, outer: null, aliases: [] }
    const selectColumns = this.#selectList(rest).flatMap(part => this.#selectedColumns(part, scope))
    if (resolved === null) return selectColumns
    return resolved.map(column => ({
      ...column,
      origin: selectColumns.find(({ name }) => name === column.name)?.origin ?? null,
    }))
  }

  #resolve(query: string, ctes: readonly NamedQuery[]): readonly ScopeColumn[] | null {
    const { tables, parameterTypes } = this.#context
    const prefix = ctes.length === 0 ? '' : `WITH ${ctes.map(({ text }) => text).join(', ')} `
    const resolved = orMistake(() => resolveQuery(`${prefix}SELECT * FROM (${query})`, tables, parameterTypes))
    if (resolved instanceof SqlError) return null
    return resolved.columns.map(({ name, type }) => ({ name, type, origin: null }))
  }

  #selectList(range: Range): readonly Range[] {
    const clause = this.#clause(range, 'SELECT')
    if (clause === null) return []
    let { from } = clause
    while (/^(?:DISTINCT|ALL)$/.test(this.#tokens[from]?.term ?? '')) from++
    return splitAt(this.#tokens, { from, to: clause.to }, ({ term }) => term === ',').filter(
      part => part.from < part.to,
    )
  }

  /** What follows the word, up to the next clause; null where the range does not have it. */
  #clause(range: Range, word: 'SELECT' | 'FROM'): Range | null {
    const indexes = [...topLevelIndexes(this.#tokens, range)]
    const index = indexes.find(i => this.#tokens[i]!.term === word)
    if (index === undefined) return null
    const isNext = (i: number): boolean => {
      const { term } = this.#tokens[i]!
      return i > index && (CLAUSES.has(term) || (word === 'SELECT' && term === 'FROM'))
    }
    return { from: index + 1, to: indexes.find(isNext) ?? range.to }
  }

  /** The columns that one item of a SELECT list gives. */
  #selectedColumns(part: Range, scope: SqlScope): readonly ScopeColumn[] {
    const last = this.#tokens[part.to - 1]!
    if (last.term === '*') {
      if (part.to - part.from === 1) return scope.items.flatMap(({ columns }) => columns)
      const value = this.#valueOf({ from: part.from, to: part.to - 2 }, scope)
      return value ? fieldsOf(value) : []
    }
    const name = this.#nameOf(part)
    if (name === null) return []
    const hasAlias = this.#tokens[part.to - 2]?.term === 'AS'
    const path = this.#wholePath({ from: part.from, to: hasAlias ? part.to - 2 : part.to })
    const column = path === null ? undefined : resolvePath(scope, path)
    return [{ name, type: column?.type ?? null, origin: column?.origin ?? null }]
  }

  /** The names of a range that is one dotted name; null for any other. */
  #wholePath({ from, to }: Range): readonly string[] | null {
    const first = this.#tokens[from]
    if (!first || from >= to || !isName(first)) return null
    const { path, end } = this.#pathAt(from, to)
    return end === to ? path : null
  }

  /** The name of an item of a SELECT list: its alias, or the last name of a path. */
  #nameOf(part: Range): string | null {
    const last = this.#tokens[part.to - 1]
    if (last === undefined || part.from >= part.to || last.isBroken) return null
    return isName(last) ? last.text : null
  }
}

/** An element of an array column; null for a column of another type. */
function elementOf(column: ScopeColumn | undefined): ScopeColumn | null {
  return column?.type?.kind === 'ARRAY' ? { ...column, type: column.type.element } : null
}

const elementItem = (alias: string, element: ScopeColumn | null): FromItem => ({
  alias,
  columns: element ? fieldsOf(element) : [],
  value: element && { ...element, name: alias },
})
