/** Loads table schemas (`bq show --schema`, or whole table resources) into definitions for the resolver. */

import {
  type ExternalDataConfiguration,
  fieldType,
  isComputedView,
  meantType,
  PARTITION_TIME,
  type PartitionUnit,
  requiredPaths,
  type SchemaField,
  type StructField,
  type TableDefinition,
  textFormOf,
  typeLimits,
  typeName,
} from '../../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js'
import { isRecord } from '../../model/is-record.js'
import type { RuleId } from '../../model/rules.js'
import { didYouMean, proposing } from '../../model/suggest.js'
import { schemaDiagnostics } from '../check/schema.js'
import { readFolder, type SourceText } from '../discover.js'
import { parseJson } from '../parse-json.js'
import { diagnosticAt, diagnosticOf, type More } from '../report.js'
import type { FilePlace, NodePath, PlaceSource } from '../source.js'
import { MAX_MANIFEST_LENGTH, TOO_LONG } from '../yaml/limits.js'
import { findFormMistakes, RESOURCE_MEMBERS } from './schema-members.js'

/** The partitioning and clustering that a table resource declares for the table's files. */
export interface TableLayout {
  readonly clusteredBy: readonly string[]
  /** The column is `_PARTITIONTIME` for a table that is partitioned by ingestion time. Null without partitions. */
  readonly partition: { readonly column: string; readonly unit: PartitionUnit } | null
}

const PARTITION_UNITS: readonly PartitionUnit[] = ['HOUR', 'DAY', 'MONTH', 'YEAR']

export interface LoadedTable extends TableDefinition {
  readonly layout: TableLayout
  /** The fields as authored, for engines and for the import of files. */
  readonly fields: readonly SchemaField[]
  /** The JSON of the file: a whole table resource, with partitions and clusters, or a list of fields. */
  readonly declared: unknown
  /** The schema file. */
  readonly file: string
  /** The place of a column, given as a path with the outermost field first; an empty path is the whole table. */
  placeOf(column: readonly string[]): FilePlace
}

/** The name of the table whose schema is in this file. */
export const tableOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.json$/, '')

/** Reads one schema; its table is null where the schema has mistakes. */
export type ReadSchema = typeof readTableSchema

/** Whether a path in the folder of table schemas is a schema. Subfolders and names that begin with a dot are skipped. */
export const isTableSchema = (name: string): boolean => /^[^./][^/]*\.json$/.test(name)

/**
 * Reads every `<dataset>.<table>.json` and `<project>.<dataset>.<table>.json` in `dir`; a missing folder is empty. A
 * table whose name ends in `*` is a wildcard table. `yieldToEventLoop` is awaited between files. `readSchema` may be a cache.
 */
export async function loadTableSchemas(
  dir: string,
  yieldToEventLoop: () => Promise<void> = () => Promise.resolve(),
  readSchema: ReadSchema = readTableSchema,
) {
  const diagnostics: Diagnostic[] = []
  const tables: LoadedTable[] = []
  for (const source of await readFolder(dir, isTableSchema, diagnostics)) {
    await yieldToEventLoop()
    const result = readSchema(source)
    if (result.table !== null) tables.push(result.table)
    diagnostics.push(...result.diagnostics)
  }
  return { tables, diagnostics: diagnostics.sort(compareDiagnostics) }
}

/**
 * `dataset.table`, with the project in front where it is another project's table; a project may have a domain (`x.com:p`). A
 * wildcard table ends in `*`. `region-us.INFORMATION_SCHEMA.JOBS` is a view whose rows are not computed.
 * Names of tables: https://cloud.google.com/bigquery/docs/tables#table_naming
 */
const TABLE_NAME =
  /^(?:(?:[a-z0-9.-]+:)?[a-z0-9-]+\.)?[A-Za-z0-9_-]+\.(?:INFORMATION_SCHEMA\.)?[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}\p{Zs}]*(?<!\.)\*?$/u

export const isTableName = (text: string): boolean => TABLE_NAME.test(text) && !isComputedView(text)

/** Reads one schema; its table is null where the schema has mistakes. */
export function readTableSchema({ file, text }: SourceText) {
  if (text.length > MAX_MANIFEST_LENGTH) {
    return { table: null, diagnostics: [diagnosticOf(file, 'yaml/too-large', TOO_LONG)] }
  }
  const { source, value, diagnostics } = parseJson(file, text)
  if (diagnostics.length > 0) return { table: null, diagnostics }
  const reader = new SchemaReader(source)
  const table = reader.read(value)
  return { table: reader.diagnostics.length > 0 ? null : table, diagnostics: reader.diagnostics }
}

