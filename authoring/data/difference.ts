/** Finds the differences between a table's schema file and the table in the warehouse. */

import { type SchemaField, standardTypeName } from '../../googlesql/index.js'
import type { TableResource } from './table-resource.js'

export interface TableDifference {
  /** The path of the column, outermost field first; empty for the whole table. */
  readonly column: readonly string[]
  /** A sentence that says what the file has and what the warehouse has. */
  readonly message: string
}

/**
 * The differences in the order of the file's columns, then columns of the warehouse alone, then the layout. Descriptions are not
 * compared. `declaresLayout`: the file is a whole table resource; a list of fields does not declare partitions and clusters.
 */
export function tableDifferences(
  file: TableResource,
  warehouse: TableResource,
  declaresLayout: boolean,
): readonly TableDifference[] {
  const columns = fieldDifferences([], file.schema.fields, warehouse.schema.fields)
  return declaresLayout ? [...columns, ...layoutDifferences(file, warehouse)] : columns
}

function fieldDifferences(
  path: readonly string[],
  ours: readonly SchemaField[],
  theirs: readonly SchemaField[],
): readonly TableDifference[] {
  const declared = ours.flatMap(field => {
    const column = [...path, field.name]
    const other = theirs.find(({ name }) => isSameName(name, field.name))
    return other ? compare(column, field, other) : [{ column, message: `${column.join('.')} is not in the warehouse` }]
  })
  const missing = theirs.filter(({ name }) => !ours.some(field => isSameName(name, field.name)))
  return [
    ...declared,
    ...orderDifference(path, ours, theirs),
    ...missing.map(field => {
      const column = [...path, field.name]
      return { column, message: `${column.join('.')} ${typeAndMode(field)} is only in the warehouse` }
    }),
  ]
}

/** Names of columns are case-insensitive. */
const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function compare(column: readonly string[], ours: SchemaField, theirs: SchemaField): readonly TableDifference[] {
  const name = column.join('.')
  const [ourType, theirType] = [standardTypeName(ours), standardTypeName(theirs)]
  const [ourMode, theirMode] = [modeOf(ours), modeOf(theirs)]
  const difference = (what: string, a: string, b: string): readonly TableDifference[] =>
    a === b ? [] : [{ column, message: `${name}: the ${what} is ${a} here and ${b} in the warehouse` }]
  return [
    ...difference('type', ourType, theirType),
    ...difference('mode', ourMode, theirMode),
    ...(ourType === 'STRUCT' && theirType === 'STRUCT'
      ? fieldDifferences(column, ours.fields ?? [], theirs.fields ?? [])
      : []),
  ]
}

const modeOf = ({ mode }: SchemaField): string => mode?.toUpperCase() ?? 'NULLABLE'
const typeAndMode = (field: SchemaField): string => `(${standardTypeName(field)}, ${modeOf(field)})`

/** Compares the order of columns, which decides the order of `SELECT *`. */
function orderDifference(
  column: readonly string[],
  ours: readonly SchemaField[],
  theirs: readonly SchemaField[],
): readonly TableDifference[] {
  const [a, b] = [commonNames(ours, theirs), commonNames(theirs, ours)]
  const at = a.findIndex((name, i) => name !== b[i])
  if (at < 0) return []
  const what = column.length === 0 ? 'the columns' : `${column.join('.')}: the fields`
  return [{ column, message: `${what} are in another order: ${a[at]} stands here where the warehouse has ${b[at]}` }]
}

const commonNames = (fields: readonly SchemaField[], others: readonly SchemaField[]): readonly string[] =>
  fields.map(({ name }) => name.toLowerCase()).filter(name => others.some(other => isSameName(other.name, name)))

function layoutDifferences(ours: TableResource, theirs: TableResource): readonly TableDifference[] {
  const rows: readonly (readonly [what: string, ours: string, theirs: string])[] = [
    ['partitioning', partitioning(ours), partitioning(theirs)],
    ['expiration of partitions', expiration(ours), expiration(theirs)],
    ['filter on partitions', filterRule(ours), filterRule(theirs)],
    ['clustering', clustering(ours), clustering(theirs)],
  ]
  return rows
    .filter(([, a, b]) => a !== b)
    .map(([what, a, b]) => ({ column: [], message: `the ${what} is ${a} here and ${b} in the warehouse` }))
}

function partitioning({ timePartitioning, rangePartitioning }: TableResource): string {
  if (timePartitioning) return `by ${timePartitioning.type} of ${timePartitioning.field ?? 'arrival'}`
  if (!rangePartitioning) return 'none'
  const { field, range } = rangePartitioning
  return `by ${field} from ${range.start} to ${range.end} in steps of ${range.interval}`
}

const expiration = ({ timePartitioning }: TableResource): string =>
  timePartitioning?.expirationMs === undefined ? 'never' : `${timePartitioning.expirationMs} ms`
const filterRule = ({ requirePartitionFilter }: TableResource): string =>
  requirePartitionFilter ? 'required' : 'optional'
const clustering = ({ clustering: by }: TableResource): string => (by ? `by ${by.fields.join(', ')}` : 'none')
