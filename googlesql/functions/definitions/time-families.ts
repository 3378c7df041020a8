/** The functions that DATE, DATETIME, TIME and TIMESTAMP each have, named after the type: DATE_ADD, DATETIME_ADD, … */
import { CAN_FAIL, canFailWith, type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, NULL_FROM_NULL, SMALL_INTEGER, UNKNOWN } from '../result-facts.js'
import { ADDED_PARTS, addedPartsOf, checkInterval, checkPart, DIFFERENCE_PARTS, TRUNCATED_PARTS } from './date-parts.js'

type TimeType = 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP'

/** The types of the values that the functions of a family take; the family's own type is the first. */
const VALUE_TYPES: Readonly<Record<TimeType, readonly TimeType[]>> = {
  DATE: ['DATE', 'DATETIME', 'TIMESTAMP'],
  DATETIME: ['DATETIME', 'TIMESTAMP'],
  TIME: ['TIME'],
  TIMESTAMP: ['TIMESTAMP', 'DATETIME'],
}

/** A TIMESTAMP is truncated, formatted and parsed in a time zone, which is a further argument. */
const withZone = (type: TimeType): string => (type === 'TIMESTAMP' ? ', [STRING]' : '')

/** The functions of one type. A TIME wraps around at midnight, so adding to it cannot fail. */
export function familyOf(family: TimeType): readonly FunctionEntry[] {
  const define = functionsOf(`${family.toLowerCase()}_functions`)
  const types = VALUE_TYPES[family]
  const canFail = family !== 'TIME'
  const shift = (name: string): FunctionEntry => {
    const signatures = types.map(type => `(${type}, INTERVAL) -> ${type}`)
    const parts = family === 'TIME' ? addedPartsOf('TIME') : ADDED_PARTS
    return define(name, canFail, NULL_FROM_NULL, signatures, { check: checkInterval(name, parts, 1) })
  }
  return [
    family === 'TIMESTAMP'
      ? define('CURRENT_TIMESTAMP', NEVER_FAILS, NEVER_NULL, ['() -> TIMESTAMP'], { volatility: 'stable' })
      : define(`CURRENT_${family}`, canFailWith(0), NEVER_NULL, [`([STRING]) -> ${family}`], { volatility: 'stable' }),
    shift(`${family}_ADD`),
    shift(`${family}_SUB`),
    define(
      `${family}_DIFF`,
      NEVER_FAILS,
      family === 'DATE' ? SMALL_INTEGER : NULL_FROM_NULL,
      types.map(type => `(${type}, ${type}, PART) -> INT64`),
      {
        check: checkPart(`${family}_DIFF`, DIFFERENCE_PARTS, 2),
        notForTextConstants: types.slice(1).map(type => `${type}, ${type}, PART`),
      },
    ),
    define(
      `${family}_TRUNC`,
      canFail,
      NULL_FROM_NULL,
      types.map(type => `(${type}, PART${withZone(type)}) -> ${type}`),
      { check: checkPart(`${family}_TRUNC`, TRUNCATED_PARTS, 1) },
    ),
    define(
      `FORMAT_${family}`,
      canFail,
      NULL_FROM_NULL,
      types.map(type => `(STRING, ${type}${withZone(type)}) -> STRING`),
    ),
    define(`PARSE_${family}`, CAN_FAIL, UNKNOWN, [`(STRING, STRING${withZone(family)}) -> ${family}`]),
  ]
}

/** The bucket function named after the first type. A text constant is read as that type, never as another. */
export function bucketOf(types: readonly TimeType[]): FunctionEntry {
  const parameters = types.map(type => `${type}, INTERVAL, [${type}]`)
  const name = `${types[0]}_BUCKET`
  const signatures = types.map((type, i) => `(${parameters[i]}) -> ${type}`)
  return functionsOf('time-series-functions')(name, CAN_FAIL, UNKNOWN, signatures, {
    notForTextConstants: parameters.slice(1),
  })
}
