/** The quick fix of a diagnostic: the word that it proposes, and the word in the text that it replaces. */
import { nearest } from '../../googlesql/index.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'

/** A replacement in one line; columns are 0-based and count UTF-16 units, as in the protocol. */
export interface Suggestion {
  readonly line: number
  readonly from: number
  readonly to: number
  readonly newText: string
}

/** Names as they stand in SQL and YAML: with dots only where the proposal has one, as the name of a table. */
const WORDS = { whole: /[\w.$-]+/g, part: /[\w$-]+/g } as const

/** The replacement that a diagnostic proposes; null where it proposes none, or where the text has moved on. */
export function suggestionOf({ rule, data, line, column }: Diagnostic, lines: readonly string[]): Suggestion | null {
  const { meant, sql } = data ?? {}
  const text = lines[line - 1]
  if (meant === undefined || text === undefined) return null
  for (const { 0: word, index } of text.matchAll(meant.includes('.') ? WORDS.whole : WORDS.part)) {
    const isBefore = index + word.length < column
    const isKey = rule === 'schema/unknown-key' && index === column - 1
    if (isBefore || word === meant || (!isKey && nearest(word, [meant]) === undefined)) continue
    // Functions of SQL are proposed in lower case, and most are written in upper case.
    const newText = sql !== undefined && word === word.toUpperCase() ? meant.toUpperCase() : meant
    return { line: line - 1, from: index, to: index + word.length, newText }
  }
  return null
}
