/**
 * Keeps the last result of `prepare`, and returns it for the same texts. It is for patterns, paths and formats, which are the same in most
 * rows of a query.
 */
export function keepLast<A extends readonly string[], T>(prepare: (...texts: A) => T): (...texts: A) => T {
  let last: { readonly texts: A; readonly value: T } | null = null
  return (...texts) => {
    if (last === null || texts.some((text, i) => text !== last!.texts[i])) last = { texts, value: prepare(...texts) }
    return last.value
  }
}
