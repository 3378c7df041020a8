/** The scalar function that everything else raises its errors with. */
import { type ScalarFunction, ScalarFunctionError } from './scalar-function.js'

export const CORE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  {
    // Not volatile: TRY() refuses volatile functions, and DuckDB leaves a constant call that fails to the row that
    // needs it. So inside a CASE it raises only where its branch is taken.
    name: 'bq_error',
    parameters: ['VARCHAR'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: (message: string) => {
      throw new ScalarFunctionError(message)
    },
  },
]
