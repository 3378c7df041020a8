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
  type DuckDBScalarFunctionBindInfo,
  type DuckDBScalarFunctionInfo,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
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
import { stopwatch } from './stopwatch.js'

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
 * Called with the id of the query's connection, and the milliseconds that a function has computed since the last call. Returns whether the
 * query has been stopped: its result will be dropped, and its remaining rows get NULL.
 */
export type OnComputed = (connectionId: number, ms: number) => boolean

/** How often the computing time of a chunk is reported, in milliseconds; it is also reported at the end of the chunk. */
const REPORT_EVERY_MS = 1
/**
 * The most characters and bytes of the results of one chunk, which has up to 2,048 rows: all of them are in the memory of this process at
 * once.
 */
const MAX_CHUNK_SIZE = 32_000_000

/**
 * Registers the function for every connection of this database instance. An error that it throws fails the query: a
 * ScalarFunctionError with its message after NATIVE_ERROR_MARK, any other as an internal error without its message.
 */
export function registerScalarFunction(
  connection: DuckDBConnection,
  scalarFunction: ScalarFunction,
  onComputed?: OnComputed,
): void {
  const compute = scalarFunction.refuses ? withRefusals(scalarFunction) : (scalarFunction.compute as Compute)
  const width = scalarFunction.parameters.length
  // Binding a call to its connection takes a turn of the main thread, so it is left out where no call can take long.
  const isShort = scalarFunction.isShort || scalarFunction.parameters.every(type => SMALL_TYPES.has(type))
  const watch = isShort ? undefined : onComputed
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: scalarFunction.name,
      parameterTypes: scalarFunction.parameters.map(type => DUCKDB_TYPES[type]),
      returnType: DUCKDB_TYPES[scalarFunction.returns],
      specialHandling: scalarFunction.handlesNull,
      ...(watch && { bindFunction: bindToConnection }),
      mainFunction: (info, input, output) => {
        const report = watch ? watchChunk(info, watch) : () => false
        let isDropped = report(true)
        let size = 0
        try {
          const vectors = scalarFunction.parameters.map((_, index) => input.getColumnVector(index))
          for (let row = 0; row < input.rowCount; row++) {
            // Throwing would not end the query: TRY would catch the error, and compute the rows of the chunk one by one.
            if (isDropped) {
              output.setItem(row, null)
              continue
            }
            const args: ScalarFunctionValue[] = []
            for (let index = 0; index < width; index++) {
              const value = fromDuckDb(vectors[index]!.getItem(row))
              if (value === null && !scalarFunction.handlesNull) break
              args.push(value)
            }
            const result = args.length < width ? null : compute(...args)
            output.setItem(row, toDuckDb(result))
            size += sizeOf(result)
            // TRY computes the rows of a failed chunk one by one. The last row is not refused, so that a single large row is possible.
            if (size > MAX_CHUNK_SIZE && row < input.rowCount - 1) throw new ScalarFunctionError(TOO_LARGE)
            isDropped = report(false)
          }
        } catch (error) {
          const text = error instanceof ScalarFunctionError ? error.message : `Internal error in ${scalarFunction.name}`
          info.setError(NATIVE_ERROR_MARK + text)
          return
        } finally {
          report(true)
        }
        flushResults(info, output)
      },
    }),
  )
}

/** Gives the results to DuckDB. If that fails, DuckDB has no memory for them: its own error is set. */
export function flushResults(info: DuckDBScalarFunctionInfo, output: DuckDBVector): void {
  try {
    output.flush()
  } catch (error) {
    info.setError((error as Error).message)
  }
}

/** The connection whose query calls the function. */
interface Binding {
  readonly connectionId: number
}

const bindToConnection = (info: DuckDBScalarFunctionBindInfo): void =>
  info.setBindData({ connectionId: info.clientContext.connectionId } satisfies Binding)

/**
 * Starts to watch the time of a chunk. The returned function reports the time, if it is long enough or `isDue` is true, and returns whether
 * the result will be dropped. There may be many short chunks: TRY makes one of each row.
 */
function watchChunk(info: DuckDBScalarFunctionInfo, onComputed: OnComputed): (isDue: boolean) => boolean {
  let startedAt = performance.now()
  let spent = stopwatch()
  return isDue => {
    if (!isDue && performance.now() - startedAt < REPORT_EVERY_MS) return false
    const ms = spent()
    startedAt = performance.now()
    spent = stopwatch()
    return onComputed((info.bindData as Binding).connectionId, ms)
  }
}

const TOO_LARGE = 'Resources exceeded during query execution: a function computes too much text'

/** The types whose values are small. */
const SMALL_TYPES: ReadonlySet<ScalarFunctionType> = new Set(['BIGINT', 'HUGEINT', 'DOUBLE', 'BOOLEAN'])

function sizeOf(value: ScalarFunctionValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  return Array.isArray(value) ? value.reduce((size: number, item) => size + sizeOf(item), value.length) : 0
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
