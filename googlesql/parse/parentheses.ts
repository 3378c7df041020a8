/** Finds out what each parenthesis holds before anything is parsed, so that no rule has to try and go back. */

import type { Token } from '../lex/tokenize.js'

/** By token index: where each `(` is closed, and whether it holds a query. */
export interface Parentheses {
  readonly close: Int32Array
  readonly isQuery: Uint8Array
}

/**
 * One pass from the end, so that any number of nested parentheses is decided in linear time: `(` holds a query when
 * SELECT, FROM or WITH follows, or when another such parenthesis follows and a query can go on behind that one.
 */
export function findParentheses(tokens: readonly Token[]): Parentheses {
  const close = new Int32Array(tokens.length).fill(tokens.length)
  const isQuery = new Uint8Array(tokens.length)
  const open: number[] = []
  for (let i = tokens.length - 1; i >= 0; i--) {
    const term = tokens[i]!.term
    if (term === ')') open.push(i)
    if (term !== '(') continue
    close[i] = open.pop() ?? tokens.length
    const next = tokens[i + 1]?.term
    const isHeld =
      next === 'SELECT' ||
      next === 'FROM' ||
      (next === 'WITH' && tokens[i + 2]?.term !== '(') ||
      (next === '(' && isQuery[i + 1] === 1 && canContinueQuery(tokens, close[i + 1]! + 1))
    if (isHeld) isQuery[i] = 1
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

/** Whether these words begin `LEFT OUTER UNION …`, which is no join. */
export function isSetOperatorMode(first: string, second: string | undefined, third: string | undefined): boolean {
  if (first !== 'INNER' && first !== 'LEFT' && first !== 'FULL') return false
  const operator = second === 'OUTER' && first !== 'INNER' ? third : second
  return operator === 'UNION' || operator === 'INTERSECT' || operator === 'EXCEPT'
}
