/** Tracks the path of the value that is being read, for reports of bad rows. */
import type { RowField } from './row-schema.js'

const NO_ELEMENT = -1

export class ValuePath {
  /** The open fields, outermost first, and the current element of each. */
  readonly #fields: RowField[] = []
  readonly #elements: number[] = []
  #depth = 0

  clear(): void {
    this.#depth = 0
  }

  open(field: RowField): void {
    this.#fields[this.#depth] = field
    this.#elements[this.#depth++] = NO_ELEMENT
  }

  close(): void {
    this.#depth--
  }

  /** Moves to element `index` of the innermost field. */
  enterElement(index: number): void {
    this.#elements[this.#depth - 1] = index
  }

  /** The path, such as `metadata[0].request`; '' for the row. */
  text(): string {
    const names = this.#fields.slice(0, this.#depth).map(({ name }, i) => {
      const element = this.#elements[i]!
      return element === NO_ELEMENT ? name : `${name}[${element}]`
    })
    return names.join('.')
  }

  /** The path of a field of the open record. */
  textOf(name: string): string {
    return this.#depth === 0 ? name : `${this.text()}.${name}`
  }
}
