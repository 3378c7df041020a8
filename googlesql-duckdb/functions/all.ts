/**
 * The DuckDB SQL of all functions, by topic. The generator refuses a call of a function without an entry, and names the
 * function.
 */

import { AGGREGATE_WRITERS as AGGREGATES } from './aggregates.js'
import { ARRAY_WRITERS } from './arrays.js'
import { CAST_FORMAT_WRITERS } from './cast-format.js'
import { CONDITIONAL_WRITERS } from './conditional.js'
import { ARITHMETIC_WRITERS } from './dates/arithmetic.js'
import { CONSTRUCT_WRITERS } from './dates/construct.js'
import { FORMAT_WRITERS } from './dates/format.js'
import { TRUNC_WRITERS } from './dates/truncate.js'
import { DEBUGGING_WRITERS } from './debugging.js'
import { type AggregateSql, type AggregateWriters, type FunctionSql, PLAIN, type SqlWriters } from './function-sql.js'
import { HASH_WRITERS } from './hash.js'
import { INTERVAL_WRITERS } from './intervals.js'
import { JAVASCRIPT_WRITERS } from './javascript.js'
import { JSON_WRITERS } from './json.js'
import { MATH_WRITERS } from './math.js'
import { NET_WRITERS } from './net.js'
import { OPERATOR_WRITERS } from './operators.js'
import { RANGE_WRITERS } from './ranges.js'
import { REGEXP_WRITERS } from './regexp.js'
import { SEARCH_WRITERS } from './search.js'
import { STRING_WRITERS } from './strings.js'
import { WINDOW_WRITERS } from './windows.js'

const SCALARS: SqlWriters = {
  ...OPERATOR_WRITERS,
  ...CONDITIONAL_WRITERS,
  ...ARRAY_WRITERS,
  ...CONSTRUCT_WRITERS,
  ...TRUNC_WRITERS,
  ...ARITHMETIC_WRITERS,
  ...FORMAT_WRITERS,
  ...INTERVAL_WRITERS,
  ...CAST_FORMAT_WRITERS,
  ...JAVASCRIPT_WRITERS,
  ...JSON_WRITERS,
  ...MATH_WRITERS,
  ...STRING_WRITERS,
  ...RANGE_WRITERS,
  ...REGEXP_WRITERS,
  ...SEARCH_WRITERS,
  ...NET_WRITERS,
  ...HASH_WRITERS,
  ...DEBUGGING_WRITERS,
}

const AGGREGATES_AND_WINDOWS: AggregateWriters = { ...AGGREGATES, ...WINDOW_WRITERS }

export const WRITERS: ReadonlyMap<string, FunctionSql> = new Map(
  Object.entries(SCALARS).map(([name, writer]) => [
    name,
    typeof writer === 'function' ? { ...PLAIN, write: writer } : writer,
  ]),
)

/** The SQL of aggregate and window functions. */
export const AGGREGATE_WRITERS: ReadonlyMap<string, AggregateSql> = new Map(
  Object.entries(AGGREGATES_AND_WINDOWS).map(([name, writer]) => [
    name,
    typeof writer === 'function' ? { write: writer, mayStream: false, list: null } : writer,
  ]),
)
