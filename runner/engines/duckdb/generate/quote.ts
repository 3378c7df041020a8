/** Names and text as DuckDB SQL writes them. */

/** An identifier, always quoted. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A VARCHAR literal. A NUL cannot stand in SQL text, so it is put together from its parts. */
export function quoteText(text: string): string {
  const parts = text.split('\0').map(part => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`
}
