/** A mistake in SQL with the tokens around it: advisers choose their advice by these. */
import { type Token, tokenize } from '../lex/tokenize.js'
import type { SqlMistake } from '../mistakes.js'

export interface Context {
  readonly mistake: SqlMistake | undefined
  /** The token at `offset`; null where no token begins there, or the text cannot be split into tokens. */
  readonly token: Token | null
  /** The tokens before `offset`, and the tokens after `token`. */
  readonly preceding: readonly Token[]
  readonly following: readonly Token[]
  readonly source: string
  readonly offset: number
  /** The names of declared parameters, in lower case. */
  readonly parameters: ReadonlySet<string>
}

/** Advice, with what it proposes to write. */
export interface Proposal {
  readonly text: string
  /** The word to write instead of the wrong one. */
  readonly meant?: string
  /** The lookup table whose field the proposed text reads. */
  readonly table?: string
}
export type Advice = string | Proposal | null

export const didYouMean = (meant: string): Proposal => ({ text: `did you mean ${meant}?`, meant })

/** Returns advice for one kind of mistake; null for any other mistake. */
export type Adviser = (place: Context) => Advice

export function contextAt(
  mistake: SqlMistake | undefined,
  source: string,
  offset: number,
  parameters: ReadonlySet<string>,
): Context {
  const tokens = tokensOf(source)
  const index = tokens?.findIndex(({ at }) => at === offset) ?? -1
  const around = { mistake, source, offset, parameters }
  if (tokens && index >= 0) {
    return { ...around, token: tokens[index]!, preceding: tokens.slice(0, index), following: tokens.slice(index + 1) }
  }
  // The last token is dropped: it marks the end of the shortened text, not of the whole text.
  return { ...around, token: null, preceding: tokensOf(source.slice(0, offset))?.slice(0, -1) ?? [], following: [] }
}

function tokensOf(source: string): readonly Token[] | null {
  try {
    return tokenize(source)
  } catch {
    return null
  }
}

export const isText = (token: Token | undefined | null): boolean => token?.kind === 'string'
export const isName = (token: Token | undefined | null): boolean =>
  token?.kind === 'identifier' || token?.kind === 'quoted'

/** The call whose parentheses surround `offset`: the function's name in upper case, and the first token of its arguments. */
export function callAround({ preceding, token }: Context): { readonly name: string; readonly first: Token } | null {
  let depth = 0
  for (let i = preceding.length - 1; i >= 0; i--) {
    const { term } = preceding[i]!
    if (term === ')') depth++
    else if (term === '(' && depth-- === 0) {
      const first = preceding[i + 1] ?? token
      return first ? { name: preceding[i - 1]?.term ?? '', first } : null
    }
  }
  return null
}

const CLAUSES = new Set('SELECT FROM WHERE GROUP ORDER HAVING QUALIFY LIMIT ON WINDOW PARTITION'.split(' '))

/** The keyword of the clause around `offset`; null where a parenthesis opens between them, or no clause precedes `offset`. */
export function clauseAround({ preceding }: Context): string | null {
  let depth = 0
  for (let i = preceding.length - 1; i >= 0; i--) {
    const { term, kind } = preceding[i]!
    if (term === ')' || term === ']') depth++
    else if ((term === '(' || term === '[') && depth-- === 0) return null
    else if (depth === 0 && kind === 'identifier' && CLAUSES.has(term)) return term
  }
  return null
}

export const QUOTED_NAME = 'names are quoted with backticks, as `shop.orders`; quotes make a text'
