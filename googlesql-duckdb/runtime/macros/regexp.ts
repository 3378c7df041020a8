/** Regular expressions whose pattern, position or occurrence is known only at run time. */

/** An alternative that matches nothing. It is put before patterns that DuckDB's optimiser must not rewrite. */
export const NO_MATCH_OR = '[^\\x00-\\x{10FFFF}]|'

export const REGEXP_MACROS: readonly string[] = [
  // RE2 takes linear time only while its automaton fits into its memory; otherwise its time is the text's length times the pattern's size.
  // Compiling a pattern takes a microsecond for each part. For a small constant pattern, DuckDB computes the test while it plans. The test
  // gives the text: while DuckDB plans, it would compute a function of constants in a branch that is not taken.
  `bq_re_subject(s, p) AS CASE
    WHEN bq_re_size(p) > 300 AND (bq_re_size(p) > 5000 OR strlen(s) * bq_re_size(p) > 5000000)
    THEN bq_exceeded('a regular expression is too large for the text that it searches') ELSE s END`,
  // DuckDB turns regexp_matches into LIKE where a constant pattern is literal text. It treats an anchor or an empty group inside the text
  // as if it stood at the end, so that '-^' would match '-'. It does not rewrite an alternation.
  `bq_re_contains(s, p) AS regexp_matches(s, CASE
    WHEN contains(substr(p, 2), '^') OR contains(substr(p, 1, length(p) - 1), '$') OR contains(p, ':)') OR contains(p, '\\A') OR contains(p, '\\z')
    THEN '${NO_MATCH_OR}' || p ELSE p END)`,
  // In ASCII text, characters are bytes, so that DuckDB can encode it. A call of JavaScript for each of thousands of matches would take
  // longer than the search.
  `bq_bytes_of_latin1(text) AS CASE WHEN strlen(text) = length(text) THEN encode(text) ELSE bq_from_latin1(text) END`,
  // The result is at most 8 MB. Each match adds the replacement; each reference in the replacement adds, over all matches together, at
  // most the text once. The matches are counted only where the result could be longer than 8 MB.
  // `searched` is the text as bq_re_subject gives it.
  `bq_regexp_replace(s, searched, p, rewrite) AS CASE
    WHEN strlen(s) * strlen(rewrite) > 8388608 AND strlen(s) * (strlen(rewrite) - strlen(replace(rewrite, '\\', ''))) + len(regexp_extract_all(searched, p)) * strlen(rewrite) > 8388608
    THEN bq_exceeded('the result of REGEXP_REPLACE is too long')
    ELSE regexp_replace(searched, p, bq_re_rewrite(rewrite, p), 'g') END`,
  "bq_re_position(n) AS CASE WHEN n < 1 THEN bq_raise('Position must be positive') ELSE n END",
  "bq_re_occurrence(n) AS CASE WHEN n < 1 THEN bq_raise('Occurrence must be positive') ELSE n END",
  "bq_re_return_position(n) AS CASE WHEN n NOT IN (0, 1) THEN bq_raise('Invalid return_position_after_match.') ELSE n END",
  // A position beyond the end gives no match, except position 1 of an empty text. As in the reference implementation, the end of
  // a STRING is counted in bytes and the position in characters: a position between the two reads an empty text.
  `bq_regexp_end(s, is_bytes) AS CASE WHEN is_bytes THEN length(s) ELSE strlen(s) END`,
  `bq_regexp_from(s, is_bytes, pos) AS list_transform([{'s': s, 'pos': bq_re_position(pos)}], lambda m$:
    CASE WHEN m$.pos = 1 THEN m$.s WHEN m$.pos <= bq_regexp_end(m$.s, is_bytes) THEN substr(m$.s, m$.pos) END)[1]`,
  // The struct makes DuckDB evaluate each argument once. Where one argument is NULL, the others are not checked.
  `bq_regexp_nth(s, is_bytes, p, pos, n) AS list_transform([{'s': s, 'p': p, 'pos': pos, 'n': n}], lambda m$: CASE
    WHEN m$.s IS NOT NULL AND m$.p IS NOT NULL AND m$.pos IS NOT NULL AND m$.n IS NOT NULL
    THEN list_extract(bq_re_all(bq_regexp_from(m$.s, is_bytes, m$.pos), m$.p), bq_re_occurrence(m$.n)) END)[1]`,
  `bq_regexp_instr(s, is_bytes, p, pos, n, after) AS list_transform(list_transform(
    [{'s': s, 'p': p, 'pos': pos, 'n': n, 'after': after}], lambda m$: CASE
      WHEN m$.s IS NOT NULL AND m$.p IS NOT NULL AND m$.pos IS NOT NULL AND m$.n IS NOT NULL AND m$.after IS NOT NULL
      THEN {'s': m$.s, 'p': m$.p, 'pos': bq_re_position(m$.pos), 'n': bq_re_occurrence(m$.n), 'after': bq_re_return_position(m$.after)} END), lambda m$:
    CASE
      WHEN m$ IS NULL THEN NULL
      WHEN m$.p = '' OR m$.pos > bq_regexp_end(m$.s, is_bytes) THEN 0
      ELSE bq_re_instr(substr(m$.s, m$.pos), m$.p, m$.pos, m$.n, m$.after) END)[1]`,
]
