/** Words: the author-written values that a template may write into SQL text. None can end or change the surrounding SQL. */

export type Word = string | number | boolean
export type WordMap = Readonly<Record<string, Word>>
export type Constant = Word | WordMap | readonly (Word | WordMap)[]

// No quotes, spaces, semicolons or slashes; a dash only between two letters or digits, so that `--` cannot appear.
const WORD = /^[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*$/
/** The only word with parentheses: a part of a date, such as WEEK(MONDAY). */
const WEEK = /^WEEK\((?:SUN|MON|TUES|WEDNES|THURS|FRI|SATUR)DAY\)$/i
const MAX_WORD_LENGTH = 256

/** Why this value may not be written into SQL text; null when it may. */
export function wordProblem(value: Word): string | null {
  if (typeof value === 'boolean') return null
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'is not a finite number'
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'is beyond ±2^53 and would lose digits' : null
  }
  if (value.length > MAX_WORD_LENGTH) return `is longer than ${MAX_WORD_LENGTH} characters`
  if (/^@\w+$/.test(value)) return `is an argument, not a word; write ${value} in the SQL`
  return WORD.test(value) || WEEK.test(value)
    ? null
    : 'is not a word: letters, digits and _, not beginning with a digit, with single dots or dashes between'
}

/** The value as SQL text: TRUE or FALSE, numbers as JavaScript writes them, words unchanged. */
export const wordText = (value: Word): string =>
  typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : String(value)

/** The truth value of a constant in `{{#if}}`: false, 0 and empty lists are false. */
export const isTruthy = (value: Constant): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
