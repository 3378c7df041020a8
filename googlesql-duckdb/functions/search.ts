/** DuckDB SQL of search functions. */
import type { Type } from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import { searchedParts } from '../searched-parts.js'
import type { SqlWriter, SqlWriters } from './function-sql.js'
import { encodedSql } from './strings.js'

/**
 * The SQL of a part as a VARCHAR: SQL's NULL for a part that SEARCH does not read. Returns null for an ARRAY or STRUCT, whose own parts are
 * then encoded.
 */
function searchedSql(sql: string, type: Type): string | null {
  if (searchedParts(type) === null) return 'NULL::VARCHAR'
  if (type.kind === 'STRING') return sql
  return type.kind === 'JSON' ? `CAST(${sql} AS VARCHAR)` : null
}

const search: SqlWriter = ({ sql: [value, query, scope, analyzer, options], args }) => {
  const { type } = args[0]!
  return `CAST(bq_raise_refusal(bq_search(${encodedSql(value!, type, searchedSql)}, ${quoteText(JSON.stringify(searchedParts(type)))}, ${query},
    ${scope ?? `'JSON_VALUES'`}, ${analyzer ?? `'LOG_ANALYZER'`}, ${options ?? 'NULL::VARCHAR'})) AS BOOLEAN)`
}

export const SEARCH_WRITERS: SqlWriters = { SEARCH: search }
