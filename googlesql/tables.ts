/** The tables that a query may read, and the conversion of BigQuery's JSON table schemas to their columns. */
import { type Absence, absenceOfTable, absenceOfViews, type BrokenTables, NO_BROKEN_TABLES } from './broken-tables.js'
import { informationSchemaName, informationSchemaTable, isComputedView } from './information-schema.js'
import { type FunctionCatalogue, type FunctionSources, functionCatalogue, NO_FUNCTIONS } from './stored-functions.js'
import type { TableDefinition, TypeLimits } from './table-definition.js'
import { arrayOf, type StructField, scalarType, structOf, type Type } from './types/types.js'
import { isWildcard, wildcardTables } from './wildcard-tables.js'

export type { TableDefinition } from './table-definition.js'

export interface TableCatalogue {
  /**
   * The table with this name, dots included; undefined for any other name. Names are case-sensitive, unless `ignoresCase` is
   * set. A name that ends in `*` is a wildcard table.
   */
  find(name: string): TableDefinition | undefined
  /** All names, for "did you mean". */
  names(): readonly string[]
  /** Why there is no table with this name, if the reason is known. */
  absence(name: string): Absence | undefined
  /** The functions that are kept in a dataset. */
  readonly functions: FunctionCatalogue
}

/** One field of a BigQuery JSON schema, as `bq show --schema --format=prettyjson` prints it. */
export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly SchemaField[]
  readonly description?: string
  /**
   * `precision`, `scale` and `maxLength` are the parameters of NUMERIC(10, 2) and STRING(20); `bq show` prints them as
   * strings.
   */
  readonly precision?: string | number
  readonly scale?: string | number
  readonly maxLength?: string | number
  readonly roundingMode?: string
  /** The type of the bounds of a RANGE. */
  readonly rangeElementType?: { readonly type: string } | undefined
  readonly collation?: string
  readonly defaultValueExpression?: string
  /** The names of the policy tags, which restrict the readers of the column. */
  readonly policyTags?: { readonly names: readonly string[] }
}

/** The names of types in JSON schemas that differ from the names in SQL. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }

/** The type of a field; undefined when its name, or the name of a nested field's type, is not known. */
export function fieldType(field: SchemaField): Type | undefined {
  const upper = field.type.toUpperCase()
  let type: Type | undefined
  if (upper === 'RECORD' || upper === 'STRUCT') {
    const fields = fieldsToColumns(field.fields ?? [])
    type = fields && structOf(fields)
  } else {
    type = scalarType(bareTypeName(field))
  }
  return type && (field.mode?.toUpperCase() === 'REPEATED' ? arrayOf(type) : type)
}

/** The SQL name of a field's type without parameters. */
function bareTypeName({ type, rangeElementType }: Pick<SchemaField, 'type' | 'rangeElementType'>): string {
  const upper = type.toUpperCase()
  if (upper === 'RANGE') return `RANGE<${rangeElementType?.type.toUpperCase() ?? ''}>`
  return Object.hasOwn(LEGACY_NAMES, upper) ? LEGACY_NAMES[upper]! : upper
}

/**
 * The SQL name of a field's type with its parameters, `NUMERIC(10, 2)`; the element's type if repeated; `STRUCT` for a
 * record.
 */
