/** Registers JavaScript scalar functions in DuckDB, with plain values instead of the driver's classes. */
import {
  BIGINT,
  BIGNUM,
  BLOB,
  BOOLEAN,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBListValue,
  DuckDBScalarFunction,
  type DuckDBType,
  type DuckDBValue,
  HUGEINT,
  LIST,
  VARCHAR,
} from '@duckdb/node-api'
import {
  NATIVE_ERROR_MARK,
  REFUSAL_MARK,
  RefusalError,
  type ScalarFunction,
  ScalarFunctionError,
  type ScalarFunctionType,
  type ScalarFunctionValue,
} from './scalar-functions/scalar-function.js'

const DUCKDB_TYPES: Readonly<Record<ScalarFunctionType, DuckDBType>> = {
  BIGINT,
  HUGEINT,
  BIGNUM,
  DOUBLE,
  BOOLEAN,
  VARCHAR,
  BLOB,
  'VARCHAR[]': LIST(VARCHAR),
  'VARCHAR[][]': LIST(LIST(VARCHAR)),
  'BIGINT[]': LIST(BIGINT),
  'DOUBLE[]': LIST(DOUBLE),
}

/**
 * Registers the function for every connection of this database instance. An error that it throws fails the query: a
 * ScalarFunctionError with its message after NATIVE_ERROR_MARK, any other as an internal error without its message.
 */
export function registerScalarFunction(connection: DuckDBConnection, scalarFunction: ScalarFunction): void {
  const compute = scalarFunction.refuses ? withRefusals(scalarFunction) : (scalarFunction.compute as Compute)
  const width = scalarFunction.parameters.length
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: scalarFunction.name,
      parameterTypes: scalarFunction.parameters.map(type => DUCKDB_TYPES[type]),
      returnType: DUCKDB_TYPES[scalarFunction.returns],
      specialHandling: scalarFunction.handlesNull,
      volatile: scalarFunction.isVolatile ?? false,
      mainFunction: (info, input, output) => {
        try {
          const vectors = scalarFunction.parameters.map((_, index) => input.getColumnVector(index))
          for (let row = 0; row < input.rowCount; row++) {
            const args: ScalarFunctionValue[] = []
            for (let index = 0; index < width; index++) {
              const value = fromDuckDb(vectors[index]!.getItem(row))
              if (value === null && !scalarFunction.handlesNull) break
              args.push(value)
            }
            output.setItem(row, args.length < width ? null : toDuckDb(compute(...args)))
          }
          output.flush()
        } catch (error) {
          const text = error instanceof ScalarFunctionError ? error.message : `Internal error in ${scalarFunction.name}`
          info.setError(NATIVE_ERROR_MARK + text)
        }
      },
    }),
  )
}

type Compute = (...args: ScalarFunctionValue[]) => ScalarFunctionValue

const withRefusals =
  ({ compute }: ScalarFunction): Compute =>
  (...args) => {
    try {
      return (compute as Compute)(...args)
    } catch (error) {
      if (error instanceof RefusalError) return REFUSAL_MARK + error.message
      throw error
    }
  }

function fromDuckDb(value: DuckDBValue): ScalarFunctionValue {
  if (value instanceof DuckDBBlobValue) return value.bytes
  if (value instanceof DuckDBListValue) return value.items.map(fromDuckDb)
  return value as ScalarFunctionValue
}

function toDuckDb(value: ScalarFunctionValue): DuckDBValue {
  if (value instanceof Uint8Array) return new DuckDBBlobValue(value)
  if (Array.isArray(value)) return new DuckDBListValue(value.map(toDuckDb))
  return value as DuckDBValue
}
