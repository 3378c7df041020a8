/**
 * Puts JSON texts into messages that the SDK serializes. The SDK takes only values, and JSON.parse loses the digits that a double
 * cannot hold. So a text goes through the SDK inside a marked object, which `withRawJson` replaces by the text.
 */
import { randomUUID } from 'node:crypto'

/** It is random, so that no text of a caller or of a table contains it. */
const MARK = `raw-json:${randomUUID()}`
const MARKED = new RegExp(`\\{"${MARK}":("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")\\}`, 'g')

/** The marked object of a text. */
export const rawJson = (text: string): Readonly<Record<string, unknown>> => ({ [MARK]: text })

/** The serialized message with texts in place of marked objects. */
export const withRawJson = (message: string): string =>
  message.replace(MARKED, (_, text: string) => JSON.parse(text) as string)
