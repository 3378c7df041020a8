/** Gives struct fields expressions that keep the fields' names. */
import { type Fragment, fragment, templateOf } from './fragment.js'

/**
 * A field whose value is a macro call would lose its name when the macro is expanded: inside the arguments of another macro,
 * and where the macro reads a column of an outer query.
 */
export const named = (sql: string): string => `coalesce(${sql}, NULL)`

/** The SQL as `named` where it may be a macro call. DuckDB has built-in macros too, as `list_max`. */
export const namedIfMacro = (sql: Fragment): Fragment => (sql.isMacroCall ? fragment`coalesce(${sql}, NULL)` : sql)

/** The same of a template. */
export const namedTemplate = (text: string): string => (templateOf(text).isMacroCall ? named(text) : text)
