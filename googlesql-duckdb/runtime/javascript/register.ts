/** Registers the DuckDB function that runs JavaScript functions of queries. */
import { type DuckDBConnection, DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api'
import { flushResults } from '../register.js'
import { NATIVE_ERROR_MARK, ScalarFunctionError } from '../scalar-functions/scalar-function.js'
import { JAVASCRIPT_FUNCTION } from './function-name.js'

/**
 * Calls the function of a definition once for each text, which is the JSON array of its arguments. Returns the text of each
 * result, or null. @throws ScalarFunctionError with a message for the author.
 */
export type RunJavaScript = (definition: string, calls: readonly string[]) => readonly (string | null)[]

/**
 * `bq_javascript(definition, arguments)`: the definition is a constant, the JSON text of a JavaScriptDefinition; the arguments
 * of a call are a JSON array. It is volatile even for a function that is declared DETERMINISTIC: otherwise DuckDB would call it
 * during planning, and a failing call several times.
 */
export function registerJavaScript(connection: DuckDBConnection, run: RunJavaScript): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: JAVASCRIPT_FUNCTION,
      parameterTypes: [VARCHAR, VARCHAR],
      returnType: VARCHAR,
      volatile: true,
      mainFunction: (info, input, output) => {
        if (input.rowCount === 0) return
        try {
          const [definitions, args] = [input.getColumnVector(0), input.getColumnVector(1)]
          const calls = Array.from({ length: input.rowCount }, (_, row) => String(args.getItem(row)))
          const results = run(String(definitions.getItem(0)), calls)
          for (const [row, result] of results.entries()) output.setItem(row, result)
        } catch (error) {
          const text = error instanceof ScalarFunctionError ? error.message : 'Internal error in a JavaScript function'
          info.setError(NATIVE_ERROR_MARK + text)
          return
        }
        flushResults(info, output)
      },
    }),
  )
}
