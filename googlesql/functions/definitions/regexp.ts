/**
 * Functions of regular expressions (RE2). They fail for a pattern that is not valid. Source: the language reference, "String
 * functions".
 */
import { CAN_FAIL, type FunctionEntry } from '../catalogue.js'
import { NULL_FROM_NULL, type ResultFacts, UNKNOWN } from '../result-facts.js'

const entry = (
  name: string,
  result: ResultFacts,
  signatures: readonly string[],
  aliases: readonly string[] = [],
): FunctionEntry => ({
  name,
  aliases,
  kind: 'scalar',
  canFail: CAN_FAIL,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `string_functions#${name.toLowerCase()}`,
})

export const REGEXP_FUNCTIONS: readonly FunctionEntry[] = [
  entry('REGEXP_CONTAINS', NULL_FROM_NULL, ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']),
  entry(
    'REGEXP_EXTRACT',
    UNKNOWN,
    ['(STRING, STRING, [INT64], [INT64]) -> STRING', '(BYTES, BYTES, [INT64], [INT64]) -> BYTES'],
    ['REGEXP_SUBSTR'],
  ),
  entry('REGEXP_EXTRACT_ALL', UNKNOWN, ['(STRING, STRING) -> ARRAY<STRING>', '(BYTES, BYTES) -> ARRAY<BYTES>']),
  entry('REGEXP_INSTR', UNKNOWN, [
    '(STRING, STRING, [INT64], [INT64], [INT64]) -> INT64',
    '(BYTES, BYTES, [INT64], [INT64], [INT64]) -> INT64',
  ]),
  entry('REGEXP_REPLACE', NULL_FROM_NULL, ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
]
