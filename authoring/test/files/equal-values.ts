/** Equality of values as JSON has them: numbers by value, the members of maps in any order. */

/** Whether both have the same value. */
export function equalValues(a: unknown, b: unknown): boolean {
  return compareDeep(a, b, false)
}

/** Whether the value has all members of the expected one, in maps at every depth; other members do not matter. */
export function hasMembers(expected: unknown, value: unknown): boolean {
  return compareDeep(expected, value, true)
}

function compareDeep(a: unknown, b: unknown, mayHaveMore: boolean): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => compareDeep(item, b[i], mayHaveMore))
  }
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  if (!mayHaveMore && keys.length !== others.length) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return keys.every(key => Object.hasOwn(right, key) && compareDeep(left[key], right[key], mayHaveMore))
}
