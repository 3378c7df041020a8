/** Macros that operators, casts and other macros call. */
import { NATIVE_ERROR_MARK, REFUSAL_MARK } from '../scalar-functions/scalar-function.js'

export const CORE_MACROS: readonly string[] = [
  // Raises an error as a value of any type, for a branch of a CASE: `CASE WHEN ok THEN value ELSE bq_raise('…') END`. A NULL
  // message gives NULL. The macro has no CASE of its own: DuckDB would evaluate a constant condition during planning, and raise
  // the error then.
  'bq_raise(message) AS list_extract([NULL], bq_error(message))',
  // Raises an error where `value` is not NULL, and gives NULL elsewhere. The condition makes the message non-constant, so
  // that DuckDB does not try to fold it while planning (0.25 ms each).
  'bq_raise_for(value, message) AS bq_raise(CASE WHEN value IS NOT NULL THEN message END)',
  // Refuses a computation that the embedded engine does not support, even inside SAFE. and SAFE_CAST. They are written with TRY,
  // which does not catch errors other than execution errors; json_deserialize_sql is DuckDB's only function that raises such an
  // error with any given text.
  `bq_refuse(message) AS list_extract([NULL], length(json_deserialize_sql(
    '{"error":true,"error_type":"","error_message":' || CAST(to_json('${NATIVE_ERROR_MARK}' || message) AS VARCHAR) || '}')))`,
  // For a scalar function that returns NULL where it would compute for too long, since it cannot be interrupted:
  // `coalesce(bq_name(…), bq_exceeded('…'))`.
  "bq_exceeded(reason) AS bq_refuse('Resources exceeded during query execution: ' || reason)",
  // The result of a scalar function that may refuse: raises the error if `answer` is a refusal.
  `bq_raise_refusal(answer) AS list_transform([answer], lambda a$: CASE
    WHEN starts_with(a$, '${REFUSAL_MARK}') THEN bq_refuse(substr(a$, ${REFUSAL_MARK.length + 1})) ELSE a$ END)[1]`,
]
