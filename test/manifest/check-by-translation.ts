/** The SQL check of `validate`, without an engine: resolves and translates the query. */

import { orMistake, SqlError } from '../../googlesql/sql-error.js'
import type { TableCatalogue } from '../../googlesql/tables.js'
import { arrayOf, scalarType, type Type } from '../../googlesql/types/types.js'
import { translate } from '../../googlesql-duckdb/translate.js'
import { checkedColumn } from '../../runner/engines/checked-column.js'
import type { CheckSql } from '../../runner/manifest/check/sql.js'

export function checkByTranslation(tables: TableCatalogue): CheckSql {
  return (sql, types) => {
    const parameterTypes = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typeOf(type)]))
    const query = orMistake(() => translate(sql, tables, parameterTypes))
    if (query instanceof SqlError) return { ok: false, problem: query.problem }
    return { ok: true, columns: query.columns.map(checkedColumn) }
  }
}

function typeOf(text: string): Type {
  const element = /^ARRAY<(.*)>$/.exec(text)?.[1]
  return element === undefined ? scalarType(text)! : arrayOf(scalarType(element)!)
}
