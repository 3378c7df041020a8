/** The SQL check of `validate`, without an engine: resolves and translates the query. */

import { SqlError } from '../../googlesql/sql-error.js'
import type { TableCatalogue } from '../../googlesql/tables.js'
import { arrayOf, scalarType, type Type } from '../../googlesql/types/types.js'
import { translate } from '../../googlesql-duckdb/translate.js'
import { checkedColumn } from '../../runner/engines/checked-column.js'
import type { CheckSql } from '../../runner/manifest/check/sql.js'

export function checkByTranslation(tables: TableCatalogue): CheckSql {
  return (sql, types) => {
    const parameterTypes = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typeOf(type)]))
    try {
      const { columns } = translate(sql, tables, parameterTypes)
      return { ok: true, columns: columns.map(checkedColumn) }
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      return { ok: false, problem: { ...error.place, message: error.reason } }
    }
  }
}

function typeOf(text: string): Type {
  const element = /^ARRAY<(.*)>$/.exec(text)?.[1]
  return element === undefined ? scalarType(text)! : arrayOf(scalarType(element)!)
}
