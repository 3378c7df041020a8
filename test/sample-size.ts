/**
 * Decides how many of its inputs a test tries: all of them in `make test ALL=1`, in .ci/run and when a file is run by itself, a
 * quarter in `make test`. It is for hundreds of similar inputs, random or listed, each of which costs a query or more.
 */
const triesAll = process.env['SLUICE_TEST_SAMPLE'] !== 'quarter'

/** A quarter of `all`, rounded up, or `all`. */
export const sampleSize = (all: number): number => (triesAll ? all : Math.ceil(all / 4))

/** Every fourth element, the first among them, or all. */
export const sampleOf = <T>(all: readonly T[]): readonly T[] => (triesAll ? all : all.filter((_, i) => i % 4 === 0))
