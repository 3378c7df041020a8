/** The quick fix of a diagnostic: the word that its message proposes, and the word in the text that it replaces. */
import { nearest } from '../../googlesql/index.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'

/** A replacement in one line; columns are 0-based and count UTF-16 units, as in the protocol. */
export interface Suggestion {
  readonly line: number
  readonly from: number
  readonly to: number
  readonly newText: string
}

/** `did you mean "x"?`, as `didYouMean` writes it, and `Did you mean x?`, as BigQuery does. */
const PROPOSAL = /did you mean (?:"([^"]+)"|([^\s"?]+))\?/i
/** Names as they stand in SQL and YAML: with dots only where the proposal has one, as the name of a table. */
const WORDS = { whole: /[\w.$-]+/g, part: /[\w$-]+/g } as const

/** The replacement that a message proposes; null where it proposes none, or where the text has moved on. */
export function suggestionOf({ rule, message, line, column }: Diagnostic, lines: readonly string[]): Suggestion | null {
  const proposal = PROPOSAL.exec(message)
  const text = lines[line - 1]
  if (proposal === null || text === undefined) return null
  const meant = proposal[1] ?? proposal[2]!
  for (const { 0: word, index } of text.matchAll(meant.includes('.') ? WORDS.whole : WORDS.part)) {
    const isBefore = index + word.length < column
    const isKey = rule === 'schema/unknown-key' && index === column - 1
    if (isBefore || word === meant || (!isKey && nearest(word, [meant]) === undefined)) continue
    // Functions are proposed in lower case, and most are written in upper case.
    const newText = proposal[1] === undefined && word === word.toUpperCase() ? meant.toUpperCase() : meant
    return { line: line - 1, from: index, to: index + word.length, newText }
  }
  return null
}
