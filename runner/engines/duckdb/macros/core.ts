/** Macros that operators, casts and the macros of every topic rely on. */

export const CORE_MACROS: readonly string[] = [
  // Raises, as a value of any type, for a branch of a CASE: `CASE WHEN ok THEN value ELSE bq_raise('…') END`. A NULL
  // message gives NULL. No CASE here: DuckDB computes a condition that is constant while it plans, and would fail then.
  'bq_raise(message) AS list_extract([NULL], bq_error(message))',
  // The same where `value` is not NULL; it gives NULL there otherwise. A message that is constant DuckDB tries to compute
  // while it plans, in vain, each time and for a quarter of a millisecond; this one is none.
  'bq_raise_for(value, message) AS bq_raise(CASE WHEN value IS NOT NULL THEN message END)',
]
