/** Macros that operators, casts and the macros of every topic rely on. */

export const CORE_MACROS: readonly string[] = [
  // Raises, as a value of any type, for a branch of a CASE: `CASE WHEN ok THEN value ELSE bq_raise('…') END`. A NULL
  // message gives NULL. No CASE here: DuckDB computes a condition that is constant while it plans, and would fail then.
  'bq_raise(message) AS list_extract([NULL], bq_error(message))',
]
