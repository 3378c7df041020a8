/** Functions of text and bytes. Source: the language reference, "String functions". */
import type { Expr } from '../resolved.js'
import type { Type } from '../types.js'
import { typeName } from '../types.js'
import type { FunctionEntry } from './catalogue.js'

const entry = (
  name: string,
  signatures: readonly string[],
  more: Partial<Omit<FunctionEntry, 'name' | 'signatures'>> = {},
): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `string_functions#${name.toLowerCase()}`,
  ...more,
})

const FORMS = 'WORD(NFC|NFKC|NFD|NFKD)'
const TRIM = ['(STRING, [STRING]) -> STRING', '(BYTES, BYTES) -> BYTES']
const PAD = ['(STRING, INT64, [STRING]) -> STRING', '(BYTES, INT64, [BYTES]) -> BYTES']
const SIDE = ['(STRING, INT64) -> STRING', '(BYTES, INT64) -> BYTES']
const FIND = ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL']
const BOTH = ['(STRING) -> STRING', '(BYTES) -> BYTES']

/** CONCAT makes text of whatever a cast makes text of; BYTES are for BYTES only. */
function checkConcat(args: readonly (Expr | null)[]): string | null {
  const types = args.map(arg => arg!.type)
  const odd = types.find(({ kind }) => kind === 'ARRAY' || kind === 'STRUCT' || kind === 'JSON' || kind === 'BYTES')
  return odd && types.some(type => type.kind !== 'BYTES') ? noText('CONCAT', types) : null
}
const noText = (name: string, types: readonly Type[]): string =>
  `No matching signature for function ${name} for argument types: ${types.map(typeName).join(', ')}. ` +
  `Supported signatures: ${name}(STRING, [STRING, ...]); ${name}(BYTES, [BYTES, ...])`

function checkSearch(args: readonly (Expr | null)[]): string | null {
  const search = args[1]
  if (search?.kind === 'literal' && search.value === null) return 'CONTAINS_SUBSTR: the search value must not be NULL'
  return search?.kind === 'literal' || search?.kind === 'parameter'
    ? null
    : 'CONTAINS_SUBSTR: the search value must be a literal or a parameter'
}

export const STRING_FUNCTIONS: readonly FunctionEntry[] = [
  entry('ASCII', ['(STRING) -> INT64', '(BYTES) -> INT64']),
  entry('BYTE_LENGTH', ['(STRING) -> INT64', '(BYTES) -> INT64'], { aliases: ['OCTET_LENGTH'] }),
  entry('CHAR_LENGTH', ['(STRING) -> INT64'], { aliases: ['CHARACTER_LENGTH'] }),
  entry('CHR', ['(INT64) -> STRING']),
  entry('CODE_POINTS_TO_BYTES', ['(ARRAY<INT64>) -> BYTES']),
  entry('CODE_POINTS_TO_STRING', ['(ARRAY<INT64>) -> STRING']),
  entry('CONCAT', ['(STRING...) -> STRING', '(BYTES...) -> BYTES', '(ANY...) -> STRING'], { check: checkConcat }),
  entry('CONTAINS_SUBSTR', ['(STRING, STRING) -> BOOL', '(ANY, STRING) -> BOOL'], {
    check: checkSearch,
  }),
  entry('EDIT_DISTANCE', [
    '(STRING, STRING, max_distance => INT64) -> INT64',
    '(BYTES, BYTES, max_distance => INT64) -> INT64',
  ]),
  entry('ENDS_WITH', FIND),
  entry('FORMAT', ['(STRING, [ANY...]) -> STRING'], { documentation: 'string_functions#format_string' }),
  entry('FROM_BASE32', ['(STRING) -> BYTES']),
  entry('FROM_BASE64', ['(STRING) -> BYTES']),
  entry('FROM_HEX', ['(STRING) -> BYTES']),
  entry('INITCAP', ['(STRING, [STRING]) -> STRING']),
  entry('INSTR', ['(STRING, STRING, [INT64], [INT64]) -> INT64', '(BYTES, BYTES, [INT64], [INT64]) -> INT64']),
  entry('LEFT', SIDE),
  entry('LENGTH', ['(STRING) -> INT64', '(BYTES) -> INT64']),
  entry('LOWER', BOTH),
  entry('LPAD', PAD),
  entry('LTRIM', TRIM),
  entry('NORMALIZE', [`(STRING, [${FORMS}]) -> STRING`]),
  entry('NORMALIZE_AND_CASEFOLD', [`(STRING, [${FORMS}]) -> STRING`]),
  entry('REPEAT', SIDE),
  entry('REPLACE', ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
  entry('REVERSE', BOTH),
  entry('RIGHT', SIDE),
  entry('RPAD', PAD),
  entry('RTRIM', TRIM),
  entry('SAFE_CONVERT_BYTES_TO_STRING', ['(BYTES) -> STRING']),
  entry('SOUNDEX', ['(STRING) -> STRING']),
  entry('SPLIT', ['(STRING, [STRING]) -> ARRAY<STRING>', '(BYTES, BYTES) -> ARRAY<BYTES>']),
  entry('STARTS_WITH', FIND),
  entry('STRPOS', ['(STRING, STRING) -> INT64', '(BYTES, BYTES) -> INT64']),
  entry('SUBSTR', ['(STRING, INT64, [INT64]) -> STRING', '(BYTES, INT64, [INT64]) -> BYTES'], {
    aliases: ['SUBSTRING'],
  }),
  entry('TO_BASE32', ['(BYTES) -> STRING']),
  entry('TO_BASE64', ['(BYTES) -> STRING']),
  entry('TO_CODE_POINTS', ['(STRING) -> ARRAY<INT64>', '(BYTES) -> ARRAY<INT64>']),
  entry('TO_HEX', ['(BYTES) -> STRING']),
  entry('TRANSLATE', ['(STRING, STRING, STRING) -> STRING', '(BYTES, BYTES, BYTES) -> BYTES']),
  entry('TRIM', TRIM),
  entry('UNICODE', ['(STRING) -> INT64']),
  entry('UPPER', BOTH),
]
