/** Functions that give another value at each call. */

export const RANDOM: ReadonlySet<string> = new Set(['RAND', 'GENERATE_UUID'])
