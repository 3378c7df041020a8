/**
 * JSON texts inside messages that the SDK serializes: it takes values alone, and values of JSON.parse have lost the digits that
 * a double cannot hold. A placeholder goes through the SDK in place of each text, which replaces it in what the SDK has written.
 */
import { randomUUID } from 'node:crypto'
import { BoundedMap } from '../model/bounded-map.js'

/** The most texts that are held: those of cancelled calls are never sent, and make room for others. */
const MAX_HELD = 256
const PLACEHOLDER = /\{"(raw-json:[0-9a-f-]{36})":true\}/g

export interface RawJson {
  /** A value that stands for this text, until it is sent. */
  hold(text: string): Readonly<Record<string, true>>
  /** A serialized message with its texts. */
  fill(message: string): string
}

export function createRawJson(): RawJson {
  const held = new BoundedMap<string, string>(MAX_HELD)
  return {
    hold(text) {
      const name = `raw-json:${randomUUID()}`
      held.set(name, text)
      return { [name]: true }
    },
    fill(message) {
      if (held.size === 0) return message
      return message.replace(PLACEHOLDER, (placeholder, name: string) => {
        const text = held.get(name) ?? placeholder
        held.delete(name)
        return text
      })
    },
  }
}
