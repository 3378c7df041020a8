/**
 * JSON texts inside messages that the SDK serializes: it takes values alone, and values of JSON.parse have lost the digits that
 * a double cannot hold. A placeholder goes through the SDK in place of each text, which replaces it in what the SDK has written.
 */
import { randomUUID } from 'node:crypto'
import { BoundedMap } from '../model/bounded-map.js'

/** The most texts that are held: those of cancelled calls are never sent, and make room for others. */
const MAX_HELD = 256
const PLACEHOLDER = /\{"(raw-json:[0-9a-f-]{36})":true\}/g

export class RawJson {
  readonly #held = new BoundedMap<string, string>(MAX_HELD)

  /** A value that stands for this text, until it is sent. */
  hold(text: string): Readonly<Record<string, true>> {
    const name = `raw-json:${randomUUID()}`
    this.#held.set(name, text)
    return { [name]: true }
  }

  /** A serialized message with its texts. */
  fill(message: string): string {
    return message.replace(PLACEHOLDER, (placeholder, name: string) => {
      const text = this.#held.get(name) ?? placeholder
      this.#held.delete(name)
      return text
    })
  }
}
