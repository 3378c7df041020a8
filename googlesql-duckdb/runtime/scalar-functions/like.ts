/** LIKE as a regular expression, for BYTES, and for texts and patterns for which DuckDB's own LIKE takes too long. */
import { keepLast } from './keep-last.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

/** The regular expression for a pattern. @throws ScalarFunctionError for a pattern that ends in an escape, whatever the text is */
const regexpOf = keepLast((pattern: string): string => {
  const regexp = pattern.replace(/%+|\\?./gsu, part => {
    if (part === '\\') fail('LIKE pattern ends with a backslash')
    if (part.startsWith('%')) return '.*'
    return part === '_' ? '.' : `\\x{${part.replace(/^\\/, '').codePointAt(0)!.toString(16)}}`
  })
  return `(?s)${regexp}`
})

export const LIKE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_like_regexp', ['VARCHAR'], 'VARCHAR', regexpOf),
]
