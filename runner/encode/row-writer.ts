/** Joins the texts of cells into rows, and rows into the JSON of a result: `{"result":[{…},…]}`. */

export const RESULT_HEAD = '{"result":['
export const RESULT_SEPARATOR = ','
export const RESULT_TAIL = ']}'

/** The texts before each value of a JSON object with these names: `{"a":`, then `,"b":`. */
export function objectKeys(names: readonly string[]): readonly string[] {
  return names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
}

/** A writer of rows, from the JSON texts of their cells in column order. The caller may reuse the array. */
export function objectWriter(names: readonly string[]): (cells: readonly string[]) => string {
  const keys = objectKeys(names)
  if (keys.length === 0) return () => '{}'
  return cells => {
    let text = ''
    for (let i = 0; i < keys.length; i++) text += keys[i]! + cells[i]!
    return `${text}}`
  }
}
