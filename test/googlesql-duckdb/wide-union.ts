/** UNION ALL of very many tables with nested columns, like the queries of pipelines with one table for each app or tenant. */
import type { TableDefinition } from '../../googlesql/tables.js'
import { arrayOf, type StructField, structOf, type Type } from '../../googlesql/types/types.js'

const STRING: Type = { kind: 'STRING' }
const INT64: Type = { kind: 'INT64' }
const TIMESTAMP: Type = { kind: 'TIMESTAMP' }

const SHAPES: readonly Type[] = [
  structOf([
    { name: 'country', type: STRING },
    { name: 'visits', type: INT64 },
    {
      name: 'client',
      type: structOf([
        { name: 'channel', type: STRING },
        { name: 'seen', type: TIMESTAMP },
        { name: 'build', type: structOf([{ name: 'number', type: INT64 }]) },
      ]),
    },
  ]),
  arrayOf(
    structOf([
      { name: 'key', type: STRING },
      {
        name: 'value',
        type: structOf([
          { name: 'code', type: INT64 },
          { name: 'labels', type: arrayOf(STRING) },
        ]),
      },
    ]),
  ),
  structOf([
    {
      name: 'lists',
      type: arrayOf(structOf([{ name: 'values', type: arrayOf(structOf([{ name: 'key', type: STRING }])) }])),
    },
    { name: 'id', type: STRING },
  ]),
  structOf(Array.from({ length: 8 }, (_, i) => ({ name: `field_${i}`, type: i % 2 === 0 ? INT64 : STRING }))),
]

const nested = (count: number): readonly StructField[] =>
  Array.from({ length: count }, (_, i) => ({ name: `nested_${i}`, type: SHAPES[i % SHAPES.length]! }))

/** Tables with the same columns, in several datasets. */
export function wideTables(count: number, nestedColumns: number): readonly TableDefinition[] {
  const columns: readonly StructField[] = [
    { name: 'received', type: TIMESTAMP },
    { name: 'client_id', type: STRING },
    ...nested(nestedColumns),
  ]
  return Array.from({ length: count }, (_, i) => ({ name: `app_${i % 7}.events_${i}`, columns }))
}

/** Queries over these tables by their descriptions; the tables need at least four nested columns. */
export function wideUnions(tables: readonly TableDefinition[]): Readonly<Record<string, string>> {
  const union = (arm: (table: string, index: number) => string): string =>
    tables.map(({ name }, i) => arm(`\`${name}\``, i)).join('\nUNION ALL\n')
  const all = union(table => `SELECT * FROM ${table}`)
  const keys = 'hour, app, key, label, country, channel, build'
  const counted = (table: string, i: number): string =>
    `SELECT TIMESTAMP_TRUNC(received, HOUR) AS hour, 'app ${i}' AS app, event.key, label, nested_0.country, ` +
    `nested_0.client.channel, nested_0.client.build.number AS build, COUNT(*) AS events FROM ${table} ` +
    'CROSS JOIN UNNEST(nested_1) AS event LEFT JOIN UNNEST(event.value.labels) AS label ' +
    `WHERE DATE(received) = '2026-01-31' GROUP BY ${keys}`
  return {
    'some columns': union(
      table => `SELECT client_id, nested_0.country, nested_0.client.build.number, nested_1 FROM ${table}`,
    ),
    '*': all,
    'a WHERE around *': `SELECT client_id, nested_1 FROM (${all}) WHERE received > TIMESTAMP '2026-01-31' AND nested_0.visits > 3`,
    'a GROUP BY around *': `SELECT nested_0.country, COUNT(*) AS events FROM (${all}) WHERE DATE(received) = '2026-01-31' GROUP BY country`,
    '* in a CTE': `WITH every AS (${all}) SELECT client_id, (SELECT ANY_VALUE(key) FROM UNNEST(nested_1)) AS key FROM every WHERE nested_0.visits > 3`,
    'a CTE that is read twice': `WITH every AS (${all}) SELECT a.client_id, b.nested_0.country FROM every AS a JOIN every AS b USING (client_id)`,
    'unnested and counted': union(counted),
    'counted in a CTE each': `WITH ${tables.map(({ name }, i) => `counted_${i} AS (${counted(`\`${name}\``, i)})`).join(',\n')}\n${tables.map((_, i) => `SELECT ${keys}, SUM(events) AS events FROM counted_${i} GROUP BY ${keys}`).join('\nUNION ALL\n')}`,
  }
}
