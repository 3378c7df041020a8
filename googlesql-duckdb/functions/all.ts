/**
 * The DuckDB SQL of all functions, by topic. The generator refuses a call of a function without an entry, and names the
 * function.
 */

import { AGGREGATE_WRITERS as AGGREGATES } from './aggregates.js'
import { ARRAY_WRITERS } from './arrays.js'
import { BIT_WRITERS } from './bits.js'
import { CONDITIONAL_WRITERS } from './conditional.js'
import { CONVERSION_WRITERS } from './conversion.js'
import { DATE_WRITERS } from './dates.js'
import { DEBUGGING_WRITERS } from './debugging.js'
import { type AggregateSql, type AggregateWriters, type FunctionSql, PLAIN, type SqlWriters } from './function-sql.js'
import { HASH_WRITERS } from './hash.js'
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
  ...DATE_WRITERS,
  ...JAVASCRIPT_WRITERS,
  ...JSON_WRITERS,
  ...MATH_WRITERS,
  ...BIT_WRITERS,
  ...CONVERSION_WRITERS,
  ...STRING_WRITERS,
  ...RANGE_WRITERS,
  ...REGEXP_WRITERS,
  ...SEARCH_WRITERS,
  ...NET_WRITERS,
  ...HASH_WRITERS,
  ...DEBUGGING_WRITERS,
}

const OVER_ROWS: AggregateWriters = { ...AGGREGATES, ...WINDOW_WRITERS }

export const WRITERS: ReadonlyMap<string, FunctionSql> = new Map(
  Object.entries(SCALARS).map(([name, writer]) => [
    name,
    typeof writer === 'function' ? { ...PLAIN, write: writer } : writer,
  ]),
)

/** The SQL of aggregate and window functions. */
export const AGGREGATE_WRITERS: ReadonlyMap<string, AggregateSql> = new Map(
  Object.entries(OVER_ROWS).map(([name, writer]) => [
    name,
    typeof writer === 'function' ? { write: writer, mayStream: false, list: null } : writer,
  ]),
)
