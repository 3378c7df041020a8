/** Integers of 32 to 256 bits in two's complement, written into an array of words of 32 bits, the lowest first. */

/** The number of values of one word. */
export const WORD_BASE = 2 ** 32

/** The place of one integer: `count` words from `first` on. Arithmetic is that of doubles: a bigint takes ten times as long. */
export class Words {
  readonly count: number
  values: Uint32Array<ArrayBuffer>
  first = 0
  /** The words from here on are 0, while a value is multiplied. */
  #used = 0

  constructor(count: number, values: Uint32Array<ArrayBuffer>) {
    this.count = count
    this.values = values
  }

  /** @param value a whole number within ±(2^53 − 1). */
  set(value: number): void {
    const { values, first, count } = this
    values[first] = value
    if (count === 1) return
    const high = Math.floor(value / WORD_BASE)
    values[first + 1] = high
    if (count > 2) values.fill(high < 0 ? WORD_BASE - 1 : 0, first + 2, first + count)
  }

  /** The lowest two words; they are all that there are. */
  setPair(high: number, low: number): void {
    this.values[this.first] = low
    this.values[this.first + 1] = high
  }

  /** Makes the value 0, for `multiplyAdd`. */
  clear(): void {
    const { values, first, count } = this
    for (let i = first; i < first + count; i++) values[i] = 0
    this.#used = 0
  }

  /**
   * Multiplies by up to a million, and adds less than that. The value counts as unsigned, and is one that `clear` began.
   * @returns whether there are enough words for the result.
   */
  multiplyAdd(factor: number, summand: number): boolean {
    const { values, first } = this
    const end = first + this.#used
    let carry = summand
    for (let i = first; i < end; i++) {
      const product = values[i]! * factor + carry
      values[i] = product
      carry = Math.floor(product / WORD_BASE)
    }
    if (carry === 0) return true
    if (this.#used === this.count) return false
    values[end] = carry
    this.#used += 1
    return true
  }

  negate(): void {
    const { values, first, count } = this
    let carry = 1
    for (let i = first; i < first + count; i++) {
      const sum = (~values[i]! >>> 0) + carry
      values[i] = sum
      carry = sum < WORD_BASE ? 0 : 1
    }
  }

  isNegative(): boolean {
    return this.values[this.first + this.count - 1]! >= WORD_BASE / 2
  }

  isZero(): boolean {
    const { values, first, count } = this
    for (let i = first; i < first + count; i++) if (values[i] !== 0) return false
    return true
  }
}
