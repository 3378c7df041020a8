/** Names of a STRUCT's fields for formats whose readers refuse equal names. */
import type { StructField } from '../../../googlesql/index.js'

/** Names that differ, as the embedded engine's JSON has them: a field without a name is `_field_1`, an equal one `a_2`. */
export function uniqueNames(fields: readonly StructField[]): readonly string[] {
  const taken = new Set<string>()
  return fields.map(({ name }, i) => {
    const base = name === '' ? `_field_${i + 1}` : name
    let unique = base
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${base}_${n}`
    taken.add(unique.toLowerCase())
    return unique
  })
}
