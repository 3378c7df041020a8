/** Ranges of tokens: what parentheses hold, and the parts of a query at its own level. */
import type { LenientToken } from './lenient-tokens.js'

/** Tokens from `from` up to but not including `to`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The index of the parenthesis that closes the one at `open`. Where it is missing, the index of the last token before the FROM
 * clause of the query around it, or `to`.
 */
export function closeOf(tokens: readonly LenientToken[], open: number, to: number): number {
  const opened: number[] = []
  const hasFrom = new Set<number>()
  for (let i = open; i < to; i++) {
    const { term } = tokens[i]!
    if (term === '(' || term === '[') opened.push(i)
    else if (term === ')' || term === ']') {
      opened.pop()
      if (opened.length === 0) return i
    } else if (term === 'FROM' && tokens[i - 1]!.term !== 'DISTINCT') {
      const mayHold = (index: number): boolean => !hasFrom.has(index) && mayHoldFrom(tokens, index)
      while (opened.length > 0 && !mayHold(opened[opened.length - 1]!)) opened.pop()
      if (opened.length === 0) return i - 1
      hasFrom.add(opened[opened.length - 1]!)
    }
  }
  return to
}

/** Whether the parentheses hold a query, or `EXTRACT(part FROM value)`. */
function mayHoldFrom(tokens: readonly LenientToken[], open: number): boolean {
  const first = tokens.findIndex(({ term }, i) => i > open && term !== '(')
  return /^(?:SELECT|WITH|FROM)$/.test(tokens[first]?.term ?? '') || tokens[open - 1]?.term === 'EXTRACT'
}

/** The indexes of the range's tokens outside parentheses, and of each opening parenthesis. */
export function* topLevelIndexes(tokens: readonly LenientToken[], { from, to }: Range): Generator<number> {
  for (let i = from; i < to; i++) {
    yield i
    const { term } = tokens[i]!
    if (term === '(' || term === '[') i = closeOf(tokens, i, to)
  }
}

/** The range between these parentheses. */
export const insideOf = (tokens: readonly LenientToken[], open: number, to: number): Range => ({
  from: open + 1,
  to: closeOf(tokens, open, to),
})

/** Whether the text offset is inside the range: after the token before it, and not beyond the token after it. */
export function holdsOffset(tokens: readonly LenientToken[], { from, to }: Range, offset: number): boolean {
  const start = from === 0 ? 0 : tokens[from - 1]!.end
  const end = to >= tokens.length ? Number.POSITIVE_INFINITY : tokens[to]!.at
  return start <= offset && offset <= end
}

/** The parts of the range between top-level tokens for which `isBorder` holds. */
export function splitAt(
  tokens: readonly LenientToken[],
  range: Range,
  isBorder: (token: LenientToken, index: number) => boolean,
): readonly Range[] {
  const parts: Range[] = []
  let { from } = range
  for (const i of topLevelIndexes(tokens, range)) {
    if (!isBorder(tokens[i]!, i)) continue
    parts.push({ from, to: i })
    from = i + 1
  }
  return [...parts, { from, to: range.to }]
}

export const textOf = (sql: string, tokens: readonly LenientToken[], { from, to }: Range): string =>
  from >= to ? '' : sql.slice(tokens[from]!.at, tokens[to - 1]!.end)
