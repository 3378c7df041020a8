/** Values of a row by name, and what is known about their equality. */

/**
 * A value of a row: a column by its id (`12`), a field of it (`12.0`), or any element of an array (`12[]`, `12[].1`). TENANT is
 * the value of the tenant's parameter.
 */
export type Value = string

export const TENANT: Value = '@'

/** The id of the column that a value is in; NaN for TENANT. */
export const columnOf = (value: Value): number => Number.parseInt(value, 10)

/**
 * Equalities that hold in each row of a relation: from `a` to `b` means that `a` is NULL or equal to `b`. They hold in one
 * direction, because an outer join makes all values of one side NULL. An object never changes, so `parts` can share the
 * objects of the inputs.
 */
export interface Equalities {
  readonly own: ReadonlyMap<Value, readonly Value[]>
  readonly parts: readonly Equalities[]
}

export type Equality = readonly [from: Value, to: Value]

export const NO_EQUALITIES: Equalities = { own: new Map(), parts: [] }

/** The equalities of all parts and these. */
export function withEqualities(parts: readonly Equalities[], added: readonly Equality[]): Equalities {
  const [only] = parts
  if (added.length === 0 && only && parts.length === 1) return only
  const own = new Map<Value, readonly Value[]>()
  for (const [from, to] of added) own.set(from, [...(own.get(from) ?? []), to])
  return { own, parts }
}

/** The greatest number of values that are followed. A query with more counts as not proven. */
const MAX_VALUES = 10_000

/** These values, and all values to which one of them is equal wherever it is not NULL. */
export function equalTo(values: Iterable<Value>, equalities: Equalities): ReadonlySet<Value> {
  const reached = new Set(values)
  for (const value of reached) {
    if (reached.size > MAX_VALUES) return new Set()
    for (const [whole, rest] of pathPrefixes(value)) {
      for (const to of directEqualities(whole, equalities)) if (to !== TENANT || rest === '') reached.add(to + rest)
    }
  }
  return reached
}

function directEqualities(value: Value, { own, parts }: Equalities): readonly Value[] {
  const inParts = parts.flatMap(part => directEqualities(value, part))
  const here = own.get(value)
  return here ? [...here, ...inParts] : inParts
}

/** The value and every value that it is a part of, each with the rest of the path: `5.1` is `5.1` and `.1` of `5`. */
function pathPrefixes(value: Value): readonly (readonly [whole: Value, rest: string])[] {
  const ends = [...value.matchAll(/\.|\[\]|$/g)].map(({ index }) => index)
  return ends.map(end => [value.slice(0, end), value.slice(end)])
}
