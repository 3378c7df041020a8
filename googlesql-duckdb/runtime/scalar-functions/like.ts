/** LIKE in linear time in text times pattern, for BYTES, and for texts and patterns for which DuckDB's own LIKE takes too long. */
import { latin1 } from './bytes.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

const [PERCENT, UNDERSCORE, BACKSLASH] = [0x25, 0x5f, 0x5c]

/**
 * The most comparisons of characters in one call beyond a few for each character: about 5 ms of processor time. DuckDB may make
 * the same call of constants several times before it reports the failure.
 */
const MAX_RETRIED_STEPS = 4_000_000

/** @throws ScalarFunctionError for a pattern that ends in an escape; DuckDB would see it only where the text reaches it. */
function checkPattern(pattern: string): void {
  let escapes = 0
  while (pattern.charCodeAt(pattern.length - 1 - escapes) === BACKSLASH) escapes++
  if (escapes % 2 === 1) fail('LIKE pattern ends with a backslash')
}

/**
 * Whether the text matches; null where that would take too many steps.
 *
 * Matches greedily: after a `%`, the first place where the part up to the next `%` matches is as good as any other, so only
 * the last `%` is tried again.
 *
 * The position counts UTF-16 units. A retry may begin in the middle of a pair of surrogates: `_` then ends where it ends from
 * the beginning of the pair, and no other character matches there.
 */
function matches(text: string, pattern: string): boolean | null {
  checkPattern(pattern)
  const maxSteps = MAX_RETRIED_STEPS + 4 * (text.length + pattern.length)
  let [at, p, retryAt, retryP] = [0, 0, 0, -1]
  for (let steps = 0; at < text.length || p < pattern.length; steps++) {
    if (steps > maxSteps) return null
    let code = p < pattern.length ? pattern.charCodeAt(p) : -1
    if (code === PERCENT) {
      retryP = ++p
      if (p === pattern.length) return true
      retryAt = at
      continue
    }
    const isAny = code === UNDERSCORE
    const escapes = code === BACKSLASH ? 1 : 0
    if (escapes === 1) code = pattern.charCodeAt(p + 1)
    if (at < text.length && isAny) {
      at += text.codePointAt(at)! > 0xffff ? 2 : 1
      p++
    } else if (at < text.length && code === text.charCodeAt(at)) {
      at++
      p += 1 + escapes
    } else if (retryP >= 0 && retryAt < text.length) {
      at = ++retryAt
      p = retryP
    } else {
      return false
    }
  }
  return true
}

export const LIKE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_like_text', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', matches),
  // `_` matches any byte.
  scalar('bq_like_blob', ['BLOB', 'BLOB'], 'BOOLEAN', (bytes, pattern) => matches(latin1(bytes), latin1(pattern))),
]
