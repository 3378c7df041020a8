/**
 * The DuckDB SQL of all functions, by topic. The generator refuses a call of a function without an entry, and names the
 * function.
 */

import { AGGREGATE_FORMS as AGGREGATES } from './aggregates.js'
import { ARRAY_FORMS } from './arrays.js'
import { BIT_FORMS } from './bits.js'
import { CONDITIONAL_FORMS } from './conditional.js'
import { CONVERSION_FORMS } from './conversion.js'
import { DATE_FORMS } from './dates.js'
import { DEBUGGING_FORMS } from './debugging.js'
import { type AggregateForms, type AggregateSql, type Forms, type FunctionSql, PLAIN } from './function-sql.js'
import { HASH_FORMS } from './hash.js'
import { JAVASCRIPT_FORMS } from './javascript.js'
import { JSON_FORMS } from './json.js'
import { MATH_FORMS } from './math.js'
import { NET_FORMS } from './net.js'
import { OPERATOR_FORMS } from './operators.js'
import { RANGE_FORMS } from './ranges.js'
import { REGEXP_FORMS } from './regexp.js'
import { SEARCH_FORMS } from './search.js'
import { STRING_FORMS } from './strings.js'
import { WINDOW_FORMS } from './windows.js'

const SCALARS: Forms = {
  ...OPERATOR_FORMS,
  ...CONDITIONAL_FORMS,
  ...ARRAY_FORMS,
  ...DATE_FORMS,
  ...JAVASCRIPT_FORMS,
  ...JSON_FORMS,
  ...MATH_FORMS,
  ...BIT_FORMS,
  ...CONVERSION_FORMS,
  ...STRING_FORMS,
  ...RANGE_FORMS,
  ...REGEXP_FORMS,
  ...SEARCH_FORMS,
  ...NET_FORMS,
  ...HASH_FORMS,
  ...DEBUGGING_FORMS,
}

const OVER_ROWS: AggregateForms = { ...AGGREGATES, ...WINDOW_FORMS }

export const FORMS: ReadonlyMap<string, FunctionSql> = new Map(
  Object.entries(SCALARS).map(([name, form]) => [name, typeof form === 'function' ? { ...PLAIN, write: form } : form]),
)

/** The SQL of aggregate and window functions. */
export const AGGREGATE_FORMS: ReadonlyMap<string, AggregateSql> = new Map(
  Object.entries(OVER_ROWS).map(([name, form]) => [
    name,
    typeof form === 'function' ? { write: form, mayStream: false, list: null } : form,
  ]),
)
