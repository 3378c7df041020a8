/** Loads table schemas (`bq show --schema`, or whole table resources) into definitions for the resolver. */

import { readdir } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import {
  fieldType,
  requiredFields,
  type SchemaField,
  type StructField,
  type TableDefinition,
  typeName,
} from '../../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js'
import type { RuleId } from '../../model/rules.js'
import { type TableResource, tableFields, tableResource } from '../../model/table-resource.js'
import { readOne, type SourceText, unreadable } from '../discover.js'
import { describeValue, diagnosticAt } from '../report.js'
import type { FilePlace, ManifestSource, NodePath } from '../source.js'
import { parseManifest } from '../yaml/parse.js'

/** The partitioning and clustering that a table resource declares for the table's files. */
export interface TableLayout {
  readonly clusteredBy: readonly string[]
  /** Null where the table has no partitions, or is partitioned by ingestion time, which files do not have. */
  readonly partition: { readonly column: string; readonly unit: PartitionUnit } | null
}

const PARTITION_UNITS = ['HOUR', 'DAY', 'MONTH', 'YEAR'] as const
export type PartitionUnit = (typeof PARTITION_UNITS)[number]

export interface LoadedTable extends TableDefinition {
  readonly layout: TableLayout
  /** The fields as authored, for engines and for the import of files. */
  readonly fields: readonly SchemaField[]
  readonly resource: TableResource
  /** Whether the file is a whole table resource, with partitions and clusters; else it is a list of fields. */
  readonly tellsLayout: boolean
  /** The schema file. */
  readonly file: string
  /** The place of a column, given as a path with the outermost field first; an empty path is the whole table. */
  placeOf(column: readonly string[]): FilePlace
}

