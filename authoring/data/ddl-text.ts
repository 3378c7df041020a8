/** Writes the CREATE TABLE statement of a table. Source: BigQuery's DDL reference. A string in JSON is also a string in SQL. */
import { RESERVED_KEYWORDS, type SchemaField, standardTypeName } from '../../googlesql/index.js'
import type { TableResource } from './table-resource.js'

/** One `CREATE TABLE IF NOT EXISTS` statement with its semicolon. `name` is `dataset.table`, or with a project in front. */
export function createTableStatement(name: string, resource: TableResource): string {
  const partition = partitionClause(resource)
  const clustering = resource.clustering?.fields ?? []
  const options = tableOptions(resource)
  const clauses = [
    ...taggedColumns(resource.schema.fields, []).map(
      tagged => `-- SQL sets no policy tags; to be set by hand: ${tagged}`,
    ),
    `CREATE TABLE IF NOT EXISTS \`${name}\` ${columnList('(', resource.schema.fields, ')', '')}`,
    ...(partition === null ? [] : [`PARTITION BY ${partition}`]),
    ...(clustering.length > 0 ? [`CLUSTER BY ${clustering.map(quoted).join(', ')}`] : []),
    ...(options.length > 0 ? [`OPTIONS(${options.join(', ')})`] : []),
  ]
  return `${clauses.join('\n')};\n`
}

/** The columns with policy tags. A new table without those tags would show the columns to every reader. */
function taggedColumns(fields: readonly SchemaField[], path: readonly string[]): readonly string[] {
  return fields.flatMap(({ name, fields: nested = [], policyTags }) => {
    const column = [...path, name]
    const tags = policyTags?.names ?? []
    const ownTags = tags.length > 0 ? [`${JSON.stringify(column.join('.'))}: ${JSON.stringify(tags)}`] : []
    return [...ownTags, ...taggedColumns(nested, column)]
  })
}

function columnList(open: string, fields: readonly SchemaField[], close: string, indent: string): string {
  const lines = fields.map(field => `${indent}  ${columnDefinition(field, `${indent}  `)}`)
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function columnDefinition(field: SchemaField, indent: string): string {
  const isRepeated = field.mode?.toUpperCase() === 'REPEATED'
  const type = elementType(field, indent)
  const { defaultValueExpression, roundingMode, description } = field
  const options = [
    ...(description ? [`description=${JSON.stringify(description)}`] : []),
    ...(roundingMode ? [`rounding_mode=${JSON.stringify(roundingMode)}`] : []),
  ]
  return [
    quoted(field.name),
    isRepeated ? `ARRAY<${type}>` : type,
    ...(defaultValueExpression ? [`DEFAULT ${defaultValueExpression}`] : []),
    ...(field.mode?.toUpperCase() === 'REQUIRED' ? ['NOT NULL'] : []),
    ...(options.length > 0 ? [`OPTIONS(${options.join(', ')})`] : []),
  ].join(' ')
}

function elementType(field: SchemaField, indent: string): string {
  if (field.fields && field.fields.length > 0) return columnList('STRUCT<', field.fields, '>', indent)
  return standardTypeName(field) + (field.collation ? ` COLLATE ${JSON.stringify(field.collation)}` : '')
}

function partitionClause({ timePartitioning, rangePartitioning, schema }: TableResource): string | null {
  if (rangePartitioning) {
    const { start, end, interval } = rangePartitioning.range
    return `RANGE_BUCKET(${quoted(rangePartitioning.field)}, GENERATE_ARRAY(${start}, ${end}, ${interval}))`
  }
  if (!timePartitioning) return null
  const { type, field } = timePartitioning
  if (field === undefined) return type === 'DAY' ? '_PARTITIONDATE' : `TIMESTAMP_TRUNC(_PARTITIONTIME, ${type})`
  const column = schema.fields.find(({ name }) => name === field)
  const kind = column ? standardTypeName(column) : 'TIMESTAMP'
  return kind === 'DATE' && type === 'DAY' ? quoted(field) : `${kind}_TRUNC(${quoted(field)}, ${type})`
}

const MS_PER_DAY = 86_400_000

function tableOptions({ description, timePartitioning, requirePartitionFilter }: TableResource): readonly string[] {
  const expirationMs = timePartitioning?.expirationMs
  return [
    ...(description ? [`description=${JSON.stringify(description)}`] : []),
    ...(expirationMs === undefined ? [] : [`partition_expiration_days=${Number(expirationMs) / MS_PER_DAY}`]),
    ...(requirePartitionFilter ? ['require_partition_filter=TRUE'] : []),
  ]
}

function quoted(name: string): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(name) && !RESERVED_KEYWORDS.has(name.toUpperCase())
  return isPlain ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``
}
