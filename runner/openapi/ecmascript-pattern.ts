/** Which patterns of RE2 are also patterns of ECMAScript, the regular expressions of JSON Schema, and mean the same there. */

/** A character class, an escape, the beginning of a group, or one character. */
const TOKENS = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\(\?:|\(\?|./gsu

/**
 * Whether RE2 and ECMAScript read the pattern in the same way. They differ in syntax that ECMAScript does not have, and in syntax that
 * matches other characters there: `.`, `\s`, and `[:alpha:]` in a class.
 */
export function isSameInEcmaScript(pattern: string): boolean {
  for (const [token] of pattern.matchAll(TOKENS)) {
    if (token === '.' || token === '(?' || /\\s/i.test(token)) return false
    if (token.length > 1 && token.startsWith('[') && token.includes('[:')) return false
  }
  return isEcmaScript(pattern)
}

function isEcmaScript(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
