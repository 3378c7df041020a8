/** DuckDB SQL of ERROR and of functions about the query itself. */
import { typeName } from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import { duckdbType } from '../emit/type.js'
import type { SqlWriters } from './function-sql.js'

export const DEBUGGING_WRITERS: SqlWriters = {
  ERROR: call =>
    `CAST(bq_raise(coalesce(${call.sql[0]}, 'ERROR function called with NULL value')) AS ${duckdbType(call.type)})`,
  GENERATE_UUID: () => 'CAST(uuid() AS VARCHAR)',
  TYPEOF: call => quoteText(typeName(call.args[0]!.type)),
}
