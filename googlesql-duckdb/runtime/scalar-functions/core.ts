/** The scalar function by which macros raise errors. */
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

export const CORE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Not volatile, since TRY() refuses volatile functions. When a constant call fails during planning, DuckDB evaluates it again
  // for each row that needs it. So inside a CASE, bq_error raises its error only if its branch is taken.
  scalar(
    'bq_error',
    ['VARCHAR'],
    'BIGINT',
    message => {
      fail(message)
    },
    { isShort: true },
  ),
]
