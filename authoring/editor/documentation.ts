/** What the editor shows about a name, in Markdown: its type, and what its author or BigQuery's documentation says about it. */
import {
  type FunctionSource,
  type ListedFunction,
  listFunctions,
  type SchemaField,
  typeName,
} from '../../googlesql/index.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import type { Lookup, Manifest } from '../../runner/model/manifest.js'
import type { ColumnOrigin, ScopeColumn } from './sql/columns.js'

type Parameter = NonNullable<Manifest['parameters']>[string]

const code = (text: string): string => `\`\`\`sql\n${text}\n\`\`\``
const paragraphs = (parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined && part !== '').join('\n\n')
const quoted = (words: readonly unknown[]): string => words.map(word => `\`${String(word)}\``).join(', ')

export function columnText(column: ScopeColumn, tables: ReadonlyMap<string, LoadedTable>): string {
  const { origin } = column
  const field = origin && fieldAt(tables.get(origin.table)?.fields, origin.path)
  const from = origin && `Column \`${origin.path.join('.')}\` of \`${origin.table}\``
  const mode = field?.mode?.toUpperCase() === 'REQUIRED' ? ', never NULL.' : '.'
  return paragraphs([
    code(column.type ? `${column.name} ${typeName(column.type)}` : column.name),
    field?.description,
    from ? from + mode : '',
  ])
}

/** The schema's field of a column. */
function fieldAt(fields: readonly SchemaField[] | undefined, path: ColumnOrigin['path']): SchemaField | undefined {
  const [first, ...rest] = path
  const field = fields?.find(({ name }) => name.toLowerCase() === first?.toLowerCase())
  return rest.length === 0 ? field : fieldAt(field?.fields, rest)
}

export function tableText(table: Pick<LoadedTable, 'name' | 'columns'>): string {
  const columns = table.columns.map(({ name, type }) => `- \`${name}\` ${typeName(type)}`)
  return paragraphs([`Table \`${table.name}\``, columns.join('\n')])
}

export function parameterText(name: string, parameter: Parameter): string {
  if (name === 'now') return NOW_TEXT
  const { type, required, description, examples, default: fallback, enum: allowed } = parameter
  const facts = [
    required === true ? 'Required.' : 'Optional.',
    allowed ? `One of ${quoted(allowed)}.` : '',
    fallback === undefined ? '' : `Default: ${quoted([fallback])}.`,
    examples && examples.length > 0 ? `Examples: ${quoted(examples)}.` : '',
  ]
  return paragraphs([
    code(`@${name} ${String(type).toUpperCase()}`),
    description,
    facts.filter(fact => fact !== '').join(' '),
  ])
}

export const NOW_TEXT = paragraphs([
  code('@now TIMESTAMP'),
  'The time of the query, truncated as `settings.now_granularity` says.',
])

/** All values of a lookup's field, one for each row. */
export function lookupText(name: string, field: string | null, { by, rows, default: fallback }: Lookup): string {
  const lines = Object.entries(rows).map(([row, fields]) => {
    const value = field === null ? JSON.stringify(fields) : String(fields[field])
    return `- \`${row}\`: \`${value}\`${row === fallback ? ' (default)' : ''}`
  })
  const title = field === null ? `Lookup table \`${name}\`` : `Lookup value \`${name}.${field}\``
  return paragraphs([`${title}, by the argument \`${by}\``, lines.join('\n')])
}

export const constantText = (name: string, value: unknown): string =>
  paragraphs([`Constant \`${name}\``, `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``])

/** The longest part of a partial or a function that is shown, in lines. */
const MAX_PARTIAL_LINES = 20

export const partialText = (name: string, text: string): string =>
  paragraphs([`Partial \`${name}\``, code(firstLines(text))])

function firstLines(text: string): string {
  const lines = text.trimEnd().split('\n')
  return (lines.length > MAX_PARTIAL_LINES ? [...lines.slice(0, MAX_PARTIAL_LINES), '…'] : lines).join('\n')
}

/** A function that is kept in a dataset. */
export const storedFunctionText = ({ name, text }: FunctionSource): string =>
  paragraphs([`Function \`${name}\``, code(firstLines(text))])

export function functionText({ signatures, modes, documentation, isInBigQuery, kind }: ListedFunction): string {
  return paragraphs([
    code(signatures.join('\n')),
    kind === 'scalar' || kind === 'form' ? '' : `${kind === 'window' ? 'Window' : 'Aggregate'} function.`,
    modes.length > 0 ? `May be written with ${modes.join(', ')}.` : '',
    isInBigQuery ? '' : 'BigQuery itself does not have this function.',
    `[Documentation](${documentation})`,
  ])
}

/** Every function, by its upper-case names. */
export const FUNCTIONS: ReadonlyMap<string, readonly ListedFunction[]> = (() => {
  const byName = new Map<string, ListedFunction[]>()
  for (const entry of listFunctions()) {
    if (entry.kind === 'operator') continue
    for (const name of [entry.name, ...entry.aliases]) byName.set(name, [...(byName.get(name) ?? []), entry])
  }
  return byName
})()
