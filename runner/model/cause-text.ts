/** What led to a failure, for the log. */
import { RunnerError } from './errors.js'

const MAX_LEVELS = 4
/** Of one level, in characters: enough for any message, and not for a file's row that stands in one. */
const MAX_LENGTH = 2_000

/**
 * The message of this and of what caused it, outermost first: `a; caused by: b; caused by: c`. At most four, each of at
 * most 2,000 characters, and what repeats the one before is left out. A text is taken to be such a chain already.
 */
export function causeText(thrown: unknown): string {
  const texts: string[] = []
  let left: unknown = thrown
  for (let level = 0; level < MAX_LEVELS && left !== undefined && left !== null; level += 1) {
    const text = messageOf(left)
    if (text !== '' && !texts.at(-1)?.includes(text)) texts.push(text)
    left = behind(left)
  }
  return texts.join('; caused by: ')
}

/** The beginning of a text that may be of any length, and how much of it is left out. */
export function beginning(text: string, length = MAX_LENGTH): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more characters)`
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? beginning(thrown.message) : beginning(String(thrown), MAX_LEVELS * MAX_LENGTH)

/** Behind a caller's own mistake may stand what he sent. */
const behind = (thrown: unknown): unknown =>
  thrown instanceof Error && !(thrown instanceof RunnerError && thrown.status < 500) ? thrown.cause : undefined
