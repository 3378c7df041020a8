/** Fields of structs that keep their names. */

/**
 * A field that is a macro's call would lose its name when the macro is written out: in the arguments of another, and where
 * it reads a column of an outer query.
 */
export const named = (sql: string): string => `coalesce(${sql}, NULL)`

/** The same where the SQL may be a macro's call. */
export const namedIfMacro = (sql: string): string => (/^\(*bq_/.test(sql) ? named(sql) : sql)
