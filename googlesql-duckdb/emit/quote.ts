/** Names and text as DuckDB SQL writes them. */

/** An identifier, always quoted. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The parameter of a lambda that stands for the column. No column of a table may have a `$` in its name: in `x.field` DuckDB
 * takes `x` for a column of the FROM clause, where there is one of that name, before it looks at the lambda.
 */
export const variable = ({ id }: { readonly id: number }): string => `c${id}$`

/** A VARCHAR literal. A NUL cannot stand in SQL text, so it is put together from its parts. */
export function quoteText(text: string): string {
  const parts = text.split('\0').map(part => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`
}

/** In a file's name DuckDB's readers take these for a pattern. */
export const PATTERN_LETTERS = /[*?[]/

/** A file's path as DuckDB's readers take it, who see patterns in names: `part-[0].csv` would be `part-0.csv`. */
export function quotePath(path: string): string {
  return quoteText(literalPath(path))
}

/** Folders stay as they are: what DuckDB may read is held against the path as it is written. */
export function literalPath(path: string): string {
  const name = path.lastIndexOf('/') + 1
  return path.slice(0, name) + path.slice(name).replaceAll(new RegExp(PATTERN_LETTERS, 'g'), '[$&]')
}
