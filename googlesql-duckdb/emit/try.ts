/** TRY, which gives NULL for what fails. */

/**
 * DuckDB computes each row by itself once one has failed, into memory for one value; a CASE or COALESCE right under TRY
 * then writes beyond it, and reads its value from there (https://github.com/duckdb/duckdb/issues/25280, in 1.5.5). Under a
 * function it has memory of its own.
 */
export const trySql = (sql: string): string => `TRY(list_extract([${sql}], 1))`
