/** The text of a query with a part of the table in place of the table. */
import { tokenize } from '../lex/tokenize.js'
import type { ResolvedQuery, TableScan } from '../plan/nodes.js'
import { refuse } from './not-kept.js'

/** @throws Refusal where the text does not name the table at the place of the scan, or not as a table alone */
export function narrowedText(
  sql: string,
  query: ResolvedQuery,
  { at, table }: TableScan,
  column: string,
  isWithNulls: boolean,
): string {
  const reference = query.tableReferences.find(one => one.at === at && one.table === table)
  if (!reference) return refuse(`${table} is read by a function`, at)
  const end = endOfPath(sql, at)
  const time = quoted(column)
  const within = `${time} >= @_from AND ${time} <= @_until`
  const condition = isWithNulls ? `(${within}) OR ${time} IS NULL` : within
  const alias = reference.impliedAlias === null ? '' : ` AS ${quoted(reference.impliedAlias)}`
  return `${sql.slice(0, at)}(SELECT * FROM ${sql.slice(at, end)} WHERE ${condition})${alias}${sql.slice(end)}`
}

/** The offset after the path of a table, whose first part may have dashes. */
function endOfPath(sql: string, start: number): number {
  const tokens = tokenize(sql)
  let i = tokens.findIndex(({ at }) => at === start)
  if (tokens[i]?.kind !== 'identifier' && tokens[i]?.kind !== 'quoted')
    return refuse('the table is read by a function', start)
  while (
    tokens[i + 1]?.term === '-' &&
    tokens[i + 1]!.at === tokens[i]!.end &&
    tokens[i + 2]?.at === tokens[i + 1]!.end
  )
    i += 2
  while (tokens[i + 1]?.term === '.') i += 2
  const { end } = tokens[i]!
  const after = tokens.slice(i + 1, i + 4).map(({ term }) => term)
  const hint = tokens[i + 1]
  if (hint?.term === '@') refuse('a hint follows the name of the table', hint.at)
  const time = after.findIndex((term, j) => term === 'FOR' && tokens[i + 2 + j]?.term.startsWith('SYSTEM'))
  if (time >= 0) refuse('FOR SYSTEM_TIME follows the name of the table', tokens[i + 1 + time]!.at)
  return end
}

const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``
