/** Determines what each parenthesis holds before the text is parsed, so that no rule of the grammar has to backtrack. */

import type { Token } from '../lex/tokenize.js'

export type Parentheses = ReturnType<typeof findParentheses>

/**
 * A `(` holds a query when SELECT, FROM or WITH follows. In `((…) …`, the outer `(` holds a query if the inner `(` does and the
 * next token can continue that query. One pass from the end decides all parentheses in linear time.
 *
 * Both arrays have one element for each token. For a `(`, `close` has the index of its `)`, or the number of tokens if it is
 * not closed, and `isQuery` has 1 if the parentheses hold a query.
 */
export function findParentheses(tokens: readonly Token[]) {
  const close = new Int32Array(tokens.length).fill(tokens.length)
  const isQuery = new Uint8Array(tokens.length)
  const closings: number[] = []
  for (let i = tokens.length - 1; i >= 0; i--) {
    const term = tokens[i]!.term
    if (term === ')') closings.push(i)
    if (term !== '(') continue
    close[i] = closings.pop() ?? tokens.length
    const next = tokens[i + 1]?.term
    const holdsQuery =
      next === 'SELECT' ||
      next === 'FROM' ||
      (next === 'WITH' && tokens[i + 2]?.term !== '(') ||
      (next === '(' && isQuery[i + 1] === 1 && canContinueQuery(tokens, close[i + 1]! + 1))
    if (holdsQuery) isQuery[i] = 1
  }
  return { close, isQuery }
}

const AFTER_QUERY: ReadonlySet<string> = new Set([')', 'UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT', '|>'])

/** Whether the token at `index` can follow a query inside the same parentheses. */
function canContinueQuery(tokens: readonly Token[], index: number): boolean {
  const term = tokens[index]?.term ?? ''
  if (term === 'AS') return tokens[index + 2]?.term === '|>'
  return AFTER_QUERY.has(term) || isSetOperatorMode(term, tokens[index + 1]?.term, tokens[index + 2]?.term)
}

/** Whether these words begin a set operation with a mode, such as `LEFT OUTER UNION …`, and not a join. */
export function isSetOperatorMode(first: string, second: string | undefined, third: string | undefined): boolean {
  if (first !== 'INNER' && first !== 'LEFT' && first !== 'FULL') return false
  const operator = second === 'OUTER' && first !== 'INNER' ? third : second
  return operator === 'UNION' || operator === 'INTERSECT' || operator === 'EXCEPT'
}
