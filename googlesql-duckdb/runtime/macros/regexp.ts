/** Regular expressions whose pattern, position or occurrence is known only at run time. */

export const REGEXP_MACROS: readonly string[] = [
  // The struct makes DuckDB evaluate each argument once. A group that takes no part in a match is NULL in the list.
  `bq_regexp_all(s, p) AS list_transform([{'s': s, 'p': p}], lambda m$: bq_re_all(
    regexp_extract_all(m$.s, bq_re_wrap(m$.p), 1),
    regexp_extract_all(m$.s, bq_re_wrap(m$.p), 2),
    regexp_extract_all(m$.s, bq_re_wrap(m$.p), CAST(2 + bq_re_group(m$.p) AS INTEGER)),
    length(m$.s)))[1]`,
  // A position beyond the end gives no match, except position 1 of an empty text. As in the reference implementation, the end of
  // a STRING is counted in bytes and the position in characters: beyond the last character the text is empty.
  `bq_regexp_end(s, is_bytes) AS CASE WHEN is_bytes THEN length(s) ELSE strlen(s) END`,
  `bq_regexp_from(s, is_bytes, pos) AS list_transform([{'s': s, 'pos': bq_re_position(pos)}], lambda m$:
    CASE WHEN m$.pos = 1 THEN m$.s WHEN m$.pos <= bq_regexp_end(m$.s, is_bytes) THEN substr(m$.s, m$.pos) END)[1]`,
  // Where one argument is NULL, the others are not checked.
  `bq_regexp_nth(s, is_bytes, p, pos, n) AS list_transform([{'s': s, 'p': p, 'pos': pos, 'n': n}], lambda m$: CASE
    WHEN m$.s IS NOT NULL AND m$.p IS NOT NULL AND m$.pos IS NOT NULL AND m$.n IS NOT NULL
    THEN list_extract(bq_regexp_all(bq_regexp_from(m$.s, is_bytes, m$.pos), m$.p), bq_re_occurrence(m$.n)) END)[1]`,
  `bq_regexp_instr(s, is_bytes, p, pos, n, after) AS list_transform(list_transform(
    [{'s': s, 'p': p, 'pos': pos, 'n': n, 'after': after}], lambda m$: CASE
      WHEN m$.s IS NOT NULL AND m$.p IS NOT NULL AND m$.pos IS NOT NULL AND m$.n IS NOT NULL AND m$.after IS NOT NULL
      THEN {'s': m$.s, 'p': m$.p, 'pos': bq_re_position(m$.pos), 'n': bq_re_occurrence(m$.n), 'after': bq_re_return_position(m$.after)} END), lambda m$:
    CASE
      WHEN m$ IS NULL THEN NULL
      WHEN m$.p = '' OR m$.pos > bq_regexp_end(m$.s, is_bytes) THEN 0
      ELSE bq_regexp_place(substr(m$.s, m$.pos), m$.p, bq_re_placed(m$.p), m$.pos, m$.n, m$.after) END)[1]`,
  `bq_regexp_place(s, p, placed, pos, n, after) AS list_transform([{'s': s, 'w': placed}], lambda t$: CAST(bq_unrefused(bq_re_instr(
    list_transform(
      range(1, bq_re_placed_groups(t$.w) + 1), lambda i$: regexp_extract_all(t$.s, t$.w, CAST(i$ AS INTEGER))),
    p, length(t$.s), pos, n, after)) AS BIGINT))[1]`,
]