export interface LoadedTables {
  readonly tables: readonly LoadedTable[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads one schema; its table is null where the schema has mistakes. */
export type ReadSchema = (source: SourceText) => {
  readonly table: LoadedTable | null
  readonly diagnostics: readonly Diagnostic[]
}

/** Whether a path in the folder of table schemas is a schema. Subfolders and names that begin with a dot are skipped. */
export const isTableSchema = (name: string): boolean => /^[^./][^/]*\.json$/.test(name)

/**
 * Reads every `<dataset>.<table>.json` and `<project>.<dataset>.<table>.json` in `dir`; a missing folder is empty.
 * `yieldToEventLoop` is awaited between files. `readSchema` may be a cache.
 */
export async function loadTableSchemas(
  dir: string,
  yieldToEventLoop: () => Promise<void> = () => Promise.resolve(),
  readSchema: ReadSchema = readTableSchema,
): Promise<LoadedTables> {
  const diagnostics: Diagnostic[] = []
  let names: string[] = []
  try {
    names = (await readdir(dir)).filter(isTableSchema).sort()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') diagnostics.push(unreadable(dir, error))
  }
  const folder = dir.split(sep).join('/')
  const texts = await Promise.all(names.map(name => readOne(join(dir, name), posix.join(folder, name), diagnostics)))
  const tables: LoadedTable[] = []
  for (const text of texts) {
    await yieldToEventLoop()
    const read = text === null ? { table: null, diagnostics: [] } : readSchema(text)
    if (read.table !== null) tables.push(read.table)
    diagnostics.push(...read.diagnostics)
  }
  return { tables, diagnostics: diagnostics.sort(compareDiagnostics) }
}

/**
 * `dataset.table`, with the project in front where it is another project's table; a project may have a domain (`x.com:p`).
 * Names of tables: https://cloud.google.com/bigquery/docs/tables#table_naming
 */
const TABLE_NAME = /^(?:(?:[a-z0-9.-]+:)?[a-z0-9-]+\.)?[A-Za-z0-9_-]+\.[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}\p{Zs}]+$/u

/** Reads one schema with the YAML parser, since JSON is YAML and its mistakes then have places. Null when it has mistakes. */
export function readTableSchema({ file, text }: SourceText): {
  table: LoadedTable | null
  diagnostics: readonly Diagnostic[]
} {
  const name = file.replace(/^.*\//, '').replace(/\.json$/, '')
  const parsed = parseManifest(file, text)
  if (parsed.source === null || parsed.diagnostics.length > 0) return { table: null, diagnostics: parsed.diagnostics }
  const reader = new SchemaReader(parsed.source)
  if (!TABLE_NAME.test(name)) reader.wrong([], 'table/file-name', WRONG_NAME)
  const isResource = isRecord(parsed.value)
  const resource: Record<string, unknown> = isRecord(parsed.value) ? parsed.value : {}
  const fieldsPath: NodePath = isResource ? ['schema', 'fields'] : []
  const fields = isResource ? (isRecord(resource['schema']) ? resource['schema']['fields'] : undefined) : parsed.value
  const columns = reader.readFields(fields, fieldsPath)
  const layout = reader.readLayout(resource, columns)
  if (reader.diagnostics.length > 0) return { table: null, diagnostics: reader.diagnostics }
  const { source } = parsed
  const table: LoadedTable = {
    name,
    columns,
    required: requiredFields(fields as readonly SchemaField[]),
    layout,
    fields: fields as readonly SchemaField[],
    resource: isResource ? tableResource(resource) : { schema: { fields: tableFields(fields) } },
    tellsLayout: isResource,
    file,
    placeOf: column => source.valueAt(columnPath(fieldsPath, fields as readonly SchemaField[], column)),
  }
  return { table, diagnostics: [] }
}

const WRONG_NAME = 'a table schema is named <dataset>.<table>.json, or <project>.<dataset>.<table>.json'

/** The path of a column in the file, as far as the column exists. */
function columnPath(path: NodePath, fields: readonly SchemaField[], column: readonly string[]): NodePath {
  const at = fields.findIndex(({ name }) => name === column[0])
  if (at < 0) return path
  const here = [...path, at]
  return column.length === 1 ? here : columnPath([...here, 'fields'], fields[at]!.fields ?? [], column.slice(1))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MODES: ReadonlySet<string> = new Set(['NULLABLE', 'REQUIRED', 'REPEATED'])

class SchemaReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #source: ManifestSource

  constructor(source: ManifestSource) {
    this.#source = source
  }

  wrong(path: NodePath, rule: RuleId, message: string): void {
    this.diagnostics.push(diagnosticAt(this.#source.valueAt(path), rule, message))
  }

  readFields(value: unknown, path: NodePath): readonly StructField[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.wrong(
        path,
        'table/schema',
        `a schema is a list of fields that is not empty, found ${Array.isArray(value) ? 'an empty list' : describeValue(value)}`,
      )
      return []
    }
    const seen = new Set<string>()
    return value.flatMap((field: unknown, index) => {
      const at = [...path, index]
      if (!isRecord(field) || typeof field['name'] !== 'string' || field['name'] === '') {
        this.wrong(at, 'table/schema', 'a field needs a "name"')
        return []
      }
      const { name } = field
      if (seen.has(name.toLowerCase()))
        this.wrong([...at, 'name'], 'table/duplicate-field', `the field "${name}" stands here a second time`)
      seen.add(name.toLowerCase())
      return this.#readField(name, field, at)
    })
  }

  #readField(name: string, field: Record<string, unknown>, at: NodePath): readonly StructField[] {
    const { type, mode, fields } = field
    if (typeof type !== 'string') {
      this.wrong(at, 'table/schema', `field "${name}" needs a "type"`)
      return []
    }
    if (mode !== undefined && (typeof mode !== 'string' || !MODES.has(mode.toUpperCase()))) {
      this.wrong(
        [...at, 'mode'],
        'table/schema',
        `the mode of field "${name}" must be NULLABLE, REQUIRED or REPEATED, found ${describeValue(mode)}`,
      )
      return []
    }
    if (/^(RECORD|STRUCT)$/i.test(type)) {
      const before = this.diagnostics.length
      this.readFields(fields, [...at, 'fields'])
      if (this.diagnostics.length > before) return []
    }
    const columnType = fieldType(field as unknown as SchemaField)
    if (columnType === undefined) {
      this.wrong([...at, 'type'], 'table/unknown-type', `the type "${type}" of field "${name}" is not supported`)
      return []
    }
    return [{ name, type: columnType }]
  }

  readLayout(resource: Record<string, unknown>, columns: readonly StructField[]): TableLayout {
    const clustering = isRecord(resource['clustering']) ? resource['clustering']['fields'] : undefined
    const clusteredBy = (Array.isArray(clustering) ? clustering : []).flatMap((name: unknown, i) => {
      const column = this.#columnOf(name, columns, ['clustering', 'fields', i])
      if (column === null) return []
      if (CLUSTERABLE.has(column.type.kind)) return [column.name]
      const message = `rows cannot be clustered by ${column.name}, whose type is ${typeName(column.type)}`
      this.wrong(['clustering', 'fields', i], 'table/layout', message)
      return []
    })
    const partitioning = resource['timePartitioning']
    return { clusteredBy, partition: isRecord(partitioning) ? this.#readPartition(partitioning, columns) : null }
  }

  #readPartition(partitioning: Record<string, unknown>, columns: readonly StructField[]): TableLayout['partition'] {
    const { type, field } = partitioning
    const unit = PARTITION_UNITS.find(known => typeof type === 'string' && known === type.toUpperCase())
    if (unit === undefined) {
      const message = `the type of timePartitioning must be ${PARTITION_UNITS.join(', ')}, found ${describeValue(type)}`
      this.wrong(['timePartitioning', 'type'], 'table/layout', message)
    }
    const path: NodePath = ['timePartitioning', 'field']
    const column = field === undefined ? null : this.#columnOf(field, columns, path)
    if (column === null || unit === undefined) return null
    const { kind } = column.type
    if (!PARTITIONABLE.has(kind) || (kind === 'DATE' && unit === 'HOUR')) {
      const message = `rows cannot be partitioned by the ${unit} of ${column.name}, whose type is ${typeName(column.type)}`
      this.wrong(path, 'table/layout', message)
    }
    const clash = columns.find(({ name }) => /^_partition/i.test(name))
    if (clash) this.wrong(path, 'table/layout', `a table with partitions can have no column named ${clash.name}`)
    return { column: column.name, unit }
  }

  #columnOf(name: unknown, columns: readonly StructField[], path: NodePath): StructField | null {
    const column = columns.find(known => known.name === name)
    if (!column) this.wrong(path, 'table/unknown-field', `no field is named ${describeValue(name)}`)
    return column ?? null
  }
}

// https://cloud.google.com/bigquery/docs/clustered-tables#limitations, and of partitions by a column
const CLUSTERABLE: ReadonlySet<string> = new Set(
  'STRING INT64 NUMERIC BIGNUMERIC BOOL DATE DATETIME TIMESTAMP'.split(' '),
)
const PARTITIONABLE: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP'])
