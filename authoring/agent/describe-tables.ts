/** The tool `describe_tables`: the tables that queries can read, for agents of authors. */

import { type SchemaField, type TableCatalogue, typeName } from '../../googlesql/index.js'
import { rowsAnswer, type ToolAnswer } from '../../runner/mcp/answers.js'
import { type GivenArguments, unknownArguments } from '../../runner/mcp/call-endpoint.js'
import type { OtherTool } from '../../runner/mcp/session.js'
import { READ_ONLY } from '../../runner/mcp/tools.js'
import { type ArgumentProblem, invalidArguments } from '../../runner/model/errors.js'
import { didYouMeanTable } from '../data/find-table.js'
import type { TableResource } from '../data/table-resource.js'
import { listOf, strictObject, TEXT } from './schemas.js'

export interface TableSources {
  /** All tables that a query can name now. */
  readonly catalogue: () => TableCatalogue
  /** What the schema files say besides types, by table; read anew each time. */
  readonly resources: () => Promise<ReadonlyMap<string, TableResource>>
  /** The most bytes of an answer. */
  readonly maxBytes: number
}

export function describeTablesTool({ catalogue, resources, maxBytes }: TableSources): OtherTool {
  return {
    tool: TOOL,
    async call(args) {
      const tables = catalogue()
      const names = namesOf(args, tables)
      const files = await resources()
      const all = { tables: names.map(name => describeTable(name, tables, files.get(name))) }
      if (Buffer.byteLength(JSON.stringify(all)) <= maxBytes) return answerOf(all)
      const note = 'The columns would be too long: name the tables whose columns you need.'
      return answerOf({ tables: names.map(name => ({ name })), note })
    },
  }
}

const answerOf = (value: Readonly<Record<string, unknown>>): ToolAnswer => rowsAnswer(JSON.stringify(value), null)

const COLUMN = strictObject({ name: TEXT, type: TEXT, required: { type: 'boolean' }, description: TEXT }, [
  'name',
  'type',
  'required',
])
const TABLE = strictObject(
  { name: TEXT, description: TEXT, columns: listOf(COLUMN), partitioned_by: TEXT, clustered_by: listOf(TEXT) },
  ['name'],
)

const TOOL: OtherTool['tool'] = {
  name: 'describe_tables',
  title: 'Describe tables',
  description:
    'The tables that SQL can read, with their columns and types in GoogleSQL. Write the names between backticks: `logs.edge`.',
  inputSchema: strictObject({
    tables: listOf(TEXT, { description: 'Only these tables; all without it.', examples: [['logs.edge']] }),
  }),
  outputSchema: strictObject({ tables: listOf(TABLE), note: TEXT }, ['tables']),
  annotations: READ_ONLY,
}

/** @throws RunnerError ARGUMENT_INVALID naming every table that does not exist. */
function namesOf(args: GivenArguments, catalogue: TableCatalogue): readonly string[] {
  const all = [...catalogue.names()].sort()
  const errors: ArgumentProblem[] = unknownArguments(args, ['tables'])
  const { tables = all } = args
  const isList = Array.isArray(tables) && tables.every(table => typeof table === 'string')
  if (!isList) errors.push({ parameter: 'tables', detail: 'must be a list of names' })
  for (const name of isList ? tables : []) {
    if (catalogue.find(name)) continue
    errors.push({ parameter: 'tables', detail: `there is no table ${name}${didYouMeanTable(name, all)}` })
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return tables as readonly string[]
}

function describeTable(name: string, catalogue: TableCatalogue, resource: TableResource | undefined): object {
  const { columns = [], required = [], partitionedBy } = catalogue.find(name) ?? {}
  const fields = new Map<string, SchemaField>(resource?.schema.fields.map(field => [field.name, field]))
  const clusteredBy = resource?.clustering?.fields
  return {
    name,
    ...descriptionMember(resource?.description),
    columns: columns.map(column => ({
      name: column.name,
      type: typeName(column.type),
      required: required.includes(column.name),
      ...descriptionMember(fields.get(column.name)?.description),
    })),
    ...(partitionedBy !== undefined && { partitioned_by: partitionedBy }),
    ...(clusteredBy && { clustered_by: clusteredBy }),
  }
}

const descriptionMember = (description: string | undefined): object => (description ? { description } : {})
