/** Writes a resolved query as one DuckDB SELECT statement. */

import type { ParameterExpr, ResolvedQuery } from '../googlesql/plan/nodes.js'
import { freshColumns, visitScan } from '../googlesql/plan/walk.js'
import { inlineCtes } from './analysis/cte-uses.js'
import { keyConditions } from './analysis/key-conditions.js'
import { type FalliblePlaces, tolerate } from './analysis/tolerate-failures.js'
import { type Context, inScope } from './emit/context.js'
import { arrayQuerySql } from './emit/expressions/array-query.js'
import { exprSql } from './emit/expressions/expressions.js'
import { nullableArrays } from './emit/scans/null-arrays.js'
import { blockOf, querySql } from './emit/scans/scans.js'
import {
  type PartitionRead,
  type ShardCondition,
  type ShardRead,
  ShardReads,
  type WrittenCondition,
  type WrittenPartitionRead,
} from './emit/shard-views.js'
import { WRITERS } from './functions/all.js'
import type { Delay } from './passes/delayed-constants.js'
import { LAST_PASSES, PASSES, runPasses } from './passes/index.js'

export interface GeneratedSql {
  readonly sql: string
  /** The names of the query's parameters that the SQL reads, in the order of `$1`, `$2`, …. */
  readonly parameters: readonly string[]
  /** The tables that the SQL reads. A common table expression that nothing reads adds no tables. */
  readonly tables: readonly string[]
  /** Whether the SQL runs JavaScript: the session must load its sandbox before it runs the SQL. */
  readonly runsJavaScript: boolean
  /** The reads of wildcard tables. The SQL needs a view for each of them. */
  readonly shardReads: readonly ShardRead[]
  /** The reads of partitioned tables; present only where `tellsPartitions` is set. */
  readonly partitionReads?: readonly PartitionRead[]
  /** The places at which the query may fail; present only where `tolerated` is set. */
  readonly fallible?: FalliblePlaces
}

export interface GenerateOptions {
  /** Which constants DuckDB may not compute while it plans, see delayed-constants.ts. @default null */
  readonly delay?: Delay | null
  /** Whether LIMITs are applied early. The SQL may then fail where the query would not, see limit-before-unnest.ts. @default false */
  readonly limitsEarly?: boolean
  /**
   * How many of the fallible expressions return NULL instead of failing, see tolerate-failures.ts; null where `fallible` is not needed.
   * @default null
   */
  readonly tolerated?: number | null
  /** Whether to list the partitions that are read. @default false */
  readonly tellsPartitions?: boolean
  /** Whether to list the constants that can be wrong. @default false */
  readonly tellsConstants?: boolean
}

/**
 * The DuckDB statement of a query, with the query's column names. It requires a session prepared by prepareSession, with a
 * table or view for each name in `tables`.
 *
 * @throws GenerateError for a construct that DuckDB cannot compute as BigQuery does.
 */
export function generate(query: ResolvedQuery, options: GenerateOptions = {}): GeneratedSql {
  const { delay = null, limitsEarly = false, tolerated = null, tellsPartitions = false } = options
  const tolerant = tolerated === null ? null : tolerate(query, tolerated)
  const plan = runPasses(tolerant?.query ?? query, PASSES, { delay, limitsEarly })
  const parameters: string[] = []
  const shardReads = new ShardReads()
  const partitionReads: WrittenPartitionRead[] | null = tellsPartitions ? [] : null
  const lowered = runPasses(plan, LAST_PASSES, { delay, limitsEarly })
  const shared = { addsByParts: delay === 'rows', shardReads, partitionReads }
  const sql = textOf(lowered, newContext(lowered, parameters, shared))
  const bound = parametersOf(sql)
  const renumber = (text: string): string =>
    bound.length === parameters.length ? text : replaceParameters(text, index => `$${bound.indexOf(index) + 1}`)
  return {
    sql: renumber(sql),
    parameters: bound.map(index => parameters[index - 1]!),
    ...factsOf(plan),
    shardReads: shardReads.all().map(read => withOwnParameters(read, bound)),
    ...(partitionReads && { partitionReads: partitionReads.map(read => withOwnParameters(read, bound)) }),
    ...(tolerant && { fallible: tolerant.places }),
  }
}

