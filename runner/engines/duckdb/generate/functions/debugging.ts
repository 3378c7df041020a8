/** ERROR and the functions that tell of the query itself, in DuckDB. */
import { typeName } from '../../../../googlesql/types.js'
import type { Forms } from '../forms.js'
import { quoteText } from '../quote.js'
import { duckdbType } from '../type.js'

export const DEBUGGING_FORMS: Forms = {
  ERROR: call =>
    `CAST(bq_raise(coalesce(${call.sql[0]}, 'ERROR function called with NULL value')) AS ${duckdbType(call.type)})`,
  GENERATE_UUID: () => 'CAST(uuid() AS VARCHAR)',
  TYPEOF: call => quoteText(typeName(call.args[0]!.type)),
}
