/** The syntax of operators, and of functions with special syntax. */
import type { Node, Template } from './tree.js'

/** The syntax by the name in the catalogue: `{0}` is an argument, `…` the remaining arguments separated by commas. */
export const OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  $add: '({0} + {1})',
  $subtract: '({0} - {1})',
  $multiply: '({0} * {1})',
  $divide: '({0} / {1})',
  $negate: '(- {0})',
  $concat: '({0} || {1})',
  $eq: '({0} = {1})',
  $ne: '({0} != {1})',
  $lt: '({0} < {1})',
  $le: '({0} <= {1})',
  $gt: '({0} > {1})',
  $ge: '({0} >= {1})',
  $and: '({0} AND {1})',
  $or: '({0} OR {1})',
  $not: '(NOT {0})',
  $bitand: '({0} & {1})',
  $bitor: '({0} | {1})',
  $bitxor: '({0} ^ {1})',
  $bitnot: '(~ {0})',
  $shift_left: '({0} << {1})',
  $shift_right: '({0} >> {1})',
  $is_null: '({0} IS NULL)',
  $is_true: '({0} IS TRUE)',
  $is_false: '({0} IS FALSE)',
  $is_distinct: '({0} IS DISTINCT FROM {1})',
  $between: '({0} BETWEEN {1} AND {2})',
  $in: '({0} IN (…))',
  $in_array: '({0} IN UNNEST({1}))',
  $like: '({0} LIKE {1})',
  $like_any: '({0} LIKE ANY (…))',
  $like_all: '({0} LIKE ALL (…))',
  $like_any_array: '({0} LIKE ANY UNNEST({1}))',
  $like_all_array: '({0} LIKE ALL UNNEST({1}))',
  $array_at_offset: '({0})[OFFSET({1})]',
  $array_at_ordinal: '({0})[ORDINAL({1})]',
  $safe_array_at_offset: '({0})[SAFE_OFFSET({1})]',
  $safe_array_at_ordinal: '({0})[SAFE_ORDINAL({1})]',
  $subscript_json: '({0})[{1}]',
}

/** Other forms of operators, by the name in the catalogue: the negated one, such as NOT IN, or `<>` for `!=`. */
export const NEGATED: Readonly<Record<string, string>> = {
  $is_null: '({0} IS NOT NULL)',
  $is_true: '({0} IS NOT TRUE)',
  $is_false: '({0} IS NOT FALSE)',
  $is_distinct: '({0} IS NOT DISTINCT FROM {1})',
  $between: '({0} NOT BETWEEN {1} AND {2})',
  $in: '({0} NOT IN (…))',
  $in_array: '({0} NOT IN UNNEST({1}))',
  $like: '({0} NOT LIKE {1})',
  $like_any: '({0} NOT LIKE ANY (…))',
  $like_all: '({0} NOT LIKE ALL (…))',
  $ne: '({0} <> {1})',
}

/** The template of a text with `{0}` and `…` over these children. */
export function templateOf(text: string, children: readonly Node[]): Template {
  const named = [...text.matchAll(/\{(\d)\}/g)].map(([, digit]) => Number(digit))
  const rest = children.map((_, i) => i).filter(i => !named.includes(i))
  return text
    .split(/(\{\d\}|…)/)
    .flatMap((piece): readonly (string | number)[] => {
      if (piece === '…') return rest.flatMap((i, at) => (at === 0 ? [i] : [', ', i]))
      return [/^\{\d\}$/.test(piece) ? Number(piece[1]) : piece]
    })
    .filter(piece => piece !== '')
}

/**
 * SQL with the same meaning for functions that the reference lacks; it applies only if the first argument has the type
 * `first`.
 */
export const OTHER_WORDS: Readonly<Record<string, { readonly text: string; readonly first?: string }>> = {
  CONTAINS_SUBSTR: { text: '(STRPOS(NORMALIZE_AND_CASEFOLD({0}), NORMALIZE_AND_CASEFOLD({1})) > 0)', first: 'STRING' },
  EUCLIDEAN_DISTANCE: {
    text: '(SELECT SQRT(SUM((p - q) * (p - q))) FROM UNNEST({0}) AS p WITH OFFSET AS i JOIN UNNEST({1}) AS q WITH OFFSET AS j ON i = j)',
  },
  COSINE_DISTANCE: {
    text: '(SELECT 1 - SUM(p * q) / (SQRT(SUM(p * p)) * SQRT(SUM(q * q))) FROM UNNEST({0}) AS p WITH OFFSET AS i JOIN UNNEST({1}) AS q WITH OFFSET AS j ON i = j)',
  },
}
