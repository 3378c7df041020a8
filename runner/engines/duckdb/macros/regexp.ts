/** Regular expressions whose pattern, position or occurrence is only known when the query runs. */

export const REGEXP_MACROS: readonly string[] = [
  // The struct keeps each argument to one evaluation. A group that takes no part in a match is NULL in the list.
  `bq_regexp_all(s, p) AS list_transform([{'s': s, 'p': p}], lambda m: bq_re_all(
    regexp_extract_all(m.s, bq_re_wrap(m.p), 1),
    regexp_extract_all(m.s, bq_re_wrap(m.p), 2),
    regexp_extract_all(m.s, bq_re_wrap(m.p), CAST(2 + bq_re_group(m.p) AS INTEGER)),
    length(m.s)))[1]`,
  // A position behind the end finds nothing; the empty text has a first position all the same.
  `bq_regexp_from(s, pos) AS list_transform([{'s': s, 'pos': bq_re_position(pos)}], lambda m:
    CASE WHEN m.pos = 1 THEN m.s WHEN m.pos <= length(m.s) THEN substr(m.s, m.pos) END)[1]`,
  `bq_regexp_nth(s, p, pos, n) AS CASE
    WHEN n IS NOT NULL THEN list_extract(bq_regexp_all(bq_regexp_from(s, pos), p), bq_re_occurrence(n)) END`,
  // Without a group, group 3 of the wrapped pattern does not exist: its whole match stands for the group, and nothing for
  // what is before it.
  `bq_regexp_instr(s, p, pos, n, after) AS list_transform(
    [{'s': s, 'p': p, 'pos': bq_re_position(pos), 'n': bq_re_occurrence(n), 'after': bq_re_return_position(after)}], lambda m:
    CASE
      WHEN m.s IS NULL OR m.p IS NULL OR m.pos IS NULL OR m.n IS NULL OR m.after IS NULL THEN NULL
      WHEN m.p = '' OR m.pos > length(m.s) THEN 0
      ELSE bq_regexp_place(substr(m.s, m.pos), m.p, bq_re_wrap_placed(m.p), bq_re_group(m.p), m.pos, m.n, m.after) END)[1]`,
  `bq_regexp_place(s, p, w, g, pos, n, after) AS bq_re_instr(
    regexp_extract_all(s, w, 1),
    regexp_extract_all(s, w, 2),
    CASE WHEN g = 0 THEN [] ELSE regexp_extract_all(s, w, CAST(g + 2 AS INTEGER)) END,
    regexp_extract_all(s, w, CAST(CASE WHEN g = 0 THEN 2 ELSE 4 END AS INTEGER)),
    length(s), pos, n, after)`,
]
