/**
 * Splits a SELECT with GROUP BY and window functions: its groups may be kept, and the windows are computed from them. README.md has the
 * rules.
 */
import { findFunction } from '../functions/all.js'
import { RESERVED_KEYWORDS } from '../lex/keywords.js'
import type { Token } from '../lex/tokenize.js'
import type { ResolvedCte, ResolvedQuery, Scan } from '../plan/nodes.js'
import { quoteName } from './narrow-query.js'

/** A SELECT split in two texts. */
export interface WindowSplit {
  /** The text of the groups. It selects the items of the SELECT, 0 for each item with a window, and the aggregates that windows read. */
  readonly lower: string
  /**
   * @param names the columns of `lower`
   * @param rows gives the text of a query with the rows of `lower`, under these names of columns
   */
  readonly upper: (names: readonly string[], rows: (columns: readonly string[]) => string) => string
  /** False where the last clauses read a name that is an alias and also another grouped column: it may mean either. */
  readonly isClear: (lower: ResolvedQuery) => boolean
}

/** An item of SELECT. */
interface Item {
  readonly tokens: readonly Token[]
  readonly alias: Token | null
}

/** The name of a column of the groups; a query that has such a name itself is not split. */
const groupName = (index: number): string => `_group_${index}`
const GROUP_NAME = /^_group_\d+$/i

/**
 * @param tokens the tokens of one query
 * @param outer the tokens outside all brackets
 * @returns null for any query but one SELECT with GROUP BY and window functions
 */
export function splitWindows(sql: string, tokens: readonly Token[], outer: readonly Token[]): WindowSplit | null {
  const clauses = clausesOf(tokens, outer)
  if (clauses === null || tokens.some(({ text }) => GROUP_NAME.test(text))) return null
  const { items, grouped, last } = clauses
  const computed = [...items.map(item => item.tokens).filter(hasWindow), last]
  // Names in a subquery may be its own, so that they cannot be replaced.
  if (!computed.some(hasWindow) || computed.some(part => part.some(({ term }) => term === 'SELECT'))) return null
  const isKept = (item: Item): boolean => !hasWindow(item.tokens)
  const text = ([first, ...others]: readonly Token[]): string => sql.slice(first!.at, (others.at(-1) ?? first!).end)
  const names = new Map(
    items.flatMap((item, i) => (isKept(item) && isAtom(item.tokens) ? [[keyOf(item.tokens), i]] : [])),
  )
  const aggregates = computed.flatMap(part => callsIn(part).filter(isAggregate))
  const extra = new Map(aggregates.filter(call => !names.has(keyOf(call))).map(call => [keyOf(call), text(call)]))
  for (const [i, key] of [...extra.keys()].entries()) names.set(key, items.length + i)
  const aliases = items.flatMap(({ alias }) => (alias ? [wordOf(alias)] : []))
  const readsAlias = (key: string): boolean => key.split(' ').some(word => aliases.includes(word))
  const namesInLast = new Map([...names].filter(([key]) => !readsAlias(key)))
  const lowerItem = (item: Item): string =>
    `${isKept(item) ? text(item.tokens) : '0'}${item.alias ? ` AS ${text([item.alias])}` : ''}`
  return {
    lower: `SELECT ${[...items.map(lowerItem), ...extra.values()].join(', ')} ${text(grouped)}`,
    upper: (columns, rows) => {
      const shown = items.map((item, i) => {
        const value = isKept(item) ? groupName(i) : replaceAtoms(sql, item.tokens, names)
        return `${value} AS ${quoteName(columns[i]!)}`
      })
      const from = rows(columns.map((_, i) => groupName(i)))
      return `SELECT ${shown.join(', ')} FROM (${from}) ${replaceAtoms(sql, last, namesInLast)}`
    },
    isClear: ({ scan }) => {
      const words = last.map(wordOf)
      const columns = groupedNames(scan).filter(name => words.includes(name))
      return items.every(({ tokens: [value, more], alias }) => {
        if (alias === null || !columns.includes(wordOf(alias))) return true
        return more === undefined && wordOf(value!) === wordOf(alias)
      })
    },
  }
}

/** The names of the columns that the last GROUP BY reads, in upper case. */
function groupedNames(scan: Scan, ctes = new Map<number, ResolvedCte>()): readonly string[] {
  switch (scan.kind) {
    case 'aggregate':
      return scan.input.columns.map(({ name }) => name.toUpperCase())
    case 'with':
      for (const cte of scan.ctes) ctes.set(cte.id, cte)
      return groupedNames(scan.body, ctes)
    case 'cte':
      return groupedNames(ctes.get(scan.cte)!.scan, ctes)
    case 'project':
    case 'filter':
      return groupedNames(scan.input, ctes)
    default:
      return []
  }
}

// ---- clauses

interface Clauses {
  readonly items: readonly Item[]
  /** From FROM to GROUP BY or HAVING. */
  readonly grouped: readonly Token[]
  /** QUALIFY, WINDOW, ORDER BY and LIMIT. */
  readonly last: readonly Token[]
}

