/** Text functions that DuckDB does fast and right for ASCII, and where else only in part. */

export const STRING_MACROS: readonly string[] = [
  // DuckDB maps letters one to one: ß stays alone, and Σ at a word's end is not ς. The list keeps the text to one evaluation.
  `bq_upper(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN upper(v$) ELSE bq_upper_text(v$) END)[1]`,
  `bq_lower(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN lower(v$) ELSE bq_lower_text(v$) END)[1]`,
  // DuckDB reverses by grapheme, the language by code point.
  `bq_reverse(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN reverse(v$) ELSE bq_reverse_text(v$) END)[1]`,
  `bq_left(s, n) AS CASE
    WHEN n < 0 THEN bq_raise_for(s, 'Second argument in LEFT() cannot be negative') ELSE "left"(s, n) END`,
  `bq_right(s, n) AS CASE
    WHEN n < 0 THEN bq_raise_for(s, 'Second argument in RIGHT() cannot be negative') ELSE "right"(s, n) END`,
  // Taken in two steps, since a start before the text must not count into the length.
  `bq_substr(s, pos, n) AS CASE
    WHEN n < 0 THEN bq_raise(CASE WHEN s IS NOT NULL AND pos IS NOT NULL THEN 'Third argument in SUBSTR() cannot be negative' END) ELSE substr(substr(s, pos), 1, n) END`,
]
