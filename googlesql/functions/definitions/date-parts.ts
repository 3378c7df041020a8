/** Which date parts the date and time functions accept, and the messages that refuse the other parts. */

import type { Expr } from '../../plan/nodes.js'
import { isBareNull } from '../../types/coercion-rules.js'
import type { ScalarKind } from '../../types/types.js'

type Args = readonly (Expr | null)[]
export type Check = (args: Args) => string | null

const WEEKS = [
  'WEEK',
  'WEEK_SUNDAY',
  'WEEK_MONDAY',
  'WEEK_TUESDAY',
  'WEEK_WEDNESDAY',
  'WEEK_THURSDAY',
  'WEEK_FRIDAY',
  'WEEK_SATURDAY',
  'ISOWEEK',
]
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
export const addedTo = (kind: ScalarKind): PartsByType => ({ [kind]: ADDED_PARTS[kind]! })
export const DIFFERENCE_PARTS: PartsByType = {
  DATE: CALENDAR,
  DATETIME: [...CLOCK, ...CALENDAR],
  TIME: CLOCK,
  TIMESTAMP: [...CLOCK, 'DAY'],
}
export const TRUNCATED_PARTS: PartsByType = {
  DATE: CALENDAR,
  DATETIME: [...CLOCK, ...CALENDAR],
  TIME: CLOCK,
  TIMESTAMP: [...CLOCK, ...CALENDAR],
}
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
  // Includes parts that an INTERVAL does not have: to extract them from a value fails, from NULL it returns NULL.
  INTERVAL: [...CLOCK, ...CALENDAR, 'DAYOFWEEK', 'DAYOFYEAR'],
}

/** The parts that an INTERVAL has. */
export const INTERVAL_PARTS: readonly string[] = [...CLOCK, 'DAY', 'MONTH', 'YEAR']

/** The part as authors write it: `WEEK(MONDAY)` for WEEK_MONDAY. */
export const partText = (part: string): string => (part.startsWith('WEEK_') ? `WEEK(${part.slice(5)})` : part)

function refusal(name: string, part: string, kind: string): string {
  return `${name} does not support the ${partText(part)} date part when the argument is ${kind} type`
}

/** With an untyped NULL as the value, a part is accepted if any type has it. Source: the reference implementation. */
const takesPart = (parts: PartsByType, part: string, value: Expr | null | undefined): boolean =>
  isBareNull(value)
    ? Object.values(parts).some(some => some.includes(part))
    : (parts[value?.type.kind as ScalarKind]?.includes(part) ?? false)

/** A check for functions whose argument number `at` is a part and whose argument number `of` is the value; both from 0. */
export function checkPart(name: string, parts: PartsByType, at: number, of: number): Check {
  return args => {
    const part = args[at]
    if (part?.kind !== 'word' || takesPart(parts, part.word, args[of])) return null
    return refusal(name, part.word, args[of]!.type.kind)
  }
}

/**
 * A check for functions whose argument number `at`, counted from 0, is an interval: it must be written `INTERVAL n PART`,
 * with a part that the first argument's type has.
 */
export function checkInterval(name: string, parts: PartsByType, at: number): Check {
  return args => {
    const interval = args[at]
    if (!interval) return null
    const part = interval.kind === 'call' && interval.name === '$interval' ? interval.arguments[1] : null
    const count = interval.kind === 'call' ? interval.arguments[0] : null
    if (part?.kind !== 'word' || count?.type.kind !== 'INT64') {
      return `The interval of ${name} must be written as INTERVAL int64_expression date_part`
    }
    return takesPart(parts, part.word, args[0]) ? null : refusal(name, part.word, args[0]!.type.kind)
  }
}
