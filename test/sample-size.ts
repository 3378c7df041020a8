/**
 * Decides what of a file `make test` runs: a quarter of the inputs where a test has many that are alike, random or listed, each of which
 * costs a query or more, and none of the tests that take long. All of it runs in `make test ALL=1`, in .ci/run and when a file is run by
 * itself.
 */
const triesAll = process.env['SLUICE_TEST_SAMPLE'] !== 'quarter'

/** A quarter of `all`, rounded up, or `all`. */
export const sampleSize = (all: number): number => (triesAll ? all : Math.ceil(all / 4))

/** Every fourth element, the first among them, or all. */
export const sampleOf = <T>(all: readonly T[]): readonly T[] => (triesAll ? all : all.filter((_, i) => i % 4 === 0))

/** Declares a test that `make test` leaves out, since it takes long, and others in its file or beside it hold the same for less. */
export function itInAll(title: string, test: (this: Mocha.Context) => unknown): void {
  if (triesAll) it(title, test as Mocha.AsyncFunc)
}
