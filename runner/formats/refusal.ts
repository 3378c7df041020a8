/** Results that a format cannot hold. */
import { BodyTooLargeError } from '../result/body.js'

/** A result that the format cannot hold. The message is for the caller: it names the limit, and another format. */
export class ResultNotWritableError extends Error {
  override readonly name = 'ResultNotWritableError'
}

/** What to tell the caller of a result that is too large for the format; null for any other error. */
export function refusalOf(error: unknown): string | null {
  if (error instanceof ResultNotWritableError) return error.message
  return error instanceof BodyTooLargeError ? `In this format the result is larger than ${error.maxBytes} bytes.` : null
}
