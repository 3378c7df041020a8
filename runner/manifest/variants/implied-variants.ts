/** Checks the texts of a manifest that do not follow from one another. */

import { parseScript, SqlError, type Token } from '../../../googlesql/index.js'
import type { CheckResult } from '../../model/ports.js'
import type { ResultColumn } from '../../model/query.js'
import type { DistinctSql } from '../check/rule.js'
import { followsFrom, type ValidQuery, validQuery } from './implied-validity.js'

/** Of texts that are valid; more would make a template of many rows slow. */
const MAX_COMPARED = 16

/**
 * What `checkOne` says of each text. It is not asked about one that is another, which is valid, with some of its conditions
 * left out: most optional parameters do nothing else, and each doubles the number of texts.
 */
export async function checkNeeded(
  texts: readonly DistinctSql[],
  checkOne: (text: DistinctSql) => Promise<CheckResult>,
): Promise<readonly (readonly [DistinctSql, CheckResult])[]> {
  if (texts.length === 1) return [[texts[0]!, await checkOne(texts[0]!)]]
  const results = new Map<DistinctSql, CheckResult>()
  const valid: { readonly query: ValidQuery; readonly columns: readonly ResultColumn[] }[] = []
  // Those with more conditions are longer.
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
    // No text follows the last one, so none is compared with it.
    if (!result.ok || index === byLength.length - 1) continue
    const query = tokens && readQuery(text.sql, tokens)
    if (!query) continue
    valid.unshift({ query, columns: result.columns })
    valid.length = Math.min(valid.length, MAX_COMPARED)
  }
  return texts.map(text => [text, results.get(text)!])
}

/** Null for what the warehouse alone can read. */
function readQuery(sql: string, tokens: readonly Token[]): ValidQuery | null {
  try {
    return validQuery(parseScript(sql, tokens), tokens)
  } catch (thrown) {
    if (thrown instanceof SqlError) return null
    throw thrown
  }
}
