/**
 * JSON texts inside messages that the SDK serializes: it takes values alone, and values of JSON.parse have lost the digits that
 * a double cannot hold. So a text goes through the SDK in a marked object, in whose place `withRawJson` puts it.
 */
import { randomUUID } from 'node:crypto'

/** No text of a caller or of a table can have it. */
const MARK = `raw-json:${randomUUID()}`
const MARKED = new RegExp(`\\{"${MARK}":("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")\\}`, 'g')

/** A value that stands for this text, until it is sent. */
export const rawJson = (text: string): Readonly<Record<string, unknown>> => ({ [MARK]: text })

/** A serialized message with its texts in their places. */
export const withRawJson = (message: string): string =>
  message.replace(MARKED, (_, text: string) => JSON.parse(text) as string)
