/** The chain of causes of a failure, as text for the log. */
import { RunnerError } from './errors.js'

const MAX_LEVELS = 4
/** The characters kept of one level: enough for any message, too few for a whole row of a file that a message quotes. */
const MAX_LENGTH = 2_000

/**
 * The messages of an error and of its causes, outermost first: `a; caused by: b; caused by: c`. At most four messages of at
 * most 2,000 characters each; a message that repeats the one before it is left out. A string is cut after 8,000 characters.
 */
export function causeText(thrown: unknown): string {
  const texts: string[] = []
  let current: unknown = thrown
  for (let level = 0; level < MAX_LEVELS && current !== undefined && current !== null; level += 1) {
    const text = messageOf(current)
    if (text !== '' && !texts.at(-1)?.includes(text)) texts.push(text)
    current = causeOf(current)
  }
  return texts.join('; caused by: ')
}

/** The first `length` characters of a text, followed by how many characters were left out. */
export function beginning(text: string, length = MAX_LENGTH): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more characters)`
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? beginning(thrown.message) : beginning(String(thrown), MAX_LEVELS * MAX_LENGTH)

/** The cause of an error, except of a caller's mistake: that cause may quote what the caller sent. */
const causeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && !(thrown instanceof RunnerError && thrown.status < 500) ? thrown.cause : undefined
