/** INTERVAL functions and the INTERVAL operator. Source: the language reference, "Interval functions" and "Data types". */
import type { Expr, WordExpr } from '../../plan/nodes.js'
import { readInterval } from '../../values/interval-text.js'
import { type ArgRefusal, CAN_FAIL, type Check, type FunctionEntry, functionsOf } from '../catalogue.js'
import { NULL_FROM_NULL } from '../result-facts.js'
import { partText } from './date-parts.js'

const interval = functionsOf('interval_functions')

const RANGE_PARTS = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND']
const SINGLE_PARTS = [...RANGE_PARTS, 'QUARTER', 'WEEK', 'MILLISECOND', 'MICROSECOND']
/** The parts of an interval that is written as text. QUARTER and WEEK cannot stand in a range such as YEAR TO MONTH. */
export const TEXT_PARTS = [...RANGE_PARTS, 'QUARTER', 'WEEK']

const checkText = (value: Expr | null | undefined, from: string, to: string): ArgRefusal | string | null => {
  if (value?.type.kind !== 'STRING') return null
  if (value.kind === 'literal') {
    const parts = value.value === null ? [] : readInterval(value.value as string, from, to)
    return typeof parts === 'string' ? parts : null
  }
  // The reference implementation takes a cast of a literal for a literal.
  if (value.kind === 'cast' && value.operand.kind === 'literal') return null
  return {
    reason:
      'Invalid interval literal. Expected INTERVAL keyword to be followed by an INT64 expression or STRING literal',
    mistake: { code: 'interval-value' },
  }
}

const checkParts: Check = ([value, part, to]) => {
  if (part?.kind !== 'word') return null
  return checkNames(value, part, to) ?? checkText(value, part.word, to?.kind === 'word' ? to.word : '')
}

const checkNames = (value: Expr | null | undefined, part: WordExpr, to: Expr | null | undefined): string | null => {
  const from = part.word
  if (to?.kind === 'word') {
    if (value?.type.kind !== 'STRING') return 'Invalid interval literal. Expected STRING value for a range of parts'
    const isRange = RANGE_PARTS.includes(from) && RANGE_PARTS.indexOf(to.word) > RANGE_PARTS.indexOf(from)
    return isRange ? null : `Invalid interval datetime fields: ${partText(from)} TO ${partText(to.word)}`
  }
  // The part is checked only for a number that is not NULL: a NULL number gives a NULL interval, whatever the part is.
  if (value?.type.kind === 'INT64' && isNull(value)) return null
  const parts = value?.type.kind === 'STRING' ? TEXT_PARTS : SINGLE_PARTS
  return parts.includes(from) ? null : `Unsupported interval datetime field ${partText(from)}`
}

const isNull = (expr: Expr): boolean =>
  expr.kind === 'literal' ? expr.value === null : expr.kind === 'cast' && isNull(expr.operand)

export const INTERVAL_FUNCTIONS: readonly FunctionEntry[] = [
  interval('$interval', CAN_FAIL, NULL_FROM_NULL, ['(INT64, PART) -> INTERVAL', '(STRING, PART, [PART]) -> INTERVAL'], {
    documentation: 'data-types#interval_type',
    check: checkParts,
  }),
  interval('MAKE_INTERVAL', CAN_FAIL, NULL_FROM_NULL, [
    '([year => INT64, month => INT64, day => INT64, hour => INT64, minute => INT64, second => INT64]) -> INTERVAL',
  ]),
  ...['JUSTIFY_DAYS', 'JUSTIFY_HOURS', 'JUSTIFY_INTERVAL'].map(name =>
    interval(name, CAN_FAIL, NULL_FROM_NULL, ['(INTERVAL) -> INTERVAL']),
  ),
]