const WRONG_NAME = 'a table schema is named <dataset>.<table>.json, or <project>.<dataset>.<table>.json'

const IS_COMPUTED = 'the rows of this view are the tables that there are, so it has no schema; delete the file'

/** The path of a column in the file, as far as the column exists. */
function columnPath(path: NodePath, fields: readonly SchemaField[], column: readonly string[]): NodePath {
  const index = fields.findIndex(({ name }) => name === column[0])
  if (index < 0) return path
  const at = [...path, index]
  return column.length === 1 ? at : columnPath([...at, 'fields'], fields[index]!.fields ?? [], column.slice(1))
}

const MODES: readonly string[] = ['NULLABLE', 'REQUIRED', 'REPEATED']

/** The members of a field for what SQL writes in parentheses after its type. */
const LIMITS: Readonly<Record<string, string>> = {
  BIGDECIMAL: '"precision" and "scale"',
  BIGNUMERIC: '"precision" and "scale"',
  BYTES: '"maxLength"',
  DECIMAL: '"precision" and "scale"',
  NUMERIC: '"precision" and "scale"',
  STRING: '"maxLength"',
}

interface Partitioning {
  readonly type: string
  readonly field?: string
}

/** The members of a table resource that are read here. */
interface Resource {
  readonly timePartitioning?: Partitioning
  readonly clustering?: { readonly fields?: readonly string[] }
  readonly externalDataConfiguration?: ExternalDataConfiguration
}

class SchemaReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #source: PlaceSource

  constructor(source: PlaceSource) {
    this.#source = source
  }

  /** Reads a whole schema. The table may be used only if there are no `diagnostics`. */
  read(declared: unknown): LoadedTable | null {
    const { file } = this.#source
    const name = tableOf(file)
    if (!isTableName(name)) this.#blame([], 'table/file-name', isComputedView(name) ? IS_COMPUTED : WRONG_NAME)
    const isResource = isRecord(declared)
    const resource = isResource ? declared : {}
    this.#checkMembers(resource)
    if (this.diagnostics.length === 0) {
      this.diagnostics.push(...schemaDiagnostics(findFormMistakes(declared), this.#source))
    }
    if (this.diagnostics.length > 0) return null
    const path: NodePath = isResource ? ['schema', 'fields'] : []
    const fields = (
      isResource ? (declared['schema'] as { fields: unknown }).fields : declared
    ) as readonly SchemaField[]
    const columns = this.#readFields(fields, path)
    // Columns with mistakes are not in `columns`, so the layout would seem to name unknown columns.
    if (this.diagnostics.length > 0) return null
    const layout = this.#readLayout(resource, columns)
    if (this.diagnostics.length > 0) return null
    const { externalDataConfiguration: options } = resource as Resource
    const placeOf = (column: readonly string[]): FilePlace => this.#source.valueAt(columnPath(path, fields, column))
    return {
      name,
      columns,
      required: requiredPaths(fields),
      limits: typeLimits(fields),
      ...(options && { textForm: textFormOf(options) }),
      layout,
      fields,
      declared,
      file,
      placeOf,
    }
  }

  #blame(path: NodePath, rule: RuleId, message: string, more?: More): void {
    this.diagnostics.push(diagnosticAt(this.#source.valueAt(path), rule, message, more))
  }

  /** Reports unknown members that look misspelt. Others are allowed: BigQuery writes many, and adds new ones. */
  #checkMembers(resource: Record<string, unknown>): void {
    for (const key of Object.keys(resource)) {
      if (RESOURCE_MEMBERS.includes(key)) continue
      const { meant, hint } = didYouMean(key, RESOURCE_MEMBERS)
      if (meant === undefined) continue
      const message = `unknown member "${key}" of the table`
      this.diagnostics.push(diagnosticAt(this.#source.keyAt([key]), 'schema/unknown-key', message, { meant, hint }))
    }
  }

  #readFields(fields: readonly SchemaField[], path: NodePath): readonly StructField[] {
    const names = new Set<string>()
    return fields.flatMap((field, index) => {
      const { name } = field
      const at = [...path, index]
      if (names.has(name.toLowerCase()))
        this.#blame([...at, 'name'], 'table/duplicate-field', `the field "${name}" stands here a second time`)
      names.add(name.toLowerCase())
      return this.#readField(field, at)
    })
  }

  #readField(field: SchemaField, at: NodePath): readonly StructField[] {
    const { name, type, mode = 'NULLABLE', fields } = field
    const mistakesBefore = this.diagnostics.length
    if (!MODES.includes(mode.toUpperCase())) {
      const message = `the mode of field "${name}" must be NULLABLE, REQUIRED or REPEATED, found "${mode}"`
      this.#blame([...at, 'mode'], 'table/schema', message, didYouMean(mode.toUpperCase(), MODES))
    }
    if (/^(RECORD|STRUCT)$/i.test(type)) this.#readFields(fields ?? [], [...at, 'fields'])
    if (this.diagnostics.length > mistakesBefore) return []
    const columnType = fieldType(field)
    if (columnType === undefined) {
      const message = `the type "${type}" of field "${name}" is not supported`
      const isArray = /^ARRAY\b|\[\]$/i.test(type)
      const meant = meantType(type)
      const limits = type.includes('(') ? LIMITS[meant ?? ''] : undefined
      const proposal = isArray
        ? { hint: '; an array has the type of its elements, and "mode": "REPEATED"' }
        : limits
          ? { hint: `; write "type": "${meant}", and what is in parentheses as ${limits}` }
          : proposing(meant)
      this.#blame([...at, 'type'], 'table/unknown-type', message, proposal)
      return []
    }
    return [{ name, type: columnType }]
  }

  #readLayout({ clustering, timePartitioning }: Resource, columns: readonly StructField[]): TableLayout {
    const clusteredBy = (clustering?.fields ?? []).flatMap((name, i) => {
      const column = this.#columnOf(name, columns, ['clustering', 'fields', i])
      if (column === null) return []
      if (CLUSTERABLE.has(column.type.kind)) return [column.name]
      const message = `rows cannot be clustered by ${column.name}, whose type is ${typeName(column.type)}`
      this.#blame(['clustering', 'fields', i], 'table/layout', message)
      return []
    })
    return { clusteredBy, partition: timePartitioning ? this.#readPartition(timePartitioning, columns) : null }
  }

  #readPartition({ type, field }: Partitioning, columns: readonly StructField[]): TableLayout['partition'] {
    const unit = PARTITION_UNITS.find(name => name === type.toUpperCase())
    if (unit === undefined) {
      const message = `the type of timePartitioning must be one of ${PARTITION_UNITS.join(', ')}, found "${type}"`
      this.#blame(['timePartitioning', 'type'], 'table/layout', message, didYouMean(type, PARTITION_UNITS))
    }
    const path: NodePath = ['timePartitioning', 'field']
    const column = field === undefined ? INGESTION_TIME : this.#columnOf(field, columns, path)
    if (column === null || unit === undefined) return null
    const { kind } = column.type
    if (!PARTITIONABLE.has(kind) || (kind === 'DATE' && unit === 'HOUR')) {
      const message = `rows cannot be partitioned by the ${unit} of ${column.name}, whose type is ${typeName(column.type)}`
      this.#blame(path, 'table/layout', message)
    }
    const clash = columns.find(({ name }) => /^_partition/i.test(name))
    if (clash) this.#blame(path, 'table/layout', `a table with partitions can have no column named ${clash.name}`)
    return { column: column.name, unit }
  }

  #columnOf(name: string, columns: readonly StructField[], path: NodePath): StructField | null {
    const column = columns.find(declared => declared.name === name)
    if (column) return column
    const names = columns.map(declared => declared.name)
    this.#blame(path, 'table/unknown-field', `no field is named "${name}"`, didYouMean(name, names))
    return null
  }
}

const INGESTION_TIME: StructField = { name: PARTITION_TIME, type: { kind: 'TIMESTAMP' } }

// https://cloud.google.com/bigquery/docs/clustered-tables#limitations, and of partitions by a column
const CLUSTERABLE: ReadonlySet<string> = new Set(
  'STRING INT64 NUMERIC BIGNUMERIC BOOL DATE DATETIME TIMESTAMP'.split(' '),
)
const PARTITIONABLE: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP'])
