/** Ranges of tokens: what parentheses hold, and the parts of a query at its own level. */
import type { LenientToken } from './lenient-tokens.js'

/** Tokens from `from` up to but not including `to`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The index of the parenthesis that closes the one at `open`; `to` where it is missing. */
export function closeOf(tokens: readonly LenientToken[], open: number, to: number): number {
  let depth = 0
  for (let i = open; i < to; i++) {
    const { term } = tokens[i]!
    if (term === '(' || term === '[') depth++
    else if ((term === ')' || term === ']') && --depth === 0) return i
  }
  return to
}

/** The indexes of the range's tokens that no parentheses hold. An opening parenthesis is included, with a jump to its end. */
export function* topLevel(tokens: readonly LenientToken[], { from, to }: Range): Generator<number> {
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
  for (const i of topLevel(tokens, range)) {
    if (!isBorder(tokens[i]!, i)) continue
    parts.push({ from, to: i })
    from = i + 1
  }
  return [...parts, { from, to: range.to }]
}

export const textOf = (sql: string, tokens: readonly LenientToken[], { from, to }: Range): string =>
  from >= to ? '' : sql.slice(tokens[from]!.at, tokens[to - 1]!.end)
