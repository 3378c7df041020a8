/**
 * Functions of regular expressions (RE2). They fail for a pattern that is not valid. Source: the language reference, "String
 * functions".
 */
import { CAN_FAIL, type FunctionEntry } from '../catalogue.js'

const entry = (name: string, signatures: readonly string[], aliases: readonly string[] = []): FunctionEntry => ({
  name,
  aliases,
  kind: 'scalar',
  canFail: CAN_FAIL,
  volatility: 'immutable',
  evaluation: 'all',
  signatures,
  documentation: `string_functions#${name.toLowerCase()}`,
})

export const REGEXP_FUNCTIONS: readonly FunctionEntry[] = [
  entry('REGEXP_CONTAINS', ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']),
  entry(
    'REGEXP_EXTRACT',
    ['(STRING, STRING, [INT64], [INT64]) -> STRING', '(BYTES, BYTES, [INT64], [INT64]) -> BYTES'],
    ['REGEXP_SUBSTR'],
  ),
  entry('REGEXP_EXTRACT_ALL', ['(STRING, STRING) -> ARRAY<STRING>', '(BYTES, BYTES) -> ARRAY<BYTES>']),
  entry('REGEXP_INSTR', [
    '(STRING, STRING, [INT64], [INT64], [INT64]) -> INT64',
    '(BYTES, BYTES, [INT64], [INT64], [INT64]) -> INT64',
  ]),
  entry('REGEXP_REPLACE', ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
]