export function standardTypeName({ type, precision, scale, maxLength, rangeElementType }: SchemaField): string {
  const name = bareTypeName({ type, rangeElementType })
  if (name === 'RECORD') return 'STRUCT'
  const parameters = [precision ?? maxLength, precision === undefined ? undefined : scale].filter(
    value => value !== undefined && value !== '',
  )
  return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`
}

/** The columns of a schema's fields; undefined if a field has an unknown type. */
export function fieldsToColumns(fields: readonly SchemaField[]): readonly StructField[] | undefined {
  const columns: StructField[] = []
  for (const field of fields) {
    const type = fieldType(field)
    if (!type) return undefined
    columns.push({ name: field.name, type })
  }
  return columns
}

/** The paths of the values that are never NULL by the modes of these fields, as in `TableDefinition.required`. */
export function requiredPaths(fields: readonly SchemaField[], record = ''): readonly string[] {
  return fields.flatMap(({ name, mode, fields: nested = [] }) => {
    const path = record + name
    switch (mode?.toUpperCase()) {
      case 'REQUIRED':
        return [path, ...requiredPaths(nested, `${path}.`)]
      case 'REPEATED':
        return [`${path}[]`, ...requiredPaths(nested, `${path}[].`)]
      default:
        return requiredPaths(nested, `${path}.`)
    }
  })
}

/** The parameters of the types of these fields, as in `TableDefinition.limits`. */
export function typeLimits(fields: readonly SchemaField[], record = ''): Readonly<Record<string, TypeLimits>> {
  const count = (value: string | number | undefined): number | null =>
    value !== undefined && /^\d{1,9}$/.test(String(value)) ? Number(value) : null
  const limits: Record<string, TypeLimits> = {}
  for (const { name, mode, precision, scale, maxLength, fields: nested = [] } of fields) {
    const path = record + name
    const size = { precision: count(precision), scale: count(precision) === null ? null : (count(scale) ?? 0) }
    if (size.precision !== null || count(maxLength) !== null) limits[path] = { ...size, maxLength: count(maxLength) }
    Object.assign(limits, typeLimits(nested, `${path}${mode?.toUpperCase() === 'REPEATED' ? '[]' : ''}.`))
  }
  return limits
}

/** The default project and dataset, which complete table names that a query writes without them. */
export interface TableNaming {
  /** The default project `p`: `p.dataset.table` and `dataset.table` are the same table; null for no default. */
  readonly project: string | null
  /** The default dataset, `dataset` or `project.dataset`, of names without a dataset; null for no default. */
  readonly defaultDataset: string | null
  /** Whether an unknown name refers to the only table whose name equals it without regard to case. @default false */
  readonly ignoresCase?: boolean
}

const AS_WRITTEN: TableNaming = { project: null, defaultDataset: null }

/**
 * A catalogue of these tables. A name means the table with exactly this name; only if no table has it, `naming` completes it.
 *
 * @param absences the reasons, by name, why the catalogue lacks tables that an author may expect
 * @param functions the functions that are kept in a dataset
 * @param broken tables that no query can read, even if `tables` has them
 */
export function tableCatalogue(
  tables: readonly TableDefinition[],
  naming: TableNaming = AS_WRITTEN,
  absences: ReadonlyMap<string, Absence> = new Map(),
  functions: FunctionSources = NO_FUNCTIONS,
  broken: BrokenTables = NO_BROKEN_TABLES,
): TableCatalogue {
  const byName = new Map(tables.map(table => [table.name, table]))
  const wildcards = wildcardTables(tables)
  const findExact = (name: string): TableDefinition | undefined =>
    isWildcard(name) ? wildcards.wildcard(name) : (byName.get(name) ?? wildcards.shard(name))
  return {
    find(name) {
      const viewName = informationSchemaName(name)
      if (viewName) {
        const datasets = datasetNames(viewName.dataset, naming)
        if (absenceOfViews(broken, datasets) !== undefined) return undefined
        const declaredTables = datasets.map(dataset => byName.get(`${dataset}.INFORMATION_SCHEMA.${viewName.view}`))
        return declaredTables.find(table => table !== undefined) ?? informationSchema(viewName.view, datasets, tables)
      }
      const candidates = [name, ...otherNames(name, naming)]
      for (const candidate of candidates) {
        // A broken schema does not tell which types the columns in the table's files have.
        if (absenceOfTable(broken, candidate) !== undefined) return undefined
        const table = findExact(candidate)
        if (table) return table
      }
      return naming.ignoresCase ? onlyTableNamed(candidates, tables) : undefined
    },
    names: () => [...byName.keys()].filter(name => absenceOfTable(broken, name) === undefined),
    absence(name) {
      const viewName = informationSchemaName(name)
      if (viewName)
        return (
          absenceOfViews(broken, datasetNames(viewName.dataset, naming)) ?? {
            reason: noSuchView(name),
          }
        )
      const legacy = LEGACY_LIST.exec(name)
      if (legacy) return { reason: legacyReplacement(legacy[1] ?? '') }
      const candidates = [name, ...otherNames(name, naming)]
      return candidates
        .map(candidate => absenceOfTable(broken, candidate) ?? absences.get(candidate))
        .find(absence => absence !== undefined)
    },
    functions: functionCatalogue(functions, name => otherNames(name, { ...naming, defaultDataset: null })),
  }
}

/** The only table that has one of these names in any letter case; undefined where no table or several tables match. */
function onlyTableNamed(names: readonly string[], tables: readonly TableDefinition[]): TableDefinition | undefined {
  const lowerNames = new Set(names.map(name => name.toLowerCase()))
  const [match, another] = tables.filter(({ name }) => lowerNames.has(name.toLowerCase()))
  return another ? undefined : match
}

const COMPUTED_VIEWS =
  'INFORMATION_SCHEMA has TABLES, COLUMNS, COLUMN_FIELD_PATHS and PARTITIONS here, each of a dataset with tables'

const noSuchView = (name: string): string =>
  COMPUTED_VIEWS + (isComputedView(name) ? '' : `; any other view needs a table schema, ${name}.json`)

/** The names of the lists of tables that BigQuery had before INFORMATION_SCHEMA: `__TABLES__` and `__TABLES_SUMMARY__`. */
const LEGACY_LIST = /^(.+\.)?__TABLES(?:_SUMMARY)?__$/i

const legacyReplacement = (dataset: string): string =>
  `${dataset}INFORMATION_SCHEMA.TABLES has the tables, and ${dataset}INFORMATION_SCHEMA.PARTITIONS their rows`

/** The view of the first of these datasets that has tables; undefined where no dataset has tables, and for an unknown view. */
function informationSchema(
  view: string,
  datasets: readonly string[],
  tables: readonly TableDefinition[],
): TableDefinition | undefined {
  const dataset = datasets.find(candidate =>
    tables.some(({ name }) => name.startsWith(`${candidate}.`) && !name.includes('.', candidate.length + 1)),
  )
  return dataset === undefined ? undefined : informationSchemaTable(dataset, view)
}

/**
 * The names of a dataset: as written, without the default project, and with it. Where a query writes no dataset, these are the
 * names of the default dataset.
 */
function datasetNames(dataset: string | null, { project, defaultDataset }: TableNaming): readonly string[] {
  const name = dataset ?? defaultDataset
  if (name === null) return []
  const short = project !== null && name.startsWith(`${project}.`) ? name.slice(project.length + 1) : name
  return [name, short, ...(project === null ? [] : [`${project}.${short}`])]
}

function otherNames(name: string, { project, defaultDataset }: TableNaming): readonly string[] {
  if (!name.includes('.')) {
    if (defaultDataset === null) return []
    const full = `${defaultDataset}.${name}`
    return [full, ...otherNames(full, { project, defaultDataset: null })]
  }
  if (project === null) return []
  if (!name.startsWith(`${project}.`)) return isWithoutProject(name) ? [`${project}.${name}`] : []
  const rest = name.slice(project.length + 1)
  return isWithoutProject(rest) ? [rest] : []
}

const isWithoutProject = (name: string): boolean => /^[^.]+\.[^.]+$/.test(name)
