/** The whole catalogue: every function of the language that this project knows, by its names. */
import { AGGREGATES } from './aggregates.js'
import { ARRAY_FUNCTIONS } from './arrays.js'
import { BIT_FUNCTIONS } from './bits.js'
import type { FunctionEntry } from './catalogue.js'
import { CONDITIONAL_FUNCTIONS } from './conditional.js'
import { CONVERSION_FUNCTIONS } from './conversion.js'
import { DATE_FUNCTIONS } from './dates.js'
import { DATETIME_FUNCTIONS } from './datetimes.js'
import { DEBUGGING_FUNCTIONS } from './debugging.js'
import { HASH_FUNCTIONS } from './hash.js'
import { INTERVAL_FUNCTIONS } from './intervals.js'
import { JSON_FUNCTIONS } from './json.js'
import { MATH_FUNCTIONS } from './math.js'
import { NET_FUNCTIONS } from './net.js'
import { OPERATORS } from './operators.js'
import { REGEXP_FUNCTIONS } from './regexp.js'
import { STRING_FUNCTIONS } from './strings.js'
import { TIME_FUNCTIONS } from './times.js'
import { TIMESTAMP_FUNCTIONS } from './timestamps.js'
import { WINDOW_FUNCTIONS } from './windows.js'

const TOPICS: readonly (readonly FunctionEntry[])[] = [
  OPERATORS,
  AGGREGATES,
  ARRAY_FUNCTIONS,
  BIT_FUNCTIONS,
  CONDITIONAL_FUNCTIONS,
  CONVERSION_FUNCTIONS,
  DATE_FUNCTIONS,
  DATETIME_FUNCTIONS,
  DEBUGGING_FUNCTIONS,
  HASH_FUNCTIONS,
  INTERVAL_FUNCTIONS,
  JSON_FUNCTIONS,
  MATH_FUNCTIONS,
  NET_FUNCTIONS,
  REGEXP_FUNCTIONS,
  STRING_FUNCTIONS,
  TIME_FUNCTIONS,
  TIMESTAMP_FUNCTIONS,
  WINDOW_FUNCTIONS,
]

const byName = new Map<string, FunctionEntry>()
for (const entry of TOPICS.flat()) {
  for (const name of [entry.name, ...(entry.aliases ?? [])]) byName.set(name, entry)
}

/** The function of this name or alias, in upper case (`NET.HOST`); operators begin with `$`. */
export function findFunction(name: string): FunctionEntry | undefined {
  return byName.get(name)
}

/** All names and aliases, operators left out, for "did you mean". */
export function functionNames(): readonly string[] {
  return [...byName.keys()].filter(name => !name.startsWith('$'))
}

/** Every entry, once. */
export function allFunctions(): readonly FunctionEntry[] {
  return TOPICS.flat()
}
