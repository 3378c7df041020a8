/** Names and text in DuckDB SQL. */

/** An identifier, always quoted. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The name of the lambda parameter for the column. The `$` makes it differ from the names of all columns: for `x.field` DuckDB looks for a
 * column `x` of the FROM clause before it looks for a lambda parameter `x`.
 */
export const variable = ({ id }: { readonly id: number }): string => `c${id}$`

/**
 * A VARCHAR literal. SQL text cannot contain a NUL character, so a text with NULs is concatenated from the parts between them.
 */
export function quoteText(text: string): string {
  const parts = text.split('\0').map(part => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`
}

/** The characters in a file's name that DuckDB's readers interpret as a glob pattern. */
export const PATTERN_LETTERS = /[*?[]/

/** A file's path for DuckDB's readers, which interpret names as glob patterns: `part-[0].csv` would match `part-0.csv`. */
export function quotePath(path: string): string {
  return quoteText(literalPath(path))
}

/**
 * The path with the pattern characters of the file's name escaped. Folders stay as they are: DuckDB compares the path, as it is
 * written, with the paths that it is allowed to read.
 */
export function literalPath(path: string): string {
  const name = path.lastIndexOf('/') + 1
  return path.slice(0, name) + path.slice(name).replaceAll(new RegExp(PATTERN_LETTERS, 'g'), '[$&]')
}
