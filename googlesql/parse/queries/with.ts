/** Parses one definition of WITH. */

import type { Cte } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'

/** `name AS (query)`. */
export function parseCte(p: Parser): Cte {
  const name = p.identifier()
  p.expect('AS')
  return { name, query: p.parenthesisedQuery(), at: name.at }
}
