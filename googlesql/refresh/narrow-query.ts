/** Narrows the text of a query: a subquery with a condition on the time stands in place of the table. */
import { type Token, tokenize } from '../lex/tokenize.js'
import type { ResolvedQuery, TableScan } from '../plan/nodes.js'
import { refuse } from './not-kept.js'

/** @param scans the places that read the table @throws Refusal where the text has no name of the table at such a place */
export function narrowedTexts(
  sql: string,
  { tableReferences }: ResolvedQuery,
  scans: readonly TableScan[],
  column: string,
  hasNulls: boolean,
): { readonly narrowed: string; readonly narrowedWithNulls: string } {
  const tokens = tokenize(sql)
  const places = scans.map(({ at, table }) => {
    const reference = tableReferences.find(place => place.at === at && place.table === table)
    if (!reference) return refuse(`${table} is read by a function`, at)
    const alias = reference.impliedAlias === null ? '' : ` AS ${quoteName(reference.impliedAlias)}`
    refuseAfter(tokens, reference.end)
    return { at, end: reference.end, alias }
  })
  places.sort((a, b) => b.at - a.at)
  const where = (condition: string): string =>
    places.reduce(
      (text, { at, end, alias }) =>
        `${text.slice(0, at)}(SELECT * FROM ${text.slice(at, end)} WHERE ${condition})${alias}${text.slice(end)}`,
      sql,
    )
  const time = quoteName(column)
  const within = `${time} >= @_from AND ${time} <= @_until`
  const narrowed = where(within)
  return { narrowed, narrowedWithNulls: hasNulls ? where(`(${within}) OR ${time} IS NULL`) : narrowed }
}

/** Refuses a hint and FOR SYSTEM_TIME after the name of a table, which ends at `end`: neither may follow a subquery. */
function refuseAfter(tokens: readonly Token[], end: number): void {
  const next = tokens.findIndex(({ at }) => at >= end)
  const following = tokens.slice(next, next + 4)
  if (following[0]?.term === '@') refuse('a hint follows the name of the table', following[0].at)
  // AS and an alias may stand between.
  const time = following.find(({ term }, i) => term === 'FOR' && following[i + 1]?.term.startsWith('SYSTEM'))
  if (time) refuse('FOR SYSTEM_TIME follows the name of the table', time.at)
}

/** The name in backticks. */
export const quoteName = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``
