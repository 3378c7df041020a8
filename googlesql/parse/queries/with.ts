/** Parses one definition of WITH. */

import type { Cte } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'

/** `name AS (query)`. */
export function parseCte(p: Parser): Cte {
  const name = p.identifier()
  p.expect('AS')
  p.expect('(')
  const query = p.query()
  p.expect(')')
  return { name, query, at: name.at }
}
