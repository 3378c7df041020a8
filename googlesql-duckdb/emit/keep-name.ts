/** Writes the values of struct fields so that the fields keep their names. */
import { type Fragment, fragment, templateOf } from './fragment.js'

/**
 * Wraps the value of a struct field in coalesce(). Without it, a field whose value is a macro call would lose its name when DuckDB expands
 * the macro. This happens inside the arguments of another macro, and where the macro reads a column of an outer query.
 */
export const keepName = (sql: string): string => `coalesce(${sql}, NULL)`

/** Wraps the SQL like `keepName` where it may be a macro call. DuckDB also has built-in macros, such as `list_max`. */
export const keepNameIfMacro = (sql: Fragment): Fragment => (sql.isMacroCall ? fragment`coalesce(${sql}, NULL)` : sql)

/** Does what `keepNameIfMacro` does, for the text of a template. */
export const keepNameOfTemplate = (text: string): string => (templateOf(text).isMacroCall ? keepName(text) : text)
