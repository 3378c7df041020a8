/** TRY, which returns NULL where its operand fails. */

/**
 * The SQL in TRY. After a failure DuckDB computes each row separately, into memory for one value. A CASE or COALESCE directly under TRY
 * then writes beyond that memory, and reads its value from there (https://github.com/duckdb/duckdb/issues/25280, in 1.5.5). So a function,
 * list_extract, is put between them: under a function, a CASE has memory of its own.
 */
export const trySql = (sql: string): string => `TRY(list_extract([${sql}], 1))`
