/**
 * The function with its last result kept, for what a function prepares from a pattern, a path or a format: it is the same for most
 * rows of a query.
 */
export function keepLast<A extends readonly string[], T>(prepare: (...texts: A) => T): (...texts: A) => T {
  let last: { readonly texts: A; readonly value: T } | null = null
  return (...texts) => {
    if (last === null || texts.some((text, i) => text !== last!.texts[i])) last = { texts, value: prepare(...texts) }
    return last.value
  }
}
