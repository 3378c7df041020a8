/** Checks the SQL texts of a manifest, except those whose validity follows from another text. */

import { orMistake, parseScript, SqlError, type Token } from '../../../googlesql/index.js'
import type { CheckResult } from '../../model/ports.js'
import type { ResultColumn } from '../../model/query.js'
import type { DistinctSql } from '../check/rule.js'
import { followsFrom, type ValidQuery, validQuery } from './implied-validity.js'

/** The most valid texts that a text is compared with; more would make a template with many rows slow. */
const MAX_COMPARED = 16

/**
 * The result of `checkOne` for each text. A text that equals a valid one with some conditions left out is not checked: most
 * optional parameters do nothing else, and each doubles the number of texts.
 */
export async function checkNeeded(
  texts: readonly DistinctSql[],
  checkOne: (text: DistinctSql) => Promise<CheckResult>,
): Promise<readonly (readonly [DistinctSql, CheckResult])[]> {
  if (texts.length === 1) return [[texts[0]!, await checkOne(texts[0]!)]]
  const results = new Map<DistinctSql, CheckResult>()
  const valid: { readonly query: ValidQuery; readonly columns: readonly ResultColumn[] }[] = []
  // Texts with more conditions are longer, so they are checked first.
  const byLength = [...texts].sort((a, b) => b.sql.length - a.sql.length)
  for (const [index, text] of byLength.entries()) {
    const { tokens } = text
    const same = tokens && valid.find(one => followsFrom(tokens, one.query))
    if (same) {
      results.set(text, { ok: true, columns: same.columns })
      continue
    }
    const result = await checkOne(text)
    results.set(text, result)
    // After the last text there is nothing left to compare with it.
    if (!result.ok || index === byLength.length - 1) continue
    const query = tokens && readQuery(text.sql, tokens)
    if (!query) continue
    valid.unshift({ query, columns: result.columns })
    valid.length = Math.min(valid.length, MAX_COMPARED)
  }
  return texts.map(text => [text, results.get(text)!])
}

/** Whether the text is one of these with more conditions, which only leave out more rows, or with other date parts. */
export function hasMoreConditions(text: DistinctSql, than: readonly DistinctSql[]): boolean {
  if (than.length === 0 || text.tokens === null) return false
  const query = readQuery(text.sql, text.tokens)
  return query !== null && than.slice(-MAX_COMPARED).some(({ tokens }) => tokens !== null && followsFrom(tokens, query))
}

/** Parses a query; null where only the warehouse can parse it. */
function readQuery(sql: string, tokens: readonly Token[]): ValidQuery | null {
  const query = orMistake(() => validQuery(parseScript(sql, tokens), tokens))
  return query instanceof SqlError ? null : query
}
