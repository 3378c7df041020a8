/** SEARCH over a whole value. */
import {
  checkScope,
  SearchError,
  SearchRefusal,
  type TextSearch,
  textSearch,
} from '../../../googlesql/values/text-search.js'
import type { SearchedParts } from '../../searched-parts.js'
import { partsOf } from './format/value.js'
import { keepLast } from './keep-last.js'
import { fail, RefusalError, type ScalarFunction, scalar } from './scalar-function.js'

/**
 * TRUE if the search matches a text of the value; otherwise NULL if a text is NULL, else FALSE. The value is in the encoding of
 * format/value.ts.
 */
function isFoundIn(value: string | null, parts: SearchedParts, scope: string, isFound: TextSearch): boolean | null {
  if (parts === null) return false
  if (parts === 'text') return value === null ? null : isFound(value)
  if (parts === 'json') return value === null ? null : isFoundInJson(JSON.parse(value), scope, isFound)
  if ('each' in parts) {
    return value !== null && anyOf(partsOf(value).map(part => isFoundIn(part, parts.each, scope, isFound)))
  }
  const fields = value === null ? null : partsOf(value)
  return anyOf(parts.map((part, index) => isFoundIn(fields?.[index] ?? null, part, scope, isFound)))
}

function anyOf(results: readonly (boolean | null)[]): boolean | null {
  if (results.includes(true)) return true
  return results.includes(null) ? null : false
}

function isFoundInJson(document: unknown, scope: string, isFound: TextSearch): boolean {
  const texts: string[] = []
  const numbersAndBools: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const element of value) visit(element)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (scope !== 'JSON_VALUES') texts.push(key)
        visit(member)
      }
    } else if (scope !== 'JSON_KEYS') {
      if (typeof value === 'string') texts.push(value)
      else if (value !== null) numbersAndBools.push(String(value))
    }
  }
  visit(document)
  if (texts.some(isFound)) return true
  if (!numbersAndBools.some(isFound)) return false
  throw new SearchRefusal('SEARCH: whether numbers and booleans in JSON are searched is not documented')
}

/** `options` is JSON: a string, which holds the analyzer's options, or null. */
const compile = keepLast((parts: string, query: string, analyzer: string, options: string) => ({
  parts: JSON.parse(parts) as SearchedParts,
  begin: textSearch(query, analyzer, JSON.parse(options) as string | null),
}))

export const SEARCH_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: the value, its searched parts as JSON, the query, json_scope, the analyzer, and its options (NULL if absent).
  scalar(
    'bq_search',
    ['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (value, parts, query, scope, analyzer, analyzerOptions) => {
      if (query === null) fail('SEARCH: search_query must not be NULL')
      if (scope === null || analyzer === null) fail('SEARCH: an option must not be NULL')
      try {
        checkScope(scope)
        const search = compile(parts!, query, analyzer, JSON.stringify(analyzerOptions))
        const isMatch = isFoundIn(value, search.parts, scope, search.begin())
        return isMatch === null ? null : String(isMatch)
      } catch (error) {
        if (error instanceof SearchRefusal) throw new RefusalError(error.message)
        if (error instanceof SearchError) fail(error.message)
        throw error
      }
    },
    { handlesNull: true, refuses: true },
  ),
]
