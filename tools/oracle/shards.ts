/** Wildcard tables for the reference implementation, which does not support them: each is written as an equal UNION ALL. */
import { isShardOf } from '../../googlesql/index.js'
import { type StructField, typeName } from '../../googlesql/types/types.js'

/**
 * The query with a subquery in the place of each wildcard table whose shards have the same columns. Its `*` has the pseudo
 * column too, so a case that reads every column of a wildcard table needs a separate query for the reference.
 */
export function withShards(
  sql: string,
  tables: ReadonlyMap<string, { readonly columns: readonly StructField[] }>,
): string {
  return sql.replace(/`([\w.-]+)\*`/g, (written, prefix: string) => {
    const shards = [...tables].filter(([name]) => isShardOf(name, prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
    const kinds = new Set(
      shards.map(([, { columns }]) => JSON.stringify(columns.map(one => [one.name, typeName(one.type)]))),
    )
    if (kinds.size !== 1) return written
    const parts = shards.map(([name]) => `SELECT '${name.slice(prefix.length)}' AS _TABLE_SUFFIX, * FROM \`${name}\``)
    return `(${parts.join(' UNION ALL ')})`
  })
}
