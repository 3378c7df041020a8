/** Functions of text, bytes and regular expressions (RE2). Source: the language reference, "String functions". */

import { isBareNull } from '../../plan/walk.js'
import { BYTES, isRangeKind, type Type, typeName } from '../../types/types.js'
import {
  type Args,
  CAN_FAIL,
  type CanFail,
  canFailUnlessLiteral,
  canFailWith,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  TEXTS,
} from '../catalogue.js'
import { NULL_FROM_NULL, SMALL_INTEGER, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'

const entry = functionsOf('string_functions')

/** The function can fail where this argument, a length, may be negative: it is given, and is not a literal or is below 0. */
const lengthFails =
  (index: number): CanFail =>
  args => {
    const count = args[index]
    return count !== undefined && count !== null && (count.kind !== 'literal' || String(count.value).startsWith('-'))
  }

const FORMS = 'WORD(NFC|NFKC|NFD|NFKD)'
const TRIM = ['(STRING, [STRING]) -> STRING', '(BYTES, BYTES) -> BYTES']
const PAD = ['(STRING, INT64, [STRING]) -> STRING', '(BYTES, INT64, [BYTES]) -> BYTES']
const SIDE = ['(STRING, INT64) -> STRING', '(BYTES, INT64) -> BYTES']
const FIND = ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']
const BOTH = ['(STRING) -> STRING', '(BYTES) -> BYTES']

/** CONCAT converts to STRING every type that can be cast to STRING, except BYTES, which are joined only with BYTES. */
function checkConcat(args: Args): string | null {
  const types = args.filter(arg => !isBareNull(arg)).map(arg => arg!.type)
  const odd = types.find(({ kind }) => NOT_TEXT.has(kind) || isRangeKind(kind))
  return odd && types.some(type => type.kind !== 'BYTES') ? noSignature('CONCAT', types) : null
}
const NOT_TEXT: ReadonlySet<Type['kind']> = new Set(['ARRAY', 'STRUCT', 'JSON', 'BYTES'])
const noSignature = (name: string, types: readonly Type[]): string =>
  `No matching signature for function ${name} for argument types: ${types.map(typeName).join(', ')}. ` +
  `Supported signatures: ${name}(STRING, [STRING, ...]); ${name}(BYTES, [BYTES, ...])`

function checkSearch(args: Args): string | null {
  const search = args[1]
  if (search?.kind === 'literal' && search.value === null) return 'CONTAINS_SUBSTR: the search value must not be NULL'
  return search?.kind === 'literal' || search?.kind === 'parameter'
    ? null
    : 'CONTAINS_SUBSTR: the search value must be a literal or a parameter'
}

export const STRING_FUNCTIONS: readonly FunctionEntry[] = [
  entry('ASCII', CAN_FAIL, SMALL_INTEGER, ['(STRING) -> INT64', '(BYTES) -> INT64']),
  entry('BYTE_LENGTH', NEVER_FAILS, SMALL_INTEGER, ['(STRING) -> INT64', '(BYTES) -> INT64'], {
    aliases: ['OCTET_LENGTH'],
  }),
  entry('CHAR_LENGTH', NEVER_FAILS, SMALL_INTEGER, ['(STRING) -> INT64'], { aliases: ['CHARACTER_LENGTH'] }),
  entry('CHR', CAN_FAIL, UNKNOWN, ['(INT64) -> STRING']),
  entry('CODE_POINTS_TO_BYTES', CAN_FAIL, UNKNOWN, ['(ARRAY<INT64>) -> BYTES']),
  entry('CODE_POINTS_TO_STRING', CAN_FAIL, UNKNOWN, ['(ARRAY<INT64>) -> STRING']),
  entry('CONCAT', NEVER_FAILS, NULL_FROM_NULL, ['(STRING...) -> STRING', '(BYTES...) -> BYTES', '(ANY...) -> STRING'], {
    check: checkConcat,
    resultType: (args, declared) => (args.some(arg => arg?.type.kind === 'BYTES') ? BYTES : declared!),
  }),
  entry('CONTAINS_SUBSTR', canFailUnlessLiteral(1), UNKNOWN, ['(STRING, STRING) -> BOOL', '(ANY, STRING) -> BOOL'], {
    check: checkSearch,
  }),
  entry('EDIT_DISTANCE', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #, max_distance => INT64) -> INT64')),
  entry('ENDS_WITH', NEVER_FAILS, NULL_FROM_NULL, FIND),
  entry('FORMAT', CAN_FAIL, UNKNOWN, ['(STRING, [ANY...]) -> STRING'], {
    documentation: 'string_functions#format_string',
  }),
  entry('FROM_BASE32', CAN_FAIL, UNKNOWN, ['(STRING) -> BYTES']),
  entry('FROM_BASE64', CAN_FAIL, UNKNOWN, ['(STRING) -> BYTES']),
  entry('FROM_HEX', CAN_FAIL, UNKNOWN, ['(STRING) -> BYTES']),
  entry('INITCAP', NEVER_FAILS, UNKNOWN, ['(STRING, [STRING]) -> STRING']),
  entry('INSTR', canFailWith(2), UNKNOWN, each(TEXTS, '(#, #, [INT64], [INT64]) -> INT64')),
  entry('LEFT', lengthFails(1), NULL_FROM_NULL, SIDE),
  entry('LENGTH', NEVER_FAILS, SMALL_INTEGER, ['(STRING) -> INT64', '(BYTES) -> INT64']),
  entry('LOWER', NEVER_FAILS, NULL_FROM_NULL, BOTH),
  entry('LPAD', CAN_FAIL, NULL_FROM_NULL, PAD),
  entry('LTRIM', NEVER_FAILS, NULL_FROM_NULL, TRIM),
  // Texts with very many combining marks in a row are refused.
  entry('NORMALIZE', CAN_FAIL, UNKNOWN, [`(STRING, [${FORMS}]) -> STRING`]),
  entry('NORMALIZE_AND_CASEFOLD', CAN_FAIL, UNKNOWN, [`(STRING, [${FORMS}]) -> STRING`]),
  // The functions of regular expressions fail for a pattern that is not valid.
  entry('REGEXP_CONTAINS', CAN_FAIL, NULL_FROM_NULL, ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']),
  entry('REGEXP_EXTRACT', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #, [INT64], [INT64]) -> #'), {
    aliases: ['REGEXP_SUBSTR'],
  }),
  entry('REGEXP_EXTRACT_ALL', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #) -> ARRAY<#>')),
  entry('REGEXP_INSTR', CAN_FAIL, UNKNOWN, each(TEXTS, '(#, #, [INT64], [INT64], [INT64]) -> INT64')),
  entry('REGEXP_REPLACE', CAN_FAIL, NULL_FROM_NULL, each(TEXTS, '(#, #, #) -> #')),
  entry('REPEAT', CAN_FAIL, NULL_FROM_NULL, SIDE),
  entry('REPLACE', CAN_FAIL, NULL_FROM_NULL, ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
  entry('REVERSE', NEVER_FAILS, NULL_FROM_NULL, BOTH),
  entry('RIGHT', lengthFails(1), NULL_FROM_NULL, SIDE),
  entry('RPAD', CAN_FAIL, NULL_FROM_NULL, PAD),
  entry('RTRIM', NEVER_FAILS, NULL_FROM_NULL, TRIM),
  entry('SAFE_CONVERT_BYTES_TO_STRING', NEVER_FAILS, UNKNOWN, ['(BYTES) -> STRING']),
  entry('SOUNDEX', NEVER_FAILS, UNKNOWN, ['(STRING) -> STRING']),
  entry('SPLIT', NEVER_FAILS, WITHOUT_NULL, ['(STRING, [STRING]) -> ARRAY<STRING>', '(BYTES, BYTES) -> ARRAY<BYTES>']),
  entry('STARTS_WITH', NEVER_FAILS, NULL_FROM_NULL, FIND),
  entry('STRPOS', NEVER_FAILS, SMALL_INTEGER, ['(STRING, STRING) -> INT64', '(BYTES, BYTES) -> INT64']),
  entry('SUBSTR', lengthFails(2), NULL_FROM_NULL, each(TEXTS, '(#, INT64, [INT64]) -> #'), { aliases: ['SUBSTRING'] }),
  entry('TO_BASE32', NEVER_FAILS, UNKNOWN, ['(BYTES) -> STRING']),
  entry('TO_BASE64', NEVER_FAILS, NULL_FROM_NULL, ['(BYTES) -> STRING']),
  entry('TO_CODE_POINTS', NEVER_FAILS, UNKNOWN, ['(STRING) -> ARRAY<INT64>', '(BYTES) -> ARRAY<INT64>']),
  entry('TO_HEX', NEVER_FAILS, NULL_FROM_NULL, ['(BYTES) -> STRING']),
  entry('TRANSLATE', CAN_FAIL, UNKNOWN, ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
  entry('TRIM', NEVER_FAILS, NULL_FROM_NULL, TRIM),
  entry('UNICODE', NEVER_FAILS, SMALL_INTEGER, ['(STRING) -> INT64']),
  entry('UPPER', NEVER_FAILS, NULL_FROM_NULL, BOTH),
]
