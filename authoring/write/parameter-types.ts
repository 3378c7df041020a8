/** Types for the parameters of a query that declares none. */
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

/** The scalar types that a manifest can declare, in the order in which they are tried where no use of a parameter asks for one. */
const SCALARS = ['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'datetime'] as const
const NOW = { now: scalarType('TIMESTAMP')! }

/** A parameter with the type that its uses ask for. */
export interface TypedParameter {
  readonly name: string
  readonly type: ParameterType
}

type Chosen = Readonly<Record<string, ParameterType>>

/** The parameters in the order of the query. @throws SqlError in BigQuery's words for a query that is not valid with any types. */
export function parameterTypes(sql: string, tables: TableCatalogue): readonly TypedParameter[] {
  const lists = inferLists(sql, tables)
  const chosen = { ...inferScalars(sql, tables, lists), ...lists }
  resolveQuery(sql, tables, typesOf(chosen))
  const at = ({ name }: TypedParameter): number => sql.toLowerCase().indexOf(`@${name.toLowerCase()}`)
  return Object.entries(chosen)
    .map(([name, type]) => ({ name, type }))
    .sort((a, b) => at(a) - at(b))
}

/** The types by name, with the type of `@now`. */
const typesOf = (chosen: Chosen): Readonly<Record<string, Type>> => ({
  ...NOW,
  ...Object.fromEntries(Object.entries(chosen).map(([name, type]) => [name, typeOf(type)])),
})

function inferScalars(sql: string, tables: TableCatalogue, lists: Chosen): Chosen {
  const inferred = orMistake(() => inferParameters(sql, tables, typesOf(lists)))
  if (inferred instanceof SqlError) {
    // Some functions take no NULL where they take a parameter.
    const names = namesIn(sql, /@([A-Za-z_]\w*)/g, ['now', ...Object.keys(lists)])
    const tried = firstFitting(names, '', chosen =>
      isValid(() => resolveQuery(sql, tables, typesOf({ ...lists, ...chosen }))),
    )
    if (tried === null) throw inferred
    return tried
  }
  const all = inferred.map(({ name, types }) => {
    const wanted = types.flatMap(type => parameterType(type) ?? [])
    const fits = (type: ParameterType): boolean =>
      isValid(() => inferParameters(sql, tables, typesOf({ ...lists, [name]: type })))
    return [name, [...wanted, ...SCALARS].find(fits) ?? 'string'] as const
  })
  return Object.fromEntries(all)
}

/** The names that the form finds in the query, each once, without some. */
function namesIn(sql: string, form: RegExp, without: readonly string[]): readonly string[] {
  const left = new Set(without.map(name => name.toLowerCase()))
  const names = new Set([...sql.matchAll(form)].map(([, name]) => name!))
  return [...names].filter(name => !left.has(name.toLowerCase()))
}

/**
 * The first types with which the query fits, of scalars or of lists; null where there are none, or so many names that there would
 * be too many combinations of types to try.
 */
function firstFitting(
  names: readonly string[],
  list: 'array' | '',
  fits: (chosen: Chosen) => boolean,
  chosen: Chosen = {},
): Chosen | null {
  const [name, ...rest] = names
  if (name === undefined) return fits(chosen) ? chosen : null
  if (names.length > MAX_TRIED) return null
  for (const scalar of SCALARS) {
    const type = list === '' ? scalar : (`array<${scalar}>` as const)
    const types = firstFitting(rest, list, fits, { ...chosen, [name]: type })
    if (types !== null) return types
  }
  return null
}

const MAX_TRIED = 4

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
function inferLists(sql: string, tables: TableCatalogue): Chosen {
  const fits = (chosen: Chosen): boolean => isValid(() => inferParameters(sql, tables, typesOf(chosen)))
  if (fits({})) return {}
  return firstFitting(namesIn(sql, /\bUNNEST\s*\(\s*@(\w+)\s*\)/gi, ['now']), 'array', fits) ?? {}
}

const isValid = (resolve: () => unknown): boolean => !(orMistake(resolve) instanceof SqlError)
