/** Compares entity tags: RFC 9110 §13.1. */

/** The strong comparison of RFC 9110 §13.1.1: `*`, or a list of tags; tags with `W/` never match. */
export function isStrongMatch(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '*') return true
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}

/** The weak comparison of RFC 9110 §13.1.2: `*`, or a list of tags whose `W/` is ignored. */
export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const tags: readonly string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}
