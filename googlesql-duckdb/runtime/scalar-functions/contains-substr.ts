/** CONTAINS_SUBSTR: a case-insensitive search through a whole value, after normalisation. */
import type { Type } from '../../../googlesql/types/types.js'
import { partsOf, readableText } from './format/value.js'
import { keepLast } from './keep-last.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'
import { foldCase, normalize } from './strings.js'

const fold = (text: string): string => foldCase(normalize(text, 'NFKC'))
const foldSearch = keepLast(fold)
const typeOf = keepLast((json: string) => JSON.parse(json) as Type)

function containsText(value: string | null, search: string | null): boolean | null {
  if (search === null) fail('CONTAINS_SUBSTR: the search value must not be NULL')
  return value === null ? null : fold(value).includes(foldSearch(search))
}

/**
 * Whether a part of the value contains the text; NULL if no part contains it and a part is NULL. The value is in the encoding
 * of format/value.ts.
 */
function containsIn(value: string | null, type: Type, search: string): boolean | null {
  if (value === null) return null
  if (type.kind !== 'ARRAY' && type.kind !== 'STRUCT') {
    const text = type.kind === 'STRING' || type.kind === 'FLOAT64' ? value : readableText(value, type)
    return fold(text).includes(search)
  }
  let result: boolean | null = false
  for (const [index, part] of partsOf(value).entries()) {
    const contains = containsIn(part, type.kind === 'ARRAY' ? type.element : type.fields[index]!.type, search)
    if (contains) return true
    if (contains === null) result = null
  }
  return result
}

const textOf = (isContained: boolean | null): string | null => (isContained === null ? null : String(isContained))

export const CONTAINS_SUBSTR_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar(
    'bq_contains_substr',
    ['VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (value, search) => textOf(containsText(value, search)),
    { handlesNull: true, refuses: true },
  ),
  scalar(
    'bq_value_contains_substr',
    ['VARCHAR', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (value, type, search) => {
      if (search === null) fail('CONTAINS_SUBSTR: the search value must not be NULL')
      return textOf(containsIn(value, typeOf(type!), foldSearch(search)))
    },
    { handlesNull: true, refuses: true },
  ),
]
