/** The resolver: turns SQL text into a resolved query, or throws an SqlError in BigQuery's words, with the place. */
import { parseScript } from '../parse/parse.js'
import type { Column, OutputColumn, ResolvedQuery, TableReference } from '../plan/nodes.js'
import { SqlError } from '../sql-error.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import { columnFacts } from './column-facts.js'
import type { Functions, ResolveContext } from './context.js'
import { resolveExpression } from './expressions/expression.js'
import { UnreadableColumnError } from './name-scope.js'
import { resolveQueryNode } from './queries/query.js'
import { defineFunctions } from './udf.js'

/**
 * @param parameterTypes the types of the query's named parameters; names are matched without regard to case
 * @throws SqlError for anything that is not a valid query over these tables and parameters
 */
export function resolveQuery(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
): ResolvedQuery {
  const { functions, query } = parseScript(source)
  const within = resolutions(source, tables, parameterTypes)
  const resolution = within(defineFunctions(functions, source, within))
  try {
    const result = resolution.query(query, { outer: null, ctes: new Map() })
    return {
      scan: result.scan,
      columns: withFacts(nameOutputs(result.columns, query.at, source), result.scan, tables),
      parameters: [...resolution.usedParameters.values()],
      tables: [...resolution.usedTables],
      tableReferences: [...resolution.tableReferences.values()],
    }
  } catch (error) {
    if (error instanceof UnreadableColumnError) throw new SqlError(error.message, source, error.at ?? query.at)
    throw error
  }
}

/** Returns a function that makes the resolutions of one query's parts: they share all state except the functions to call. */
function resolutions(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
): (functions: Functions) => ResolveContext {
  let columns = 0
  let ctes = 0
  const shared = {
    source,
    tables,
    parameterTypes: new Map(Object.entries(parameterTypes).map(([name, type]) => [name.toLowerCase(), type])),
    usedParameters: new Map<string, string>(),
    usedTables: new Set<string>(),
    tableReferences: new Map<number, TableReference>(),
    calls: { total: 0, open: 0 },
    newColumn: (name: string, type: Type): Column => ({ id: ++columns, name, type }),
    newCte: (): number => ++ctes,
    fail: (reason: string, at: number): never => {
      throw new SqlError(reason, source, at)
    },
  }
  const within = (functions: Functions): ResolveContext => {
    const resolution: ResolveContext = {
      ...shared,
      functions,
      within,
      expression: (node, env) => resolveExpression(node, env, resolution),
      query: (node, env) => resolveQueryNode(node, env, resolution),
    }
    return resolution
  }
  return within
}

function withFacts(
  outputs: readonly NamedOutput[],
  scan: ResolvedQuery['scan'],
  tables: TableCatalogue,
): readonly OutputColumn[] {
  const facts = columnFacts(
    scan,
    outputs.map(({ column }) => column),
    tables,
  )
  return outputs.map((output, i) => {
    const { isNeverNull, isSmall } = facts[i]!
    return { ...output, isNeverNull, isSmallInteger: isSmall && output.type.kind === 'INT64' }
  })
}

type NamedOutput = Pick<OutputColumn, 'name' | 'type' | 'column'>

/** The output columns with their names: f0_, f1_, … for those without one. Duplicate names are an error, as in BigQuery. */
function nameOutputs(
  columns: readonly { readonly name: string; readonly column: OutputColumn['column'] }[],
  at: number,
  source: string,
): readonly NamedOutput[] {
  const taken = new Set<string>()
  const duplicates = new Set<string>()
  for (const { name } of columns) {
    if (name === '') continue
    if (taken.has(name.toLowerCase())) duplicates.add(name)
    taken.add(name.toLowerCase())
  }
  if (duplicates.size > 0) {
    throw new SqlError(
      `Duplicate column names in the result are not supported. Found duplicate(s): ${[...duplicates].join(', ')}`,
      source,
      at,
    )
  }
  let anonymous = 0
  return columns.map(({ name, column }) => {
    let shown = name
    while (shown === '') {
      const candidate = `f${anonymous++}_`
      if (!taken.has(candidate)) shown = candidate
    }
    return { name: shown, type: column.type, column }
  })
}
