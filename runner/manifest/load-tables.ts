/** Table schemas, as `bq show --schema` prints them, or whole table resources → definitions for the resolver. */
import { readdir } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { fieldType, type SchemaField, type TableDefinition } from '../googlesql/tables.js'
import type { StructField } from '../googlesql/types.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import { readOne, type SourceText } from './discover.js'
import { parseManifest } from './parse.js'
import { describeValue, diagnosticAt } from './report.js'
import type { ManifestSource, NodePath } from './source.js'

/** What a full table resource says about how the table's files should lie. */
export interface TableLayout {
  readonly clusteredBy: readonly string[]
  readonly partitionedBy: string | null
}

export interface LoadedTable extends TableDefinition {
  readonly layout: TableLayout
  /** As authored, for engines and for the import of files. */
  readonly fields: readonly SchemaField[]
  /** From the file's name. */
  readonly file: string
}

export interface LoadedTables {
  readonly tables: readonly LoadedTable[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads every `<dataset>.<table>.json` in `dir`. A folder that is not there holds no tables. */
export async function loadTableSchemas(dir: string): Promise<LoadedTables> {
  const diagnostics: Diagnostic[] = []
  let names: string[] = []
  try {
    names = (await readdir(dir)).filter(name => name.endsWith('.json')).sort()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
  }
  const folder = dir.split(sep).join('/')
  const texts = await Promise.all(names.map(name => readOne(join(dir, name), posix.join(folder, name), diagnostics)))
  const read = texts.filter(text => text !== null).map(readTableSchema)
  diagnostics.push(...read.flatMap(one => one.diagnostics))
  return { tables: read.flatMap(one => one.table ?? []), diagnostics: diagnostics.sort(compareDiagnostics) }
}

const TABLE_NAME = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Reads one schema; JSON is YAML, so that its mistakes are placed too. Null when it has mistakes. */
export function readTableSchema({ file, text }: SourceText): {
  table: LoadedTable | null
  diagnostics: readonly Diagnostic[]
} {
  const name = file.replace(/^.*\//, '').replace(/\.json$/, '')
  const parsed = parseManifest(file, text)
  if (parsed.source === null || parsed.diagnostics.length > 0) return { table: null, diagnostics: parsed.diagnostics }
  const reader = new SchemaReader(parsed.source)
  if (!TABLE_NAME.test(name)) reader.wrong([], 'table/file-name', 'a table schema is named <dataset>.<table>.json')
  const isResource = isRecord(parsed.value)
  const resource: Record<string, unknown> = isRecord(parsed.value) ? parsed.value : {}
  const fieldsPath: NodePath = isResource ? ['schema', 'fields'] : []
  const fields = isResource ? (isRecord(resource['schema']) ? resource['schema']['fields'] : undefined) : parsed.value
  const columns = reader.readFields(fields, fieldsPath)
  const layout = reader.readLayout(resource, new Set(columns.map(column => column.name)))
  if (reader.diagnostics.length > 0) return { table: null, diagnostics: reader.diagnostics }
  return { table: { name, columns, layout, fields: fields as readonly SchemaField[], file }, diagnostics: [] }
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

  wrong(path: NodePath, rule: string, message: string): void {
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

  readLayout(resource: Record<string, unknown>, columns: ReadonlySet<string>): TableLayout {
    const clustering = isRecord(resource['clustering']) ? resource['clustering']['fields'] : undefined
    const partitioning = isRecord(resource['timePartitioning']) ? resource['timePartitioning']['field'] : undefined
    const known = (name: unknown, path: NodePath): name is string => {
      if (typeof name === 'string' && columns.has(name)) return true
      this.wrong(path, 'table/unknown-field', `no field is named ${describeValue(name)}`)
      return false
    }
    const clusteredBy = (Array.isArray(clustering) ? clustering : []).filter((name: unknown, i): name is string =>
      known(name, ['clustering', 'fields', i]),
    )
    const isPartitioned = partitioning !== undefined && known(partitioning, ['timePartitioning', 'field'])
    return { clusteredBy, partitionedBy: isPartitioned ? partitioning : null }
  }
}
