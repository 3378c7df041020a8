/** Loads table schemas (`bq show --schema`, or whole table resources) into definitions for the resolver. */

import {
  type ExternalDataConfiguration,
  fieldType,
  isComputedView,
  nearest,
  PARTITION_TIME,
  type PartitionUnit,
  requiredPaths,
  type SchemaField,
  type StructField,
  type TableDefinition,
  type TextForm,
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
import { describeValue, diagnosticAt, diagnosticOf, type More, quotedList } from '../report.js'
import type { FilePlace, NodePath, PlaceSource } from '../source.js'
import { MAX_MANIFEST_LENGTH, TOO_LONG } from '../yaml/limits.js'
import { expectedForm, FIELD_MEMBERS, findFormMistakes, RESOURCE_MEMBERS, typeHint } from './schema-members.js'

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
    const read = readSchema(source)
    if (read.table !== null) tables.push(read.table)
    diagnostics.push(...read.diagnostics)
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
  const at = fields.findIndex(({ name }) => name === column[0])
  if (at < 0) return path
  const here = [...path, at]
  return column.length === 1 ? here : columnPath([...here, 'fields'], fields[at]!.fields ?? [], column.slice(1))
}

/** Advice for a key that is the name of a mode, such as "required"; null for any other key. */
function modeHint(key: string): More | null {
  const mode = MODES.find(name => name.toLowerCase() === key.toLowerCase())
  return mode === undefined ? null : { hint: `; write "mode": "${mode}"` }
}

const MODES: readonly string[] = ['NULLABLE', 'REQUIRED', 'REPEATED']

class SchemaReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #source: PlaceSource

  constructor(source: PlaceSource) {
    this.#source = source
  }

  /** Reads a whole schema; what it returns is a table only where it finds no mistake. */
  read(declared: unknown): LoadedTable | null {
    const { file } = this.#source
    const name = tableOf(file)
    if (!isTableName(name)) this.#wrong([], 'table/file-name', isComputedView(name) ? IS_COMPUTED : WRONG_NAME)
    const isResource = isRecord(declared)
    const resource = isResource ? declared : {}
    const path: NodePath = isResource ? ['schema', 'fields'] : []
    const given = isResource ? (Object(resource['schema']) as { readonly fields?: unknown }).fields : declared
    this.#checkMembers(resource)
    if (given === undefined && this.diagnostics.length > 0) return null
    if (given === undefined && resource['fields'] !== undefined) {
      const message = 'the list of fields is the whole file, or stands in "schema": { "fields": [ … ] }'
      this.#wrong(['fields'], 'table/schema', message)
      return null
    }
    const columns = this.#readFields(given, path)
    // Columns with mistakes are not in `columns`, so the layout would seem to name unknown ones.
    if (this.diagnostics.length > 0) return null
    const fields = given as readonly SchemaField[]
    const layout = this.#readLayout(resource, columns)
    const textForm = this.#readTextForm(resource['externalDataConfiguration'])
    if (this.diagnostics.length > 0) return null
    const placeOf = (column: readonly string[]): FilePlace => this.#source.valueAt(columnPath(path, fields, column))
    return {
      name,
      columns,
      required: requiredPaths(fields),
      limits: typeLimits(fields),
      ...(textForm && { textForm }),
      layout,
      fields,
      declared,
      file,
      placeOf,
    }
  }

  #wrong(path: NodePath, rule: RuleId, message: string, more?: More): void {
    this.diagnostics.push(diagnosticAt(this.#source.valueAt(path), rule, message, more))
  }

  #wrongKey(path: NodePath, message: string, more: More): void {
    this.diagnostics.push(diagnosticAt(this.#source.keyAt(path), 'schema/unknown-key', message, more))
  }

  /** Reports members that look like misspelt ones. Other unknown members are allowed: BigQuery writes many, and adds new ones. */
  #checkMembers(resource: Record<string, unknown>): void {
    for (const key of Object.keys(resource)) {
      if (RESOURCE_MEMBERS.includes(key)) continue
      const proposal = didYouMean(key, RESOURCE_MEMBERS)
      if (proposal.meant !== undefined) this.#wrongKey([key], `unknown member "${key}" of the table`, proposal)
    }
    const schema = resource['schema']
    for (const key of isRecord(schema) && schema['fields'] === undefined ? Object.keys(schema) : []) {
      const proposal = didYouMean(key, ['fields'])
      if (proposal.meant !== undefined) this.#wrongKey(['schema', key], `unknown member "${key}" of "schema"`, proposal)
    }
  }

  #readTextForm(options: unknown): TextForm | undefined {
    if (options === undefined) return undefined
    const mistakes = findFormMistakes(options).map(({ path, at = path, ...mistake }) => ({
      ...mistake,
      path: ['externalDataConfiguration', ...at],
    }))
    this.diagnostics.push(...schemaDiagnostics(mistakes, this.#source))
    return mistakes.length > 0 ? undefined : textFormOf(options as ExternalDataConfiguration)
  }

  #checkFieldMembers(name: string, field: Record<string, unknown>, at: NodePath): void {
    const missing = FIELD_MEMBERS.filter(member => field[member] === undefined)
    for (const [key, value] of Object.entries(field)) {
      if (!FIELD_MEMBERS.includes(key)) {
        const more = modeHint(key) ?? didYouMean(key, missing, `; expected one of ${quotedList(FIELD_MEMBERS)}`)
        this.#wrongKey([...at, key], `unknown member "${key}" of field "${name}"`, more)
        continue
      }
      const form = expectedForm(key, value)
      const message = `"${key}" of field "${name}" must be ${form}, found ${describeValue(value)}`
      if (form !== null) this.#wrong([...at, key], 'table/schema', message)
    }
  }

  #readFields(value: unknown, path: NodePath): readonly StructField[] {
    if (!Array.isArray(value) || value.length === 0) {
      const what = path.length > 2 ? '"fields"' : 'a schema'
      const found = Array.isArray(value) ? 'an empty list' : describeValue(value)
      this.#wrong(path, 'table/schema', `${what} is a list of fields that is not empty, found ${found}`)
      return []
    }
    const seen = new Set<string>()
    return value.flatMap((field: unknown, index) => {
      const at = [...path, index]
      if (!isRecord(field) || typeof field['name'] !== 'string' || field['name'] === '') {
        this.#unnamed(field, at)
        return []
      }
      const { name } = field
      if (seen.has(name.toLowerCase()))
        this.#wrong([...at, 'name'], 'table/duplicate-field', `the field "${name}" stands here a second time`)
      seen.add(name.toLowerCase())
      return this.#readField(name, field, at)
    })
  }

  /** Reports a field without a name, or the misspelt key of its name. */
  #unnamed(field: unknown, at: NodePath): void {
    const keys = isRecord(field) && field['name'] === undefined ? Object.keys(field) : []
    const misspelt = keys.find(key => !FIELD_MEMBERS.includes(key) && nearest(key, ['name']) !== undefined)
    if (misspelt === undefined) {
      const found = isRecord(field) ? '' : `; found ${describeValue(field)}, expected { "name": …, "type": … }`
      this.#wrong(at, 'table/schema', `a field needs a "name"${found}`)
    } else this.#wrongKey([...at, misspelt], `unknown member "${misspelt}" of a field`, proposing('name'))
  }

  #readField(name: string, field: Record<string, unknown>, at: NodePath): readonly StructField[] {
    const { type, mode, fields } = field
    const before = this.diagnostics.length
    this.#checkFieldMembers(name, field, at)
    if (typeof type !== 'string') {
      // A misspelt "type", or one that is not a text, is reported already.
      if (this.diagnostics.length === before) this.#wrong(at, 'table/schema', `field "${name}" needs a "type"`)
      return []
    }
    if (mode !== undefined && (typeof mode !== 'string' || !MODES.includes(mode.toUpperCase()))) {
      const message = `the mode of field "${name}" must be NULLABLE, REQUIRED or REPEATED, found ${describeValue(mode)}`
      const more = typeof mode === 'string' ? didYouMean(mode.toUpperCase(), MODES) : {}
      this.#wrong([...at, 'mode'], 'table/schema', message, more)
      return []
    }
    if (/^(RECORD|STRUCT)$/i.test(type)) {
      if (fields === undefined && this.diagnostics.length === before) {
        this.#wrong(at, 'table/schema', `field "${name}" is a ${type}, and needs "fields", the list of its own fields`)
      } else if (fields !== undefined) this.#readFields(fields, [...at, 'fields'])
      if (this.diagnostics.length > before) return []
    }
    const columnType = fieldType(field as unknown as SchemaField)
    if (columnType === undefined) {
      const message = `the type "${type}" of field "${name}" is not supported`
      this.#wrong([...at, 'type'], 'table/unknown-type', message, typeHint(type))
      return []
    }
    return [{ name, type: columnType }]
  }

  #readLayout(resource: Record<string, unknown>, columns: readonly StructField[]): TableLayout {
    const clusteredBy = this.#clusteringNames(resource['clustering']).flatMap((name: unknown, i) => {
      const column = this.#columnOf(name, columns, ['clustering', 'fields', i])
      if (column === null) return []
      if (CLUSTERABLE.has(column.type.kind)) return [column.name]
      const message = `rows cannot be clustered by ${column.name}, whose type is ${typeName(column.type)}`
      this.#wrong(['clustering', 'fields', i], 'table/layout', message)
      return []
    })
    const partitioning = resource['timePartitioning']
    if (partitioning !== undefined && !isRecord(partitioning)) {
      const message = `"timePartitioning" must be an object with "type" and "field", found ${describeValue(partitioning)}`
      this.#wrong(['timePartitioning'], 'table/layout', message)
    }
    return { clusteredBy, partition: isRecord(partitioning) ? this.#readPartition(partitioning, columns) : null }
  }

  #clusteringNames(clustering: unknown): readonly unknown[] {
    const names = isRecord(clustering) ? clustering['fields'] : clustering
    if (clustering === undefined || (isRecord(clustering) && Array.isArray(names)))
      return names === undefined ? [] : (names as unknown[])
    const example = JSON.stringify({ fields: typeof names === 'string' ? [names] : ['id'] })
    const message = `"clustering" must be an object with a list of fields, such as ${example}`
    this.#wrong(isRecord(clustering) ? ['clustering', 'fields'] : ['clustering'], 'table/layout', message)
    return []
  }

  #readPartition(partitioning: Record<string, unknown>, columns: readonly StructField[]): TableLayout['partition'] {
    const { type, field } = partitioning
    const unit = PARTITION_UNITS.find(name => typeof type === 'string' && name === type.toUpperCase())
    if (unit === undefined) {
      const more = typeof type === 'string' ? didYouMean(type, PARTITION_UNITS) : {}
      const message = `the type of timePartitioning must be one of ${PARTITION_UNITS.join(', ')}, found ${describeValue(type)}`
      this.#wrong(['timePartitioning', 'type'], 'table/layout', message, more)
    }
    const path: NodePath = ['timePartitioning', 'field']
    const column = field === undefined ? INGESTION_TIME : this.#columnOf(field, columns, path)
    if (column === null || unit === undefined) return null
    const { kind } = column.type
    if (!PARTITIONABLE.has(kind) || (kind === 'DATE' && unit === 'HOUR')) {
      const message = `rows cannot be partitioned by the ${unit} of ${column.name}, whose type is ${typeName(column.type)}`
      this.#wrong(path, 'table/layout', message)
    }
    const clash = columns.find(({ name }) => /^_partition/i.test(name))
    if (clash) this.#wrong(path, 'table/layout', `a table with partitions can have no column named ${clash.name}`)
    return { column: column.name, unit }
  }

  #columnOf(name: unknown, columns: readonly StructField[], path: NodePath): StructField | null {
    const column = columns.find(declared => declared.name === name)
    if (column) return column
    const names = columns.map(declared => declared.name)
    if (typeof name === 'string') {
      this.#wrong(path, 'table/unknown-field', `no field is named "${name}"`, didYouMean(name, names))
    } else this.#wrong(path, 'table/unknown-field', `the name of a field is a text, found ${describeValue(name)}`)
    return null
  }
}

const INGESTION_TIME: StructField = { name: PARTITION_TIME, type: { kind: 'TIMESTAMP' } }

// https://cloud.google.com/bigquery/docs/clustered-tables#limitations, and of partitions by a column
const CLUSTERABLE: ReadonlySet<string> = new Set(
  'STRING INT64 NUMERIC BIGNUMERIC BOOL DATE DATETIME TIMESTAMP'.split(' '),
)
const PARTITIONABLE: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP'])
