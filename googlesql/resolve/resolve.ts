/** The resolver: turns SQL text into a resolved query, or throws an SqlError in BigQuery's words, with the place. */
import type { SqlMistake } from '../mistakes.js'
import { parseScript } from '../parse/parse.js'
import type { Column, OutputColumn, OutputFacts, ResolvedQuery, TableReference } from '../plan/nodes.js'
import { SqlError } from '../sql-error.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import { columnFacts, type ValueFacts } from './column-facts.js'
import type { Functions, QueryEnv, ResolveContext, Variables } from './context.js'
import { resolveExpression } from './expressions/expression.js'
import { UnreadableColumnError } from './name-scope.js'
import { resolveQueryNode } from './queries/query.js'
import { type FunctionMistake, findFunctionMistakes } from './stored-functions.js'
import { defineFunctions } from './udf.js'
import { declareVariables } from './variables.js'

/**
 * @param parameterTypes the types of the query's named parameters; names are matched without regard to case
 * @throws SqlError for anything that is not a valid query over these tables and parameters
 */
export function resolveQuery(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
): ResolvedQuery {
  return resolveWithUndeclared(source, tables, parameterTypes, null)
}

/**
 * Resolves a query as `resolveQuery` does, and calls `onUndeclared` for each use of a parameter without a type; such a use
 * becomes an untyped NULL.
 */
export function resolveWithUndeclared(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  onUndeclared: ResolveContext['onUndeclared'],
): ResolvedQuery {
  const { functions, variables, query } = parseScript(source)
  const contextWith = resolutions(source, tables, parameterTypes, onUndeclared)
  const definedFunctions = defineFunctions(functions, source, contextWith)
  const resolution = contextWith(
    definedFunctions,
    declareVariables(variables, earlier => contextWith(definedFunctions, earlier)),
  )
  try {
    const result = resolution.query(query, resolution)
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

/**
 * The mistakes in the functions that are kept in datasets: at most one mistake in each function. The body of a function with a parameter of
 * ANY TYPE is checked where it is called.
 */
export const functionMistakes = (tables: TableCatalogue): readonly FunctionMistake[] =>
  findFunctionMistakes(tables, source => resolutions(source, tables, {}, null)(new Map()))

/** Returns a function that makes the contexts of one query's parts, which share all state except the functions and variables. */
function resolutions(
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  onUndeclared: ResolveContext['onUndeclared'],
): (functions: Functions, variables?: Variables) => QueryEnv {
  let columns = 0
  let ctes = 0
  const shared = {
    source,
    tables,
    parameterTypes: new Map(Object.entries(parameterTypes).map(([name, type]) => [name.toLowerCase(), type])),
    onUndeclared,
    usedParameters: new Map<string, string>(),
    usedTables: new Set<string>(),
    tableReferences: new Map<number, TableReference>(),
    calls: { total: 0, depth: 0, variables: 0, stored: [] },
    newColumn: (name: string, type: Type): Column => ({ id: ++columns, name, type }),
    newCte: (): number => ++ctes,
    expression: resolveExpression,
    query: resolveQueryNode,
    outer: null,
    ctes: new Map(),
  }
  const failIn =
    (text: string) =>
    (reason: string, at: number, mistake?: SqlMistake): never => {
      throw new SqlError(reason + (mistake?.hint ?? ''), text, at, mistake)
    }
  // Table references in a stored function are not kept: their offsets are not in the text of the query.
  const withStoredText = (text: string, variables: Variables = new Map()): QueryEnv => ({
    ...shared,
    source: text,
    parameterTypes: new Map(),
    onUndeclared: null,
    tableReferences: new Map(),
    functions: new Map(),
    variables,
    withFunctions: () => withStoredText(text),
    withStoredText,
    fail: failIn(text),
  })
  const withFunctions = (functions: Functions, variables: Variables = new Map()): QueryEnv => {
    return { ...shared, functions, variables, withFunctions, withStoredText, fail: failIn(source) }
  }
  return withFunctions
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
  return outputs.map((output, i) => ({ ...output, ...outputFacts(facts[i]!, output.type) }))
}

function outputFacts(facts: ValueFacts, type: Type): OutputFacts {
  const { isNeverNull, isSmall, parts } = facts
  const [record, fieldFacts] = type.kind === 'ARRAY' ? [type.element, parts[0]?.parts ?? []] : [type, parts]
  const isRecord = record.kind === 'STRUCT' && fieldFacts.length > 0
  const fields = isRecord ? record.fields.map((field, i) => outputFacts(fieldFacts[i]!, field.type)) : []
  const hasFacts = fields.some(field => field.isNeverNull || field.isSmallInteger || field.fields)
  return { isNeverNull, isSmallInteger: isSmall && type.kind === 'INT64', ...(hasFacts && { fields }) }
}

/** The prefixes of pseudo columns, which no column of a table, and so no column of a result, may have. */
const RESERVED_PREFIX = /^(?:_PARTITION|_TABLE_|_FILE_|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i

type NamedOutput = Pick<OutputColumn, 'name' | 'type' | 'column'>

/**
 * The output columns with their names: f0_, f1_, … for columns without a name, and `a`, `a_1`, … for columns that share the
 * name `a`. BigQuery does the same for a result without a destination table.
 */
function nameOutputs(
  columns: readonly { readonly name: string; readonly column: OutputColumn['column'] }[],
  at: number,
  source: string,
): readonly NamedOutput[] {
  const reserved = columns.find(({ name }) => RESERVED_PREFIX.test(name))
  if (reserved) {
    throw new SqlError(
      `Invalid field name "${reserved.name}". Field names are not allowed to start with the (case-insensitive) prefixes ` +
        '_PARTITION, _TABLE_, _FILE_, _ROW_TIMESTAMP, __ROOT__ and _COLIDENTIFIER',
      source,
      at,
    )
  }
  const names = new Set(columns.map(({ name }) => name.toLowerCase()))
  const counts = new Map<string, number>()
  let anonymous = 0
  return columns.map(({ name, column }) => {
    if (name === '') {
      let shown = ''
      do shown = `f${anonymous++}_`
      while (names.has(shown))
      return { name: shown, type: column.type, column }
    }
    const count = counts.get(name.toLowerCase()) ?? 0
    counts.set(name.toLowerCase(), count + 1)
    const shown = count === 0 ? name : `${name}_${count}`
    if (count > 0 && names.has(shown.toLowerCase())) {
      throw new SqlError(
        `Duplicate column names in the result are not supported. Found duplicate(s): ${name}`,
        source,
        at,
      )
    }
    return { name: shown, type: column.type, column }
  })
}
