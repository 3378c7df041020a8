/** Names of columns for the keys in files. Source: https://cloud.google.com/bigquery/docs/schemas#column_names */
import { excerptOf } from './bad-row.js'

/** BigQuery's flexible column names. */
const FLEXIBLE = /^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}&%=+:'<>#| ]+$/u

/**
 * The name of the column for a key: the key itself, if it may name a column. Otherwise each character that is not a letter, a digit or `_`
 * becomes `_`, and `_` is put before a first digit, as with BigQuery's `column_name_character_map` V1.
 */
export function columnName(key: string): string {
  if (FLEXIBLE.test(key)) return key
  return key.replace(/[^\p{L}\p{M}\p{N}_]/gu, '_').replace(/^(?=\p{N})/u, '_')
}

interface Named {
  readonly name: string
}

/** Finds the column or field for a key: by the key itself, or else by its `columnName`. Case does not matter. */
export function finderOf<T extends Named>(fields: readonly T[]): (key: string) => T | undefined {
  const byName = new Map(fields.map(field => [field.name.toLowerCase(), field]))
  return key => byName.get(key.toLowerCase()) ?? byName.get(columnName(key).toLowerCase())
}

/** The key of each column or field that has a key. `duplicate` is a message about a column with two keys, or null. */
export function keysOfFields<T extends Named>(fields: readonly T[], keys: readonly string[]) {
  const find = finderOf(fields)
  const keyOf = new Map<T, string>()
  let duplicate: string | null = null
  for (const key of keys) {
    const field = find(key)
    const other = field && keyOf.get(field)
    if (other !== undefined) duplicate = `${field!.name} is in the file twice${sameNameNote(other, key)}`
    else if (field) keyOf.set(field, key)
  }
  return { keyOf, duplicate }
}

/** The two keys of one column, for a message that the column is there twice; '' where the keys are equal. */
export const sameNameNote = (a: string, b: string): string =>
  a === b ? '' : `: ${JSON.stringify(excerptOf(a))} and ${JSON.stringify(excerptOf(b))} are one name`

/** The names of the columns of a CSV file. A third column without a name becomes `column_3`; a second `a`, or `A`, becomes `a_1`. */
export function headerNames(header: readonly string[]): readonly string[] {
  const takenNames = new Set(header.map(name => name.toLowerCase()))
  const givenNames = new Set<string>()
  const numbers = new Map<string, number>()
  return header.map((text, i) => {
    const name = text === '' ? `column_${i + 1}` : text
    const key = name.toLowerCase()
    const isFree = text === '' ? !takenNames.has(key) : !givenNames.has(key)
    let number = isFree ? 0 : (numbers.get(key) ?? 1)
    while (number > 0 && takenNames.has(`${key}_${number}`)) number++
    numbers.set(key, number + 1)
    const unique = number === 0 ? name : `${name}_${number}`
    givenNames.add(unique.toLowerCase())
    takenNames.add(unique.toLowerCase())
    return unique
  })
}
