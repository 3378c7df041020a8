/** The effect of pipe operators on names: columns are added, dropped and renamed, while table aliases stay as they are. */
import type * as ast from '../../ast/nodes.js'
import type { Column, Computed, Scan } from '../../plan/nodes.js'
import type { NamedColumn, ResolveContext } from '../context.js'
import { requireReadable, type VisibleColumn, visibleColumn } from '../name-scope.js'
import type { FromResult } from '../queries/from.js'

/** The table that comes through a pipe. */
export interface Table extends FromResult {
  /** The only column of a value table, whose rows are this value; null for any other table. */
  readonly value: Column | null
}

/**
 * The columns of a query whose result is this table. The row of a value table is one column, although its fields are in scope.
 */
export function outputsOf({ names, value }: Table): readonly NamedColumn[] {
  const seen = new Set<number>()
  const aliasOf = (column: Column): string =>
    names.ranges.find(range => range.kind === 'value' && range.column.id === column.id)?.name ?? ''
  if (value) return [{ name: aliasOf(value), column: value }]
  return names.columns.flatMap(({ name, column, field }): NamedColumn[] => {
    if (field === null) return [{ name, column: requireReadable(column, null) }]
    if (seen.has(column.id)) return []
    seen.add(column.id)
    return [{ name: aliasOf(column), column }]
  })
}

/** The table with new columns at the end; a name that a new column and an old column share is ambiguous. */
export function extendColumns({ names }: Table, scan: Scan, added: readonly Column[]): Table {
  return {
    scan,
    names: { ...names, columns: [...names.columns, ...added.map(column => visibleColumn(column))] },
    value: null,
  }
}

/** SET: the table with each computed column in the place of the column that it replaces. */
export function replaceColumns(
  node: ast.PipeSet,
  { names }: Table,
  scan: Scan,
  computed: readonly Computed[],
  context: ResolveContext,
): Table {
  const replacements = new Map<VisibleColumn, VisibleColumn>()
  node.items.forEach(({ name }, i) => {
    const old = onlyColumn(name, names, 'SET', context)
    if (replacements.has(old)) context.fail(`Duplicate column ${name.name} in pipe SET`, name.at)
    replacements.set(old, visibleColumn(computed[i]!.column, old.name))
  })
  const columns = names.columns.map(column => replacements.get(column) ?? column)
  return { scan, names: { ...names, columns }, value: null }
}

export function renameColumns(node: ast.PipeRename, { scan, names }: Table, context: ResolveContext): Table {
  const renames = new Map<VisibleColumn, VisibleColumn>()
  for (const { from, to } of node.items) {
    const old = onlyColumn(from, names, 'RENAME', context)
    if (renames.has(old)) context.fail(`Duplicate column ${from.name} in pipe RENAME`, from.at)
    renames.set(old, { ...old, name: to.name })
  }
  return { scan, names: { ...names, columns: names.columns.map(column => renames.get(column) ?? column) }, value: null }
}

export function dropColumns(node: ast.PipeDrop, { scan, names }: Table, context: ResolveContext): Table {
  const dropped = new Set<string>()
  for (const name of node.columns) {
    if (dropped.has(name.name.toLowerCase())) context.fail(`Duplicate column ${name.name} in pipe DROP`, name.at)
    const matches = columnsCalled(name, names.columns)
    if (matches.length === 0) failMissing(name, 'DROP', context)
    for (const column of matches) refuseField(column, name, 'DROP', context)
    dropped.add(name.name.toLowerCase())
  }
  const columns = names.columns.filter(column => !dropped.has(column.name.toLowerCase()))
  if (columns.length === 0) context.fail('Pipe DROP cannot drop all columns', node.at)
  return { scan, names: { ...names, columns }, value: null }
}

const columnsCalled = (name: ast.Identifier, columns: readonly VisibleColumn[]): readonly VisibleColumn[] =>
  columns.filter(column => column.name.toLowerCase() === name.name.toLowerCase())

/** The only column with this name; refused where no column or several columns have it. */
function onlyColumn(
  name: ast.Identifier,
  { columns, ranges }: Table['names'],
  operator: string,
  context: ResolveContext,
): VisibleColumn {
  const [column, second] = columnsCalled(name, columns)
  if (second) return context.fail(`Column ${name.name} in pipe ${operator} is ambiguous`, name.at)
  if (!column) return failMissing(name, operator, context)
  refuseField(column, name, operator, context)
  // The alias stays in scope, so the name would be ambiguous.
  if (ranges.some(range => range.kind === 'value' && range.name.toLowerCase() === name.name.toLowerCase()))
    context.fail(`Pipe ${operator} cannot change ${name.name}, which is also the alias of a table of values`, name.at)
  return column
}

function failMissing(name: ast.Identifier, operator: string, context: ResolveContext): never {
  return context.fail(`Column ${name.name} in pipe ${operator} does not exist in the input table`, name.at)
}

function refuseField(column: VisibleColumn, name: ast.Identifier, operator: string, context: ResolveContext): void {
  if (column.field === null) return
  context.fail(`Pipe ${operator} cannot change ${name.name}, which is a field of a row that is one value`, name.at)
}
