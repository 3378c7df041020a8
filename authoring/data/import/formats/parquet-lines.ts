/** Converts rows of a Parquet file to rows of NDJSON, so that they are checked like all others. */
import {
  type DuckDBConnection,
  DuckDBDecimalType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import type { StructField, TableDefinition, Type } from '../../../../googlesql/index.js'
import { quoteName, quoteText } from '../../../../googlesql-duckdb/index.js'
import { textOfBytes, textOfDecimal } from '../../../../runner/engines/duckdb/tables/file-column.js'
import { fileFault } from '../../../../runner/engines/duckdb/tables/file-fault.js'
import { asList, NARROWER, TOO_WIDE } from '../../../../runner/engines/duckdb/tables/file-types.js'
import { parquetSource, shapeOfFile } from '../../../../runner/engines/duckdb/tables/parquet-source.js'
import { finderOf } from '../../../../runner/engines/duckdb/tables/rows/column-name.js'
import { isTooWide, leavesOf, typeAsRead } from '../../../../runner/engines/duckdb/tables/stored-types.js'
import { chunksOf } from '../../../../runner/engines/duckdb/values/result-chunks.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'

/** Yields the rows as lines, some thousands at a time. @throws QueryFault naming the file. */
export async function* parquetLines(
  connection: DuckDBConnection,
  path: string,
  name: string,
  table: TableDefinition,
): AsyncGenerator<Buffer> {
  const { names, types } = await shapeOfFile(connection, { path, name })
  const find = finderOf(table.columns)
  const members = names.map((column, i) => {
    const type = typeAsRead(types[i]!)
    const wide = leavesOf(type).find(isTooWide)
    if (wide) throw new QueryFault(`${name}: the column ${column} has the type ${wide}, with ${TOO_WIDE}: ${NARROWER}`)
    const sql = wireSql(quoteName(column), type, find(column)?.type, column)
    if (sql !== null) return `${quoteName(column)} := ${sql}`
    throw new QueryFault(`${name}: the column ${column} is ${types[i]}, which no type of BigQuery can hold`)
  })
  const source = parquetSource([path])
  try {
    const result = await connection.stream(`SELECT to_json(struct_pack(${members.join(', ')})) FROM ${source}`)
    for await (const chunk of chunksOf(result)) yield Buffer.from(`${chunk.getColumnValues(0).join('\n')}\n`)
  } catch (cause) {
    throw new QueryFault(`${name}: ${fileFault(cause, 'Parquet')}`, { cause })
  }
}

// Types are compared by name, since DuckDB's type classes do not tell all of these apart.
const AS_JSON = /^(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|VARCHAR|JSON)$/
const AS_TEXT =
  /^(U?HUGEINT|UUID|ENUM\(.*|DATE|TIME|TIMESTAMP(_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ|DECIMAL\(.*)$/

/** SQL that converts the value to a form that `to_json` keeps exactly; null for a type without such a form. */
function wireSql(sql: string, type: DuckDBType, target: Type | undefined, path: string): string | null {
  const list = asList(type)
  if (list) {
    const item = `x${path.split('[]').length}`
    const element = target?.kind === 'ARRAY' ? target.element : undefined
    const inner = wireSql(item, list.valueType, element, `${path}[]`)
    const entries = type.typeId === DuckDBTypeId.MAP ? `map_entries(${sql})` : sql
    return inner && (inner === item ? entries : `list_transform(${entries}, lambda ${item}: ${inner})`)
  }
  if (type instanceof DuckDBStructType) {
    const find = finderOf<StructField>(target?.kind === 'STRUCT' ? target.fields : [])
    const members: string[] = []
    for (const [i, name] of type.entryNames.entries()) {
      const field = `struct_extract(${sql}, ${quoteText(name)})`
      const inner = wireSql(field, type.entryTypes[i]!, find(name)?.type, `${path}.${name}`)
      if (inner === null) return null
      members.push(`${quoteName(name)} := ${inner}`)
    }
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
  }
  const name = String(type)
  if (type instanceof DuckDBDecimalType && target?.kind === 'STRING') return textOfDecimal(sql, type)
  if (AS_TEXT.test(name)) return `CAST(${sql} AS VARCHAR)`
  if (name === 'INTERVAL') return intervalText(sql)
  if (name === 'BLOB') return target?.kind === 'STRING' ? textOfBytes(sql, path, null) : `to_base64(${sql})`
  if (name === 'DOUBLE' || name === 'FLOAT') {
    // JSON has no NaN and no infinities, so these values are written as text.
    const double = `CAST(${sql} AS DOUBLE)`
    return `CASE WHEN isfinite(${double}) THEN to_json(${double}) ELSE to_json(CAST(${double} AS VARCHAR)) END`
  }
  return AS_JSON.test(name) ? sql : null
}

/** SQL of an interval as an ISO 8601 duration; BigQuery does not read the text that DuckDB gives it. */
function intervalText(sql: string): string {
  const part = (name: string): string => `date_part('${name}', ${sql})`
  const exactSeconds = `CAST(${part('microsecond')} AS DECIMAL(10, 0)) * CAST(0.000001 AS DECIMAL(7, 6))`
  const numbers = [part('year'), part('month'), part('day'), part('hour'), part('minute'), exactSeconds]
  const [years, months, days, hours, minutes, seconds] = numbers.map(number => `(${number})`)
  return `'P' || ${years} || 'Y' || ${months} || 'M' || ${days} || 'DT' || ${hours} || 'H' || ${minutes} || 'M' || ${seconds} || 'S'`
}
