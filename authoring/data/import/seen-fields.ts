/** Tracks which fields of the open records have been read. */

/** A stack in one array, since every record of every row needs an entry. */
export class SeenFields {
  #flags = new Uint8Array(1024)
  #end = 0

  clear(): void {
    this.#end = 0
  }

  /** Begins a record of `count` fields. @returns the offset of its first field; a field is at that offset plus its index */
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

  /** Ends the record that began at `begin`. */
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