/**
 * The numbers of the parameters that the text reads, from 1, in ascending order. It may not read all parameters, since a
 * writer may leave out the SQL of an argument.
 */
function parametersOf(text: string): readonly number[] {
  const read = new Set<number>()
  const see = (index: number): string => {
    read.add(index)
    return ''
  }
  replaceParameters(text, see)
  return [...read].sort((a, b) => a - b)
}

const replaceParameters = (text: string, place: (index: number) => string): string =>
  text.replace(QUOTED_OR_PARAMETER, (match, index?: string) => (index === undefined ? match : place(Number(index))))

/** @param bound the parameters that the query binds; a condition that reads any other parameter is left out */
function withOwnParameters<R extends { readonly conditions: readonly WrittenCondition[] }>(
  read: R,
  bound: readonly number[],
): Omit<R, 'conditions'> & { readonly conditions: readonly ShardCondition[] } {
  return {
    ...read,
    conditions: read.conditions.flatMap(({ sql, readsClock }) => {
      const own = parametersOf(sql)
      if (!own.every(index => bound.includes(index))) return []
      const renumbered = replaceParameters(sql, index => `$${own.indexOf(index) + 1}`)
      return [{ sql: renumbered, readsClock, parameters: own.map(index => bound.indexOf(index)) }]
    }),
  }
}

/** Matches quoted text and quoted names, which are skipped, and the parameters. */
const QUOTED_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<!\w)\$(\d+)/g

const textOf = ({ scan, columns }: ResolvedQuery, context: Context): string =>
  context.query(
    scan,
    columns.map(output => output.column),
    columns.map(output => output.name),
    inScope(null, context),
  )

function factsOf(query: ResolvedQuery): Pick<GeneratedSql, 'tables' | 'runsJavaScript'> {
  const tables = new Set<string>()
  let runsJavaScript = false
  visitScan(
    query.scan,
    expr => {
      if (expr.kind === 'call' && WRITERS.get(expr.name)?.runsJavaScript) runsJavaScript = true
    },
    scan => {
      if (scan.kind === 'table') tables.add(scan.table)
    },
  )
  return { tables: [...tables], runsJavaScript }
}

function newContext(
  query: ResolvedQuery,
  parameters: string[],
  shared: Pick<Context, 'addsByParts' | 'shardReads' | 'partitionReads'>,
): Context {
  const names = new Set([...query.columns.map(output => output.name), ...query.tables].map(name => name.toLowerCase()))
  const inline = inlineCtes(query.scan)
  let aliases = 0
  const free = (base: string): string => {
    let name = base
    while (names.has(name.toLowerCase())) name = `x_${name}`
    return name
  }
  return {
    ...shared,
    name: column => free(/^[a-z_]\w*$/i.test(column.name) ? `${column.name}_${column.id}` : `c${column.id}`),
    newColumn: freshColumns(query.scan),
    newAlias: () => free(`t${++aliases}`),
    placeholder: ({ name }: ParameterExpr) => {
      const index = parameters.findIndex(other => other.toLowerCase() === name.toLowerCase())
      return `$${index < 0 ? parameters.push(name) : index + 1}`
    },
    cteName: cte => free(/^[a-z_]\w*$/i.test(cte.name) ? `${cte.name}_${cte.id}` : `w${cte.id}`),
    isInline: cte => inline.has(cte.id),
    ctes: new Map(),
    fillings: nullableArrays(query),
    keyConditions: keyConditions(query.scan),
    expr: exprSql,
    query: querySql,
    arrayQuery: (scan, column, place) => arrayQuerySql(scan, column, place, blockOf),
  }
}
