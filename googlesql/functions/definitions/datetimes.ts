/** DATETIME functions. Source: the language reference, "Datetime functions" and "Time series functions". */
import { type CanFail, type FunctionEntry, functionsOf } from '../catalogue.js'
import { NULL_FROM_NULL } from '../result-facts.js'
import { bucketOf, familyOf } from './time-families.js'

/** A DATE with a TIME always makes a DATETIME. Numbers and text may be out of range, and a time zone may be unknown. */
const ofParts: CanFail = ([first, second]) =>
  first?.type.kind === 'STRING' || (second !== undefined && second !== null && first?.type.kind !== 'DATE')

export const DATETIME_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('DATETIME'),
  functionsOf('datetime_functions')('DATETIME', ofParts, NULL_FROM_NULL, [
    '(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME',
    '(DATE, TIME) -> DATETIME',
    '(TIMESTAMP, [STRING]) -> DATETIME',
    '(DATE) -> DATETIME',
    '(DATETIME) -> DATETIME',
    '(STRING) -> DATETIME',
  ]),
  bucketOf(['DATETIME', 'DATE', 'TIMESTAMP']),
]
