/** The whole catalogue: every function of the language that this project knows, by its names. */

import type { FunctionEntry } from './catalogue.js'
import { AGGREGATES } from './definitions/aggregates.js'
import { ARRAY_FUNCTIONS } from './definitions/arrays.js'
import { CONDITIONAL_FUNCTIONS } from './definitions/conditional.js'
import { DATE_FUNCTIONS, DATETIME_FUNCTIONS, TIME_FUNCTIONS } from './definitions/dates.js'
import { DEBUGGING_FUNCTIONS } from './definitions/debugging.js'
import { HASH_FUNCTIONS } from './definitions/hash.js'
import { INTERVAL_FUNCTIONS } from './definitions/intervals.js'
import { JAVASCRIPT_CALLS } from './definitions/javascript.js'
import { JSON_FUNCTIONS } from './definitions/json.js'
import { MATH_FUNCTIONS } from './definitions/math.js'
import { NET_FUNCTIONS } from './definitions/net.js'
import { OPERATORS } from './definitions/operators.js'
import { RANGE_FUNCTIONS } from './definitions/ranges.js'
import { SEARCH_FUNCTIONS } from './definitions/search.js'
import { STRING_FUNCTIONS } from './definitions/strings.js'
import { TIMESTAMP_FUNCTIONS } from './definitions/timestamps.js'
import { WINDOW_FUNCTIONS } from './definitions/windows.js'

const TOPICS: readonly (readonly FunctionEntry[])[] = [
  OPERATORS,
  AGGREGATES,
  ARRAY_FUNCTIONS,
  CONDITIONAL_FUNCTIONS,
  DATE_FUNCTIONS,
  DATETIME_FUNCTIONS,
  DEBUGGING_FUNCTIONS,
  HASH_FUNCTIONS,
  INTERVAL_FUNCTIONS,
  JSON_FUNCTIONS,
  MATH_FUNCTIONS,
  NET_FUNCTIONS,
  RANGE_FUNCTIONS,
  SEARCH_FUNCTIONS,
  STRING_FUNCTIONS,
  TIME_FUNCTIONS,
  TIMESTAMP_FUNCTIONS,
  WINDOW_FUNCTIONS,
]

const byName = new Map<string, FunctionEntry>()
for (const entry of [...TOPICS.flat(), ...JAVASCRIPT_CALLS]) {
  for (const name of [entry.name, ...(entry.aliases ?? [])]) byName.set(name, entry)
}

/** The function with this name or alias in upper case (`NET.HOST`; operators begin with `$`); undefined for an unknown name. */
export function findFunction(name: string): FunctionEntry | undefined {
  return byName.get(name)
}

/** The names and aliases of all functions except operators, for "did you mean". */
export function functionNames(): readonly string[] {
  return [...byName.keys()].filter(name => !name.startsWith('$'))
}

/** Every function that queries can call. A function with aliases is listed once. */
export function allFunctions(): readonly FunctionEntry[] {
  return TOPICS.flat()
}
