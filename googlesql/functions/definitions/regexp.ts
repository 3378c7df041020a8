/**
 * Functions of regular expressions (RE2). They fail for a pattern that is not valid. Source: the language reference, "String
 * functions".
 */
import { CAN_FAIL, each, type FunctionEntry, functionsOf, TEXTS } from '../catalogue.js'
import { NULL_FROM_NULL, UNKNOWN } from '../result-facts.js'

const regexp = functionsOf('string_functions')

export const REGEXP_FUNCTIONS: readonly FunctionEntry[] = [
  regexp('REGEXP_CONTAINS', CAN_FAIL, NULL_FROM_NULL, ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']),
  regexp('REGEXP_EXTRACT', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #, [INT64], [INT64]) -> #'), {
    aliases: ['REGEXP_SUBSTR'],
  }),
  regexp('REGEXP_EXTRACT_ALL', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #) -> ARRAY<#>')),
  regexp('REGEXP_INSTR', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #, [INT64], [INT64], [INT64]) -> INT64')),
  regexp('REGEXP_REPLACE', CAN_FAIL, NULL_FROM_NULL, each(TEXTS, '(#, #, #) -> #')),
]
