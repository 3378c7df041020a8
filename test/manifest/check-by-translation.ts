/** The check of SQL that `validate` uses, without an engine: resolve and translate. */
import { translate } from '../../runner/engines/duckdb/translate.js'
import { SqlError } from '../../runner/googlesql/sql-error.js'
import type { TableCatalogue } from '../../runner/googlesql/tables.js'
import { arrayOf, scalarType, type Type, typeName } from '../../runner/googlesql/types.js'
import type { CheckSql } from '../../runner/manifest/check-sql.js'

export function checkByTranslation(tables: TableCatalogue): CheckSql {
  return (sql, types) => {
    const parameterTypes = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typeOf(type)]))
    try {
      const { columns } = translate(sql, tables, parameterTypes)
      return { ok: true, columns: columns.map(({ name, column }) => ({ name, type: typeName(column.type) })) }
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
