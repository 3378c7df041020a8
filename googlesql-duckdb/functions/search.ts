/** DuckDB SQL of search functions. */
import type { Type } from '../../googlesql/types/types.js'
import { quoteText } from '../emit/quote.js'
import type { Form, Forms } from './function-sql.js'
import { encoded } from './strings.js'

/** Only texts are searched; other parts are left out of the encoding. */
const textOf = (sql: string, { kind }: Type): string => {
  if (kind === 'STRING') return sql
  return kind === 'JSON' ? `CAST(${sql} AS VARCHAR)` : 'NULL::VARCHAR'
}

const search: Form = ({ sql: [value, query, scope, analyzer, options], args }) => {
  const { type } = args[0]!
  return `CAST(bq_unrefused(bq_search(${encoded(value!, type, textOf)}, ${quoteText(JSON.stringify(type))}, ${query},
    ${scope ?? `'JSON_VALUES'`}, ${analyzer ?? `'LOG_ANALYZER'`}, ${options ?? 'NULL::VARCHAR'})) AS BOOLEAN)`
}

export const SEARCH_FORMS: Forms = { SEARCH: search }