const LAST_CLAUSES: readonly string[] = ['QUALIFY', 'WINDOW', 'ORDER', 'LIMIT', ';']
const OTHER_QUERIES: readonly string[] = ['UNION', 'INTERSECT', 'EXCEPT', '|>']

/** The clauses of one SELECT with GROUP BY; null for any other tokens. */
function clausesOf(tokens: readonly Token[], outer: readonly Token[]): Clauses | null {
  const terms = outer.map(({ term }) => term)
  const from = terms.indexOf('FROM')
  const group = terms.indexOf('GROUP', from)
  const isOther = terms.some((term, i) => OTHER_QUERIES.includes(term) || (term === 'SELECT' && i > 0))
  if (terms[0] !== 'SELECT' || from < 0 || group < 0 || isOther || NO_ITEM.includes(tokens[1]!.term)) return null
  const afterGroup = terms.findIndex((term, i) => i > group && LAST_CLAUSES.includes(term))
  const placeOf = (index: number): number => (index < 0 ? tokens.length : tokens.indexOf(outer[index]!))
  const commas = outer.slice(0, from).filter(({ term }) => term === ',')
  const starts = [0, ...commas.map(comma => tokens.indexOf(comma)), placeOf(from)]
  return {
    items: starts.slice(1).map((end, i) => itemOf(tokens.slice(starts[i]! + 1, end))),
    grouped: tokens.slice(placeOf(from), placeOf(afterGroup)),
    last: tokens.slice(placeOf(afterGroup)),
  }
}

const NO_ITEM: readonly string[] = ['DISTINCT', 'ALL', 'AS', 'WITH']

function itemOf(tokens: readonly Token[]): Item {
  const [before, last] = tokens.slice(-2)
  if (!before || !last || !isName(last)) return { tokens, alias: null }
  if (before.term === 'AS') return { tokens: tokens.slice(0, -2), alias: last }
  const followsValue = before.kind !== 'symbol' ? isName(before) || before.term === 'END' : /[)\]]/.test(before.term)
  return followsValue ? { tokens: tokens.slice(0, -1), alias: last } : { tokens, alias: null }
}

const isName = ({ kind, term }: Token): boolean =>
  kind === 'quoted' || (kind === 'identifier' && !RESERVED_KEYWORDS.has(term))

const hasWindow = (tokens: readonly Token[]): boolean => tokens.some(({ term }) => term === 'OVER')

// ---- expressions

const wordOf = ({ text }: Token): string => text.toUpperCase()

/** A key that tokens with the same meaning have in common; the names in it stand between spaces. */
const keyOf = (tokens: readonly Token[]): string =>
  tokens.map(token => (isName(token) ? wordOf(token) : `${token.kind}:${token.text}`)).join(' ')

/** Whether the tokens are one path or one call, which a name can replace. */
const isAtom = (tokens: readonly Token[]): boolean => atomAt(tokens, 0)?.length === tokens.length

/** The call or path that begins at `start`; null for any other token. */
function atomAt(tokens: readonly Token[], start: number): readonly Token[] | null {
  if (tokens[start]?.kind !== 'identifier' && tokens[start]?.kind !== 'quoted') return null
  let end = start + 1
  while (tokens[end]?.term === '.') end += 2
  if (tokens[end]?.term !== '(') return tokens.slice(start, end)
  for (let depth = 0; end < tokens.length; end++) {
    if (tokens[end]!.term === '(') depth += 1
    if (tokens[end]!.term === ')') depth -= 1
    if (depth === 0) return tokens.slice(start, end + 1)
  }
  return null
}

/** All calls that are not followed by OVER, also those inside other calls. */
function callsIn(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const atoms = tokens.flatMap((_, i) => (tokens[i - 1]?.term === '.' ? [] : [{ atom: atomAt(tokens, i) ?? [], i }]))
  const calls = atoms.filter(({ atom, i }) => atom.at(-1)?.term === ')' && tokens[i + atom.length]?.term !== 'OVER')
  return calls.map(({ atom }) => atom)
}

const isAggregate = (call: readonly Token[]): boolean => findFunction(wordOf(call[0]!))?.kind === 'aggregate'

/** The text with a group's name in place of each atom whose key is in `names`. */
function replaceAtoms(sql: string, tokens: readonly Token[], names: ReadonlyMap<string, number>): string {
  let text = ''
  let at = tokens[0]?.at ?? 0
  for (let i = 0; i < tokens.length; i++) {
    const before = tokens[i - 1]?.term
    const atom = before === '.' || before === 'AS' ? null : atomAt(tokens, i)
    const name = atom && tokens[i + atom.length]?.term !== 'OVER' ? names.get(keyOf(atom)) : undefined
    if (name === undefined) continue
    text += sql.slice(at, atom![0]!.at) + groupName(name)
    at = atom!.at(-1)!.end
    i += atom!.length - 1
  }
  return text + sql.slice(at, tokens.at(-1)?.end ?? at)
}
