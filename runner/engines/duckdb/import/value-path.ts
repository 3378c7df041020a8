/** Which value of a row is being read, for whoever is told that it is bad. */
import type { RowField } from './row-schema.js'

const NO_ELEMENT = -1

export class ValuePath {
  /** The fields that are open, from the outermost, and which element of each is. */
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

  /** The innermost field's element `index` is read next. */
  enterElement(index: number): void {
    this.#elements[this.#depth - 1] = index
  }

  /** `metadata[0].request`; '' for the row. */
  text(): string {
    const names = this.#fields.slice(0, this.#depth).map(({ name }, i) => {
      const element = this.#elements[i]!
      return element === NO_ELEMENT ? name : `${name}[${element}]`
    })
    return names.join('.')
  }

  /** The path of a field of the record that is open. */
  textOf(name: string): string {
    return this.#depth === 0 ? name : `${this.text()}.${name}`
  }
}
