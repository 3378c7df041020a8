/**
 * The names of a STRUCT's fields where they must differ regardless of case, as in JSON results, files and DuckDB. A field
 * without a name gets `_field_1` by its position, and a name that is already taken gets the suffix `_2`, `_3`, ….
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((fieldName, i) => {
    const base = fieldName === '' ? `_field_${i + 1}` : fieldName
    let name = base
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}`
    taken.add(name.toLowerCase())
    return name
  })
}
