/** The types of writers: each writes the DuckDB SQL of a function. The writers are in the other files of this folder, by topic. */
import type { AggregateCall, Expr } from '../../googlesql/plan/nodes.js'
import type { ScalarKind, Type } from '../../googlesql/types/types.js'

/** The SQL of each field of a struct_pack call. Where a field is such a call itself, it has the SQL of its own fields, too. */
export type FieldsSql = readonly { readonly sql: string; readonly fields?: FieldsSql | undefined }[]

export interface WriterCall {
  /**
   * The DuckDB SQL of each argument, as an operand; null for an optional argument that is absent. For a word argument it is the
   * word itself (`DAY`, `WEEK_MONDAY`, `NFKC`), for a lambda its body.
   */
  readonly sql: readonly (string | null)[]
  /** For each argument that is a struct_pack call, the SQL of its fields. */
  readonly fields?: readonly (FieldsSql | undefined)[]
  readonly args: readonly (Expr | null)[]
  /** The type of the result. */
  readonly type: Type
}
export type SqlWriter = (call: WriterCall) => string

/** The writer of a function of DuckDB, or of this project, with the same arguments. */
export const callTo =
  (name: string): SqlWriter =>
  ({ sql }) =>
    `${name}(${sql.filter(each => each !== null).join(', ')})`

/** The type of an argument that is neither an ARRAY nor a STRUCT. */
export const kindOf = ({ args }: WriterCall, index: number): ScalarKind => args[index]!.type.kind as ScalarKind

/** The function that writes a call's SQL, and facts about that SQL for the code around the call. */
export interface FunctionSql {
  readonly write: SqlWriter
  /**
   * Whether a literal NULL as any argument, or as the first one, makes the call a typed NULL without calling the writer.
   * Otherwise DuckDB would forget the element type of the NULL, or the writer would receive a date part that does not exist for
   * the type of the NULL.
   */
  readonly isNullFor: 'any' | 'first' | null
  /** Whether an argument `INTERVAL n PART` is passed to the writer as two arguments, n and PART. */
  readonly takesIntervalParts: boolean
  /** Whether the SQL has TRY around the arguments. */
  readonly hasTry: boolean
  /** Whether the SQL runs JavaScript, so that the session must load the sandbox before it runs the SQL. */
  readonly runsJavaScript: boolean
  /** Whether the operator costs as much as a function. */
  readonly isHeavyOperator: boolean
}

/** The facts of a writer that needs no special treatment. */
export const PLAIN: Omit<FunctionSql, 'write'> = {
  isNullFor: null,
  takesIntervalParts: false,
  hasTry: false,
  runsJavaScript: false,
  isHeavyOperator: false,
}

/** A writer that returns an element of an array, or an array of the same elements. */
export const ofElements = (write: SqlWriter): FunctionSql => ({ ...PLAIN, write, isNullFor: 'any' })

/** A writer with a date part as an argument, which must exist for the type of the first argument. */
export const ofParts = (write: SqlWriter): FunctionSql => ({ ...PLAIN, write, isNullFor: 'first' })

/** A writer whose SQL has TRY around the arguments. */
export const tryWriter = (write: SqlWriter): FunctionSql => ({ ...PLAIN, write, hasTry: true })

export const heavyOperator = (write: SqlWriter): FunctionSql => ({ ...PLAIN, write, isHeavyOperator: true })

/** SqlWriters by the function's canonical name in the catalogue. */
export type SqlWriters = Readonly<Record<string, SqlWriter | FunctionSql>>

/**
 * The arguments as the writer expects them. The catalogue's checks guarantee that an interval to be split is an `INTERVAL n
 * PART`.
 */
export function writerArguments(
  { takesIntervalParts }: FunctionSql,
  args: readonly (Expr | null)[],
): readonly (Expr | null)[] {
  if (!takesIntervalParts) return args
  return args.flatMap(arg => (arg?.kind === 'call' && arg.name === '$interval' ? arg.arguments : [arg]))
}

export interface AggregateWriterCall extends WriterCall {
  readonly call: AggregateCall
  /** `DISTINCT ` or empty. */
  readonly distinct: string
  /** ` ORDER BY …` to write inside the parentheses, or empty. */
  readonly orderBy: string
  /** The condition of FILTER (WHERE …), which the writer writes after the parentheses; null without a condition. */
  readonly filterSql: string | null
  /**
   * The expression of HAVING MAX or MIN in a call with `over`; the writer applies it or throws. Null for a plain aggregate: there
   * passes/having-extreme.ts has replaced it by a condition in `filterSql`.
   */
  readonly havingSql: string | null
  /** The count of LIMIT, which the writer itself applies; null without a LIMIT. */
  readonly limitSql: string | null
  /** See `addsByParts` of the context. */
  readonly addsByParts: boolean
  /** Whether the frame may end before it begins, since both its ends are offsets in the same direction. */
  readonly mayBeBackward: boolean
  /** ` OVER (…)`, or empty for a plain aggregate. The writer must write it after every aggregate function. */
  readonly over: string
}
export type AggregateWriter = (call: AggregateWriterCall) => string

/** What FunctionSql is for other functions, for an aggregate or window function. */
export interface AggregateSql {
  readonly write: AggregateWriter
  /** Whether the function reads the rows one by one in their order, so that DuckDB may compute it while they stream. */
  readonly mayStream: boolean
  /** The same function over the elements of a list; null where no list function has the same result. */
  readonly list: ListWriter | null
}
/** Returns the SQL of the call over the list; null for a call that a list function cannot compute. */
export type ListWriter = (list: string, type: Type, call: AggregateCall, second: Expr | null) => string | null

export const overList = (write: AggregateWriter, list: ListWriter): AggregateSql => ({ write, mayStream: false, list })

export const streaming = (write: AggregateWriter): AggregateSql => ({ write, mayStream: true, list: null })

export type AggregateWriters = Readonly<Record<string, AggregateWriter | AggregateSql>>

/**
 * Thrown for a call that DuckDB cannot compute as BigQuery does. The message names the function; the generator adds the
 * place.
 */
export class SqlWriterError extends Error {
  override readonly name = 'SqlWriterError'
}
