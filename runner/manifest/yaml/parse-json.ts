/** JSON text → plain values. JSON is YAML, but the YAML parser takes twenty times as long, and most files have no mistake. */
import { lazySource } from '../source.js'
import { findOddCharacter } from './characters.js'
import { mayExceedLimits } from './limits.js'
import { type ParsedManifest, parseManifest, placesOf } from './parse.js'

/** A key, or any other string. Strings may hold escaped quotes, and text that looks like a key. */
const TEXT = /"(?:[^"\\]|\\.)*"(\s*:)?/gs
/** What the YAML parser must look at: keys with a meaning in YAML, and escapes of characters that files may not hold. */
const REFUSED = /"(?:<<|__proto__)"\s*:|\\[bfu]/

/** Like `parseManifest`, which it calls for every text that may have a mistake. */
export function parseJson(file: string, fileText: string): ParsedManifest {
  const text = fileText.replace(/^\ufeff/, '')
  const value = plainValue(text)
  if (value === undefined) return parseManifest(file, fileText)
  return { source: lazySource(file, false, () => placesOf(file, text)), value, diagnostics: [] }
}

/** Undefined where the text is not JSON, or could break a rule for manifests. */
function plainValue(text: string): unknown {
  if (mayExceedLimits(text) || REFUSED.test(text) || findOddCharacter(text) !== null) return undefined
  try {
    let members = 0
    const value: unknown = JSON.parse(text, (_, member: unknown) => {
      if (typeof member === 'object' && member !== null && !Array.isArray(member)) members += Object.keys(member).length
      return member
    })
    // JSON.parse takes the last of several members with one key.
    return members === countKeys(text) ? value : undefined
  } catch {
    return undefined
  }
}

const countKeys = (text: string): number => [...text.matchAll(TEXT)].filter(([, colon]) => colon !== undefined).length
