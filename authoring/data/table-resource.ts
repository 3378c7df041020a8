/** The members of BigQuery's REST resource `Table` that a schema file keeps. */
import type { SchemaField } from '../../googlesql/index.js'
import { recordOf } from '../../runner/model/is-record.js'

/** BigQuery REST v2, `Table`: 64-bit numbers are strings. */
export interface TableResource {
  readonly description?: string
  readonly schema: { readonly fields: readonly SchemaField[] }
  readonly timePartitioning?: TimePartitioning
  readonly rangePartitioning?: RangePartitioning
  readonly requirePartitionFilter?: boolean
  readonly clustering?: { readonly fields: readonly string[] }
}

type TimePartitioning = NonNullable<ReturnType<typeof timePartitioning>>
type RangePartitioning = NonNullable<ReturnType<typeof rangePartitioning>>

/**
 * The members of a table resource that `TableResource` declares, in a fixed order, so that the same table always gives the
 * same text: sizes, times and the creator, which change by themselves, are dropped, and so are malformed members.
 */
export function tableResource(value: unknown): TableResource {
  const raw = recordOf(isWholeResource(value) ? value : { schema: { fields: value } })
  const partitioning = timePartitioning(raw['timePartitioning'])
  const range = rangePartitioning(raw['rangePartitioning'])
  // Older tables have requirePartitionFilter inside timePartitioning.
  const requires = raw['requirePartitionFilter'] ?? recordOf(raw['timePartitioning'])['requirePartitionFilter']
  const clustering = texts(recordOf(raw['clustering'])['fields'])
  return {
    ...descriptionMember(raw),
    schema: { fields: tableFields(recordOf(raw['schema'])['fields']) },
    ...(partitioning && { timePartitioning: partitioning }),
    ...(range && { rangePartitioning: range }),
    ...(requires === true && { requirePartitionFilter: true }),
    ...(clustering.length > 0 && { clustering: { fields: clustering } }),
  }
}

/** Whether this is a whole table resource, which declares partitions and clusters, and not a list of fields. */
export const isWholeResource = (value: unknown): boolean => !Array.isArray(value)

/** The fields of a schema, normalised: each has a mode. */
function tableFields(value: unknown): readonly SchemaField[] {
  if (!Array.isArray(value)) return []
  return value.map((item: unknown) => {
    const raw = recordOf(item)
    const nested = tableFields(raw['fields'])
    const names = texts(recordOf(raw['policyTags'])['names'])
    const { type: rangeType } = recordOf(raw['rangeElementType'])
    const options = FIELD_OPTIONS.flatMap(name => {
      const option = raw[name]
      const isText = typeof option === 'string' || typeof option === 'number'
      return isText && option !== '' ? [[name, String(option)]] : []
    })
    return {
      name: String(raw['name']),
      type: String(raw['type']),
      mode: typeof raw['mode'] === 'string' ? raw['mode'].toUpperCase() : 'NULLABLE',
      ...(nested.length > 0 && { fields: nested }),
      ...(typeof rangeType === 'string' && { rangeElementType: { type: rangeType } }),
      ...Object.fromEntries(options),
      ...(names.length > 0 && { policyTags: { names } }),
      ...descriptionMember(raw),
    }
  })
}

const FIELD_OPTIONS = ['maxLength', 'precision', 'scale', 'roundingMode', 'collation', 'defaultValueExpression']

function descriptionMember({ description }: Readonly<Record<string, unknown>>): { readonly description?: string } {
  return typeof description === 'string' && description !== '' ? { description } : {}
}

function timePartitioning(value: unknown) {
  const { type, field, expirationMs } = recordOf(value)
  if (typeof type !== 'string') return null
  return {
    /** HOUR, DAY, MONTH or YEAR. */
    type: type.toUpperCase(),
    // The partitioning column; absent where the table is partitioned by ingestion time.
    ...(typeof field === 'string' && { field }),
    // 0 means that partitions never expire.
    ...(Number(expirationMs) > 0 && { expirationMs: String(expirationMs) }),
  }
}

function rangePartitioning(value: unknown) {
  const { field, range } = recordOf(value)
  if (typeof field !== 'string') return null
  const { start, end, interval } = recordOf(range)
  return { field, range: { start: String(start), end: String(end), interval: String(interval) } }
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
