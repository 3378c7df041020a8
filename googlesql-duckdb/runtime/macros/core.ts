/** Macros that operators, casts and the macros of every topic rely on. */
import { NATIVE_ERROR_MARK, REFUSAL_MARK } from '../scalar-functions/scalar-function.js'

export const CORE_MACROS: readonly string[] = [
  // Raises, as a value of any type, for a branch of a CASE: `CASE WHEN ok THEN value ELSE bq_raise('…') END`. A NULL
  // message gives NULL. No CASE here: DuckDB computes a condition that is constant while it plans, and would fail then.
  'bq_raise(message) AS list_extract([NULL], bq_error(message))',
  // The same where `value` is not NULL; it gives NULL there otherwise. A message that is constant DuckDB tries to compute
  // while it plans, in vain, each time and for a quarter of a millisecond; this one is none.
  'bq_raise_for(value, message) AS bq_raise(CASE WHEN value IS NOT NULL THEN message END)',
  // Refuses what the embedded engine does not compute, in SAFE. and SAFE_CAST too: TRY lets through what is no error of
  // execution, and of DuckDB's functions this one alone makes such an error of any text that it is given.
  `bq_refuse(message) AS list_extract([NULL], length(json_deserialize_sql(
    '{"error":true,"error_type":"","error_message":' || CAST(to_json('${NATIVE_ERROR_MARK}' || message) AS VARCHAR) || '}')))`,
  // What a scalar function that may refuse has returned.
  `bq_unrefused(answer) AS list_transform([answer], lambda a$: CASE
    WHEN starts_with(a$, '${REFUSAL_MARK}') THEN bq_refuse(substr(a$, ${REFUSAL_MARK.length + 1})) ELSE a$ END)[1]`,
]
