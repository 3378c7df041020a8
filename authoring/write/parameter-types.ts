/** Infers types for the parameters of a query, which does not declare them. */
import {
  inferParameters,
  orMistake,
  parseTypeName,
  resolveQuery,
  SqlError,
  scalarType,
  type TableCatalogue,
  type Type,
  typeName,
} from '../../googlesql/index.js'
import { bigqueryType } from '../../runner/manifest/bigquery-type.js'
import { type ParameterType, SCALAR_PARAMETER_TYPES } from '../../runner/model/param.js'

/** The scalar types that a manifest can declare, in the order in which they are tried if no use of a parameter requires a type. */
const SCALARS = ['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'datetime'] as const
const NOW = { now: scalarType('TIMESTAMP')! }

/** A parameter with the type that its uses ask for. */
export interface TypedParameter {
  readonly name: string
  readonly type: ParameterType
}

type TypeChoice = Readonly<Record<string, ParameterType>>

/** The parameters in the order of the query. @throws SqlError in BigQuery's words for a query that is not valid with any types. */
export function parameterTypes(sql: string, tables: TableCatalogue): readonly TypedParameter[] {
  const lists = inferLists(sql, tables)
  const choice = { ...inferScalars(sql, tables, lists), ...lists }
  resolveQuery(sql, tables, typesOf(choice))
  const positionOf = ({ name }: TypedParameter): number => sql.toLowerCase().indexOf(`@${name.toLowerCase()}`)
  return Object.entries(choice)
    .map(([name, type]) => ({ name, type }))
    .sort((a, b) => positionOf(a) - positionOf(b))
}

/** The types by name, with the type of `@now`. */
const typesOf = (choice: TypeChoice): Readonly<Record<string, Type>> => ({
  ...NOW,
  ...Object.fromEntries(Object.entries(choice).map(([name, type]) => [name, typeOf(type)])),
})

function inferScalars(sql: string, tables: TableCatalogue, lists: TypeChoice): TypeChoice {
  const inferred = orMistake(() => inferParameters(sql, tables, typesOf(lists)))
  if (inferred instanceof SqlError) {
    // Some functions take no NULL where they take a parameter.
    const names = namesIn(sql, /@([A-Za-z_]\w*)/g, ['now', ...Object.keys(lists)])
    const types = firstFitting(names, '', chosen =>
      isValid(() => resolveQuery(sql, tables, typesOf({ ...lists, ...chosen }))),
    )
    if (types === null) throw inferred
    return types
  }
  const all = inferred.map(({ name, types }) => {
    const usedTypes = types.flatMap(type => parameterType(type) ?? [])
    const fits = (type: ParameterType): boolean =>
      isValid(() => inferParameters(sql, tables, typesOf({ ...lists, [name]: type })))
    return [name, [...usedTypes, ...SCALARS].find(fits) ?? 'string'] as const
  })
  return Object.fromEntries(all)
}

/** The names that the pattern finds in the query, each once, except those of `excluded`. */
function namesIn(sql: string, pattern: RegExp, excluded: readonly string[]): readonly string[] {
  const lowerCase = new Set(excluded.map(name => name.toLowerCase()))
  const names = new Set([...sql.matchAll(pattern)].map(([, name]) => name!))
  return [...names].filter(name => !lowerCase.has(name.toLowerCase()))
}

/**
 * The first combination of scalar types, or of list types, with which the query is valid. Null if there is no such combination, or if
 * there are too many names to try all combinations.
 */
function firstFitting(
  names: readonly string[],
  list: 'array' | '',
  fits: (choice: TypeChoice) => boolean,
  choice: TypeChoice = {},
): TypeChoice | null {
  const [name, ...rest] = names
  if (name === undefined) return fits(choice) ? choice : null
  if (names.length > MAX_NAMES) return null
  for (const scalar of SCALARS) {
    const type = list === '' ? scalar : (`array<${scalar}>` as const)
    const types = firstFitting(rest, list, fits, { ...choice, [name]: type })
    if (types !== null) return types
  }
  return null
}

const MAX_NAMES = 4

/** The SQL type of a parameter's values. */
export const typeOf = (type: ParameterType): Type => parseTypeName(bigqueryType(type))!

function parameterType(type: Type): ParameterType | undefined {
  if (type.kind === 'ARRAY') {
    const element = parameterType(type.element)
    return element && (`array<${element}>` as ParameterType)
  }
  const name = typeName(type)
  return SCALAR_PARAMETER_TYPES.find(scalar => scalar === name.toLowerCase())
}

/** Types of the parameters in UNNEST, where a NULL in their place would not be valid. */
function inferLists(sql: string, tables: TableCatalogue): TypeChoice {
  const fits = (choice: TypeChoice): boolean => isValid(() => inferParameters(sql, tables, typesOf(choice)))
  if (fits({})) return {}
  return firstFitting(namesIn(sql, /\bUNNEST\s*\(\s*@(\w+)\s*\)/gi, ['now']), 'array', fits) ?? {}
}

const isValid = (resolve: () => unknown): boolean => !(orMistake(resolve) instanceof SqlError)
