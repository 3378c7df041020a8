/** Types for the parameters of a query that declares none. */
import {
  inferParameters,
  orMistake,
  resolveQuery,
  SqlError,
  scalarType,
  type TableCatalogue,
  type Type,
  typeName,
} from '../../googlesql/index.js'
import type { ParameterType } from '../../runner/model/param.js'

/** The scalar types that a manifest can declare, in the order in which they are tried where no use of a parameter asks for one. */
const SCALARS = ['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'datetime'] as const
/** What is declared for types that no parameter can have. */
const INSTEAD: Readonly<Partial<Record<string, ParameterType>>> = { NUMERIC: 'float64', BIGNUMERIC: 'float64' }
const NOW = { now: scalarType('TIMESTAMP')! }

/** A parameter with the type that its uses ask for. */
export interface TypedParameter {
  readonly name: string
  readonly type: ParameterType
}

/** @throws SqlError in BigQuery's words for a query that is not valid with any types. */
export function parameterTypes(sql: string, tables: TableCatalogue): readonly TypedParameter[] {
  const arrays = inferArrays(sql, tables)
  const chosen = inOrder(sql, [
    ...inferScalars(sql, tables, { ...NOW, ...arrays }),
    ...Object.entries(arrays).map(([name, type]) => ({ name, type: parameterType(type)! })),
  ])
  resolveQuery(sql, tables, { ...NOW, ...typesOf(chosen) })
  return chosen
}

const typesOf = (parameters: readonly TypedParameter[]): Readonly<Record<string, Type>> =>
  Object.fromEntries(parameters.map(({ name, type }) => [name, typeOf(type)]))

function inferScalars(
  sql: string,
  tables: TableCatalogue,
  given: Readonly<Record<string, Type>>,
): readonly TypedParameter[] {
  const found = orMistake(() => inferParameters(sql, tables, given))
  if (found instanceof SqlError) {
    // Some functions take no NULL where they take a parameter.
    const tried = tryScalars(sql, tables, given)
    if (tried === null) throw found
    return tried
  }
  return found.map(({ name, types }): TypedParameter => {
    const wanted = types.flatMap(type => parameterType(type) ?? [])
    const candidates = [...new Set<ParameterType>([...wanted, ...SCALARS])]
    const fits = (type: ParameterType): boolean =>
      isValid(() => inferParameters(sql, tables, { ...given, [name]: typeOf(type) }))
    return { name, type: candidates.find(fits) ?? 'string' }
  })
}

/** The first types with which the query is valid; null where there are none, or too many parameters to try. */
function tryScalars(
  sql: string,
  tables: TableCatalogue,
  given: Readonly<Record<string, Type>>,
): readonly TypedParameter[] | null {
  const known = new Set(Object.keys(given).map(name => name.toLowerCase()))
  const names = [...new Set([...sql.matchAll(/@([A-Za-z_]\w*)/g)].map(([, name]) => name!))].filter(
    name => !known.has(name.toLowerCase()),
  )
  if (names.length > MAX_TRIED) return null
  const tryFrom = (chosen: readonly TypedParameter[]): readonly TypedParameter[] | null => {
    const name = names[chosen.length]
    if (name === undefined) {
      return isValid(() => resolveQuery(sql, tables, { ...given, ...typesOf(chosen) })) ? chosen : null
    }
    for (const type of SCALARS) {
      const found = tryFrom([...chosen, { name, type }])
      if (found !== null) return found
    }
    return null
  }
  return tryFrom([])
}

/** With more parameters or lists, there would be too many combinations of types to try. */
const MAX_TRIED = 4

/** The SQL type of a parameter's values. */
export function typeOf(type: ParameterType): Type {
  const element = /^array<(.*)>$/.exec(type)?.[1]
  const scalar = scalarType(element ?? type)!
  return element === undefined ? scalar : { kind: 'ARRAY', element: scalar }
}

function parameterType(type: Type): ParameterType | undefined {
  if (type.kind === 'ARRAY') {
    const element = parameterType(type.element)
    return element && (`array<${element}>` as ParameterType)
  }
  const name = typeName(type)
  return SCALARS.find(scalar => scalar === name.toLowerCase()) ?? INSTEAD[name]
}

/** Types of the parameters that stand alone in UNNEST: a NULL there would say nothing about the elements. */
function inferArrays(sql: string, tables: TableCatalogue): Readonly<Record<string, Type>> {
  const names = [...new Set([...sql.matchAll(/\bUNNEST\s*\(\s*@(\w+)\s*\)/gi)].map(([, name]) => name!))].filter(
    name => name.toLowerCase() !== 'now',
  )
  const tryFrom = (i: number, chosen: Readonly<Record<string, Type>>): Readonly<Record<string, Type>> | null => {
    if (i === names.length) return isValid(() => inferParameters(sql, tables, { ...NOW, ...chosen })) ? chosen : null
    for (const scalar of SCALARS) {
      const found = tryFrom(i + 1, { ...chosen, [names[i]!]: typeOf(`array<${scalar}>`) })
      if (found !== null) return found
    }
    return null
  }
  if (names.length === 1) {
    const [name] = names as [string]
    const fits = SCALARS.filter(scalar =>
      isValid(() => inferParameters(sql, tables, { ...NOW, [name]: typeOf(`array<${scalar}>`) })),
    )
    // Texts are coerced to times. So where a time fits and a number does not, the elements must be times, although texts fit.
    const time = fits.includes('int64') ? undefined : fits.find(scalar => TIMES.includes(scalar))
    const best = time ?? fits[0]
    return best === undefined ? {} : { [name]: typeOf(`array<${best}>`) }
  }
  return names.length > MAX_TRIED ? {} : (tryFrom(0, {}) ?? {})
}

const TIMES: readonly string[] = ['timestamp', 'date', 'datetime']

const isValid = (resolve: () => unknown): boolean => !(orMistake(resolve) instanceof SqlError)

/** In the order in which the query names them. */
function inOrder(sql: string, parameters: readonly TypedParameter[]): readonly TypedParameter[] {
  const at = ({ name }: TypedParameter): number => sql.toLowerCase().indexOf(`@${name.toLowerCase()}`)
  return [...parameters].sort((a, b) => at(a) - at(b))
}
