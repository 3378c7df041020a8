/** Which fields of the records that are open have been read. */

/** A stack in one piece of memory, since every record of every row has one. */
export class SeenFields {
  #flags = new Uint8Array(1024)
  #end = 0

  clear(): void {
    this.#end = 0
  }

  /** A record of `count` fields begins. @returns where its own are: the place of a field is that plus its index */
  open(count: number): number {
    const begin = this.#end
    this.#end = begin + count
    if (this.#end > this.#flags.length) {
      const bigger = new Uint8Array(this.#end * 2)
      bigger.set(this.#flags)
      this.#flags = bigger
    }
    this.#flags.fill(0, begin, this.#end)
    return begin
  }

  /** The record that began at `begin` ends. */
  close(begin: number): void {
    this.#end = begin
  }

  has(place: number): boolean {
    return this.#flags[place] === 1
  }

  add(place: number): void {
    this.#flags[place] = 1
  }
}
