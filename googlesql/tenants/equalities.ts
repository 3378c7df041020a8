/** The values of a row, each named by its path, and what is known about their equality. */

/**
 * The path of a value in a row: a column by its id (`12`), a field of it (`12.0`), or any element of an array (`12[]`, `12[].1`).
 * TENANT stands for the value of the tenant's parameter.
 */
export type ValuePath = string

export const TENANT: ValuePath = '@'

/** The id of the column that a value is in; NaN for TENANT. */
export const columnOf = (value: ValuePath): number => Number.parseInt(value, 10)

/**
 * Equalities that hold in each row of a relation. An equality `a → b` says: where `a` is not NULL, it equals `b`. The reverse
 * need not hold, since an outer join may make only `a` NULL. An object never changes, so `parts` can share the objects of the inputs.
 */
export interface Equalities {
  readonly own: ReadonlyMap<ValuePath, readonly ValuePath[]>
  readonly parts: readonly Equalities[]
}

export type Equality = readonly [from: ValuePath, to: ValuePath]

export const NO_EQUALITIES: Equalities = { own: new Map(), parts: [] }

/** The equalities of all parts, and the added equalities. */
export function withEqualities(parts: readonly Equalities[], added: readonly Equality[]): Equalities {
  const [first] = parts
  if (added.length === 0 && first && parts.length === 1) return first
  const own = new Map<ValuePath, readonly ValuePath[]>()
  for (const [from, to] of added) own.set(from, [...(own.get(from) ?? []), to])
  return { own, parts }
}

/** The most values that are followed. If a query has more, it counts as not proven. */
const MAX_VALUES = 10_000

/** These values, and all values that are reached from them through equalities. */
export function equalTo(values: Iterable<ValuePath>, equalities: Equalities): ReadonlySet<ValuePath> {
  const reached = new Set(values)
  for (const value of reached) {
    if (reached.size > MAX_VALUES) return new Set()
    for (const [whole, rest] of pathPrefixes(value)) {
      for (const to of directEqualities(whole, equalities)) if (to !== TENANT || rest === '') reached.add(to + rest)
    }
  }
  return reached
}

function directEqualities(value: ValuePath, { own, parts }: Equalities): readonly ValuePath[] {
  const inParts = parts.flatMap(part => directEqualities(value, part))
  const here = own.get(value)
  return here ? [...here, ...inParts] : inParts
}

/** The value and every value that it is a part of, each with the rest of the path: `5.1` is `5.1` and `.1` of `5`. */
function pathPrefixes(value: ValuePath): readonly (readonly [whole: ValuePath, rest: string])[] {
  const ends = [...value.matchAll(/\.|\[\]|$/g)].map(({ index }) => index)
  return ends.map(end => [value.slice(0, end), value.slice(end)])
}
