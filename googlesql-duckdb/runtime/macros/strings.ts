/** Text functions that DuckDB computes fast and correctly for ASCII, and only partly for other text. */

export const STRING_MACROS: readonly string[] = [
  // DuckDB maps letters one to one: ß stays ß, and Σ at the end of a word does not become ς. The list makes DuckDB evaluate
  // the text once.
  `bq_upper(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN upper(v$) ELSE bq_upper_text(v$) END)[1]`,
  `bq_lower(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN lower(v$) ELSE bq_lower_text(v$) END)[1]`,
  // DuckDB reverses graphemes; GoogleSQL reverses code points.
  `bq_reverse(s) AS list_transform([s], lambda v$:
    CASE WHEN strlen(v$) = length(v$) THEN reverse(v$) ELSE bq_reverse_text(v$) END)[1]`,
  // DuckDB refuses positions and lengths beyond these bounds.
  `bq_place(n) AS CASE WHEN n > 4294967295 THEN 4294967295 WHEN n < -4294967295 THEN -4294967295 ELSE n END`,
  `bq_left(s, n) AS CASE
    WHEN n < 0 THEN bq_raise_for(s, 'Second argument in LEFT() cannot be negative') ELSE "left"(s, n) END`,
  `bq_right(s, n) AS CASE
    WHEN n < 0 THEN bq_raise_for(s, 'Second argument in RIGHT() cannot be negative') ELSE "right"(s, n) END`,
  `bq_edit_distance(a, b, most) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL AND most IS NOT NULL
    THEN coalesce(bq_edit_distance_of(a, b, most), bq_exceeded('EDIT_DISTANCE compares texts that are too long')) END`,
  // The macro cuts in two steps, since a start position before the text must not reduce the length.
  `bq_substr(s, pos, n) AS CASE
    WHEN n < 0 THEN bq_raise(CASE WHEN s IS NOT NULL AND pos IS NOT NULL THEN 'Third argument in SUBSTR() cannot be negative' END) ELSE substr(substr(s, pos), 1, n) END`,
]
