/** Converts rows of a Parquet file to rows of NDJSON, so that they are checked like all others. */
import type { DuckDBConnection, DuckDBListType, DuckDBStructType, DuckDBType } from '@duckdb/node-api'
import { quoteName, quoteText } from '../../../../googlesql-duckdb/index.js'
import { parquetSource, shapeOf } from '../../../../runner/engines/duckdb/tables/parquet-source.js'
import { chunksOf } from '../../../../runner/engines/duckdb/values/result-chunks.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'

/** Yields the rows as lines, some thousands at a time. @throws QueryFault naming the file. */
export async function* parquetLines(connection: DuckDBConnection, path: string, name: string): AsyncGenerator<Buffer> {
  const source = parquetSource([path])
  const { names, types } = await shapeOf(connection, source).catch(cause => {
    throw new QueryFault(`${name}: the file is not a Parquet file, or a damaged one`, { cause })
  })
  const members = names.map((column, i) => {
    const sql = wireSql(quoteName(column), types[i]!, 0)
    if (sql !== null) return `${quoteName(column)} := ${sql}`
    throw new QueryFault(`${name}: the column ${column} is ${types[i]}, which no type of BigQuery can hold`)
  })
  const result = await connection.stream(`SELECT to_json(struct_pack(${members.join(', ')})) FROM ${source}`)
  try {
    for await (const chunk of chunksOf(result)) yield Buffer.from(`${chunk.getColumnValues(0).join('\n')}\n`)
  } catch (cause) {
    throw new QueryFault(`${name}: the file is damaged`, { cause })
  }
}

// Types are compared by name, since DuckDB's type classes are loaded only where DuckDB runs.
const AS_JSON = /^(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|VARCHAR|JSON)$/
const AS_TEXT =
  /^(U?HUGEINT|UUID|ENUM\(.*|DATE|TIME|TIMESTAMP(_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ|DECIMAL\(.*)$/
const isList = (type: DuckDBType): type is DuckDBListType => 'valueType' in type && String(type).endsWith('[]')
const isStruct = (type: DuckDBType): type is DuckDBStructType => 'entryNames' in type

/** SQL that converts the value to a form that `to_json` keeps exactly; null for a type without such a form. */
function wireSql(sql: string, type: DuckDBType, depth: number): string | null {
  if (isList(type)) {
    const item = `x${depth}`
    const inner = wireSql(item, type.valueType, depth + 1)
    return inner && (inner === item ? sql : `list_transform(${sql}, lambda ${item}: ${inner})`)
  }
  if (isStruct(type)) {
    const members: string[] = []
    for (const [i, name] of type.entryNames.entries()) {
      const inner = wireSql(`struct_extract(${sql}, ${quoteText(name)})`, type.entryTypes[i]!, depth)
      if (inner === null) return null
      members.push(`${quoteName(name)} := ${inner}`)
    }
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
  }
  const name = String(type)
  if (AS_TEXT.test(name)) return `CAST(${sql} AS VARCHAR)`
  if (name === 'BLOB') return `to_base64(${sql})`
  if (name === 'DOUBLE' || name === 'FLOAT') {
    // JSON has no NaN and no infinities, so these values are written as text.
    const double = `CAST(${sql} AS DOUBLE)`
    return `CASE WHEN isfinite(${double}) THEN to_json(${double}) ELSE to_json(CAST(${double} AS VARCHAR)) END`
  }
  return AS_JSON.test(name) ? sql : null
}
