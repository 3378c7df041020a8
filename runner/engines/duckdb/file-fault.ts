/** What is wrong with a data file, for authors: where, and not in the words of DuckDB's errors. */
import { NATIVE_ERROR_MARK } from './natives/native.js'

interface Wording {
  readonly pattern: RegExp
  readonly message: (match: RegExpExecArray) => string
}

const WORDINGS: readonly Wording[] = [
  {
    pattern: /byte order mark \(BOM\) is not supported/,
    message: () => 'it begins with a byte order mark; `sluice import` takes such files, and writes Parquet',
  },
  {
    // DuckDB has read the line's end by then, and counts one line too many.
    pattern: /Malformed JSON in file .*?, at byte (\d+) in line (\d+): ([^\n]*?)\.?\s*(?:\n|$)/,
    message: ([, byte, line, reason]) => `in line ${Number(line) - 1}, at byte ${byte}: not valid JSON: ${reason}`,
  },
  {
    pattern: /JSON transform error in file .*?, in line (\d+): Failed to cast value to numerical: ([^\n]*)/,
    message: ([, line, value]) => `in line ${line}: not a number: ${value}`,
  },
  {
    pattern: /JSON transform error in file .*?, in line (\d+): ([^\n]*)/,
    message: ([, line, reason]) => `in line ${line}: ${reason}`,
  },
  { pattern: /CSV Error on Line: (\d+)/, message: ([, line]) => `in line ${line}: not valid CSV` },
]

/** `format` is what the file should be. */
export function fileFault(error: unknown, format: string): string {
  const text = error instanceof Error ? error.message : String(error)
  const own = text.indexOf(NATIVE_ERROR_MARK)
  if (own >= 0) return text.slice(own + NATIVE_ERROR_MARK.length).split('\n')[0]!
  for (const { pattern, message } of WORDINGS) {
    const match = pattern.exec(text)
    if (match) return message(match)
  }
  return `it cannot be read as ${format}`
}
