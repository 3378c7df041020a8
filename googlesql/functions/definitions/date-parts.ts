/** Which date parts the date and time functions accept, and the messages that refuse the other parts. */

import type { Expr } from '../../plan/nodes.js'
import { isBareNull } from '../../plan/walk.js'
import type { ScalarKind } from '../../types/types.js'
import type { ArgRefusal, Check } from '../catalogue.js'

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']
const WEEKS = ['WEEK', ...WEEKDAYS.map(day => `WEEK_${day}`), 'ISOWEEK']
const CLOCK = ['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR']
const CALENDAR = ['DAY', ...WEEKS, 'MONTH', 'QUARTER', 'YEAR', 'ISOYEAR']

/** The date parts that a function accepts, by the type of the value that it is applied to. */
export type PartsByType = Readonly<Partial<Record<ScalarKind, readonly string[]>>>

export const ADDED_PARTS: PartsByType = {
  DATE: ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'],
  DATETIME: [...CLOCK, 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'],
  TIME: CLOCK,
  TIMESTAMP: [...CLOCK, 'DAY'],
}
/** The parts that can be added to a value, for a function that takes values of one type only. */
export const addedPartsOf = (kind: ScalarKind): PartsByType => ({ [kind]: ADDED_PARTS[kind]! })
export const TRUNCATED_PARTS: PartsByType = {
  DATE: CALENDAR,
  DATETIME: [...CLOCK, ...CALENDAR],
  TIME: CLOCK,
  TIMESTAMP: [...CLOCK, ...CALENDAR],
}
export const DIFFERENCE_PARTS: PartsByType = { ...TRUNCATED_PARTS, ...addedPartsOf('TIMESTAMP') }
export const LAST_DAY_PARTS: PartsByType = {
  DATE: CALENDAR.filter(part => part !== 'DAY'),
  DATETIME: CALENDAR.filter(part => part !== 'DAY'),
}
const CIVIL_PARTS = [...CLOCK, ...CALENDAR, 'DAYOFWEEK', 'DAYOFYEAR', 'DATE', 'TIME']
export const EXTRACTED_PARTS: PartsByType = {
  DATE: [...CALENDAR, 'DAYOFWEEK', 'DAYOFYEAR'],
  DATETIME: CIVIL_PARTS,
  TIME: CLOCK,
  TIMESTAMP: [...CIVIL_PARTS, 'DATETIME'],
  // Includes parts that an INTERVAL does not have: EXTRACT of such a part fails for a value, and returns NULL for NULL.
  INTERVAL: [...CLOCK, ...CALENDAR, 'DAYOFWEEK', 'DAYOFYEAR'],
}

/** The words that are date parts, whether or not a function accepts them. */
export const DATE_PARTS: ReadonlySet<string> = new Set([...CIVIL_PARTS, 'DATETIME', 'NANOSECOND'])

/** The parts that an INTERVAL has. */
export const INTERVAL_PARTS: readonly string[] = [...CLOCK, 'DAY', 'MONTH', 'YEAR']

/** The part as authors write it: `WEEK(MONDAY)` for WEEK_MONDAY. */
export const partText = (part: string): string => (part.startsWith('WEEK_') ? `WEEK(${part.slice(5)})` : part)

const refusalOf = (name: string, part: string, kind: string): ArgRefusal => ({
  reason: `${name} does not support the ${partText(part)} date part when the argument is ${kind} type`,
  mistake: { code: 'unsupported-date-part', name, part: part.replace(/^WEEK_.*/, 'WEEK'), type: kind },
})

/** The type that decides which parts a value has: a DATE that was coerced to DATETIME has only the parts of a DATE. */
const kindOfParts = (value: Expr | null | undefined, uncoerced: Expr | null | undefined): ScalarKind =>
  (uncoerced?.type.kind === 'DATE' ? 'DATE' : value?.type.kind) as ScalarKind

/** With an untyped NULL as the value, a part is accepted if any type has it. Source: the reference implementation. */
const takesPart = (parts: PartsByType, part: string, value: Expr | null | undefined, kind: ScalarKind): boolean =>
  isBareNull(value) ? Object.values(parts).some(list => list.includes(part)) : (parts[kind]?.includes(part) ?? false)

/**
 * A check for functions whose first argument is a value, and whose argument at `index` is a part. For truncation, the value's
 * type before coercion decides which parts are accepted.
 */
export function checkPart(name: string, parts: PartsByType, index: number): Check {
  return ([value, ...args], _, uncoerced) => {
    const part = args[index - 1]
    const kind = parts === TRUNCATED_PARTS ? kindOfParts(value, uncoerced[0]) : (value?.type.kind as ScalarKind)
    return part?.kind !== 'word' || takesPart(parts, part.word, value, kind) ? null : refusalOf(name, part.word, kind)
  }
}

/**
 * A check for functions whose argument at `index` is an interval: it must be written `INTERVAL n PART`, with a part that the
 * first argument's type has.
 */
export function checkInterval(name: string, parts: PartsByType, index: number): Check {
  return (args, _, uncoerced) => {
    const interval = args[index]
    if (!interval) return null
    const part = interval.kind === 'call' && interval.name === '$interval' ? interval.arguments[1] : null
    const count = interval.kind === 'call' ? interval.arguments[0] : null
    if (part?.kind !== 'word' || count?.type.kind !== 'INT64') {
      return `The interval of ${name} must be written as INTERVAL int64_expression date_part`
    }
    const kind = parts.DATE === undefined ? (args[0]?.type.kind as ScalarKind) : kindOfParts(args[0], uncoerced[0])
    return takesPart(parts, part.word, args[0], kind) ? null : refusalOf(name, part.word, kind)
  }
}
