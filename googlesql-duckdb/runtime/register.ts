/** Makes a JavaScript scalar function known to DuckDB, with plain values instead of the driver's own. */
import {
  BIGINT,
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
  NativeError,
  type NativeFunction,
  type NativeType,
  type NativeValue,
  REFUSAL_MARK,
  RefusalError,
} from './scalar-functions/scalar-function.js'

const DUCKDB_TYPES: Readonly<Record<NativeType, DuckDBType>> = {
  BIGINT,
  HUGEINT,
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
 * Registers the function for every connection of this database instance. An error that it throws fails the query: one in
 * our words behind NATIVE_ERROR_MARK, any other as an internal one without its text.
 */
export function registerNative(connection: DuckDBConnection, native: NativeFunction): void {
  const compute = native.refuses ? withRefusals(native) : (native.compute as Compute)
  const width = native.parameters.length
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: native.name,
      parameterTypes: native.parameters.map(type => DUCKDB_TYPES[type]),
      returnType: DUCKDB_TYPES[native.returns],
      specialHandling: native.handlesNull,
      mainFunction: (info, input, output) => {
        try {
          const vectors = native.parameters.map((_, index) => input.getColumnVector(index))
          for (let row = 0; row < input.rowCount; row++) {
            const args: NativeValue[] = []
            for (let index = 0; index < width; index++) {
              const value = fromDuckDb(vectors[index]!.getItem(row))
              if (value === null && !native.handlesNull) break
              args.push(value)
            }
            output.setItem(row, args.length < width ? null : toDuckDb(compute(...args)))
          }
          output.flush()
        } catch (error) {
          const text = error instanceof NativeError ? error.message : `Internal error in ${native.name}`
          info.setError(NATIVE_ERROR_MARK + text)
        }
      },
    }),
  )
}

type Compute = (...args: NativeValue[]) => NativeValue

const withRefusals =
  ({ compute }: NativeFunction): Compute =>
  (...args) => {
    try {
      return (compute as Compute)(...args)
    } catch (error) {
      if (error instanceof RefusalError) return REFUSAL_MARK + error.message
      throw error
    }
  }

function fromDuckDb(value: DuckDBValue): NativeValue {
  if (value instanceof DuckDBBlobValue) return value.bytes
  if (value instanceof DuckDBListValue) return value.items.map(fromDuckDb)
  return value as NativeValue
}

function toDuckDb(value: NativeValue): DuckDBValue {
  if (value instanceof Uint8Array) return new DuckDBBlobValue(value)
  if (Array.isArray(value)) return new DuckDBListValue(value.map(toDuckDb))
  return value as DuckDBValue
}
