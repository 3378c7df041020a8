/** Fields of structs that keep their names. */
import { type Fragment, fragment, templateOf } from './fragment.js'

/**
 * A field that is a macro's call would lose its name when the macro is written out: in the arguments of another, and where
 * it reads a column of an outer query.
 */
export const named = (sql: string): string => `coalesce(${sql}, NULL)`

/** The same where the SQL may be a macro's call; DuckDB has macros of its own, as `list_max` is one. */
export const namedIfMacro = (sql: Fragment): Fragment => (sql.isMacroCall ? fragment`coalesce(${sql}, NULL)` : sql)

/** The same of a template. */
export const namedTemplate = (text: string): string => (templateOf(text).isMacroCall ? named(text) : text)
