/** Numbers and lists in sentences. */
/** `1 row`, `2 rows`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`

/** At most `most` of the names, and how many more there are. */
export function listNames(names: readonly string[], most: number): string {
  const hiddenCount = names.length - most
  return names.slice(0, most).join(', ') + (hiddenCount > 0 ? ` and ${hiddenCount} more` : '')
}

const MAX_LABELS = 3

/** `in 5 of 8 variants (interval=1day; interval=7day; …)` */
export function whichVariants(labels: readonly string[], all: number): string {
  if (all === 1) return 'in the only variant'
  if (labels.length >= all) return 'in every variant'
  const named = labels.slice(0, MAX_LABELS).join('; ')
  return `in ${labels.length} of ${all} variants (${named}${labels.length > MAX_LABELS ? '; …' : ''})`
}
