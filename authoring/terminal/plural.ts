/** Numbers and lists in sentences. */
/** `1 row`, `2 rows`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`

/** At most so many names, and how many more there are. */
export function listed(names: readonly string[], most: number): string {
  const left = names.length - most
  return names.slice(0, most).join(', ') + (left > 0 ? ` and ${left} more` : '')
}
