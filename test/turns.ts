/** The turns of the event loop that begin before the work has ended. */
export async function turnsOf<T>(work: Promise<T>): Promise<{ readonly value: T; readonly turns: number }> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const value = await work
  isDone = true
  return { value, turns }
}
