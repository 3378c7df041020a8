/** The rows of INFORMATION_SCHEMA: the tables that there are when the query runs. */
import { informationSchemaName, type TableDefinition, typeName } from '../../../../googlesql/data.js'
import { quoteText } from '../../../../googlesql-duckdb/data.js'

/** Whether the name is that of a view of INFORMATION_SCHEMA. */
export const isInformationSchema = (name: string): boolean => informationSchemaName(name) !== null

/** The SQL of the view with this name over these tables; null for no tables, of which nothing but the columns counts. */
export function informationSchemaSql(name: string, tables: readonly TableDefinition[] | null): string {
  const { dataset, view } = informationSchemaName(name)!
  const schema = dataset!.slice(dataset!.lastIndexOf('.') + 1)
  const catalog = dataset!.includes('.') ? dataset!.slice(0, dataset!.lastIndexOf('.')) : null
  const own = (tables ?? []).flatMap(table => {
    const rest = table.name.startsWith(`${dataset}.`) ? table.name.slice(dataset!.length + 1) : ''
    return rest === '' || /[.*]/.test(rest) ? [] : [{ table, name: rest }]
  })
  const rows = own.flatMap(one => {
    const first: Row = [catalog, schema, one.name]
    if (view === 'TABLES') return [[...first, 'BASE TABLE', 'YES', 'NO']]
    return columnsOf(one.table).map(column => [...first, ...column])
  })
  const columns = view === 'TABLES' ? TABLES : COLUMNS
  const empty = `(${columns.split(', ').map(column => (column === 'ordinal_position' ? 'NULL::BIGINT' : 'NULL::VARCHAR'))})`
  const values = [empty, ...rows.map(row => `(${row.map(valueSql).join(', ')})`)].join(', ')
  return `SELECT * FROM (VALUES ${values}) AS v(${columns}) WHERE table_schema IS NOT NULL`
}

type Row = readonly (string | number | null)[]

const TABLES = 'table_catalog, table_schema, table_name, table_type, is_insertable_into, is_typed'
const COLUMNS =
  'table_catalog, table_schema, table_name, column_name, ordinal_position, is_nullable, data_type, is_generated, ' +
  'is_hidden, is_system_defined, is_partitioning_column'

function columnsOf({ columns, pseudoColumns = [], required = [], partitionedBy }: TableDefinition): readonly Row[] {
  const pseudo = new Set(pseudoColumns.map(({ name }) => name))
  const all = [...columns.filter(({ name }) => !pseudo.has(name)), ...pseudoColumns]
  return all.map(({ name, type }, i) => {
    const isHidden = pseudo.has(name)
    const isNullable = type.kind !== 'ARRAY' && !required.includes(name)
    const position = isHidden ? null : i + 1
    const [hidden, partitioning] = [isHidden, name === partitionedBy].map(yesNo)
    return [name, position, yesNo(isNullable), typeName(type), 'NEVER', hidden!, hidden!, partitioning!]
  })
}

const yesNo = (is: boolean): string => (is ? 'YES' : 'NO')

const valueSql = (value: string | number | null): string =>
  typeof value === 'string' ? quoteText(value) : value === null ? 'NULL' : `${value}`
