/** `a || b || …` of STRINGs or BYTES. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import { STRING, type Type } from '../../googlesql/types/types.js'
import { castSql } from '../emit/expressions/cast.js'
import { typedSql } from './typed.js'

/**
 * @returns the concatenation of the `args`, NULL where an argument is NULL. `type` is STRING, to which the other types are
 * cast, or BYTES.
 */
export function concatSql(sql: readonly (string | null)[], args: readonly (Expr | null)[], type: Type): string {
  const parts = sql.map((part, i) => (type.kind === 'STRING' ? castSql(part!, args[i]!.type, STRING) : part!))
  return typedSql(`(${parts.join(' || ')})`, args, type)
}
