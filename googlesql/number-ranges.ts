/**
 * Arguments that must be numbers in a range. A call or clause with a number outside its range fails whatever the rows are, so the
 * number alone is the mistake.
 */

export interface NumberRange {
  readonly least: number
  /** Absent where there is no greatest number. */
  readonly most?: number
  /** Whether NULL is allowed in the place of the number. @default false */
  readonly takesNull?: boolean
  /** Tells the caller what is wrong with an argument that leads to a number outside the range. */
  readonly detail: string
}

interface ArgumentRange extends NumberRange {
  /** The index of the argument. */
  readonly argument: number
}

export const ROW_COUNT: NumberRange = { least: 0, detail: 'leads to a LIMIT or OFFSET that is negative or missing' }
export const FRAME: NumberRange = { least: 0, detail: 'leads to a bound of a window frame that is negative or missing' }

const INDEX = { argument: 1, takesNull: true, detail: 'leads to an index that the array does not have' } as const

const FUNCTIONS: readonly (readonly [name: string, argument: number, least: number, most?: number])[] = [
  ['APPROX_QUANTILES', 1, 1, 100_000],
  ['APPROX_TOP_COUNT', 1, 1],
  ['APPROX_TOP_SUM', 2, 1],
  ['LAG', 1, 0],
  ['LEAD', 1, 0],
  ['NTH_VALUE', 1, 1],
  ['NTILE', 0, 1],
  ['PERCENTILE_CONT', 1, 0, 1],
  ['PERCENTILE_DISC', 1, 0, 1],
]

/** The ranges by the name of the function or operator. */
export const NUMBER_RANGES: ReadonlyMap<string, ArgumentRange> = new Map<string, ArgumentRange>([
  ['$array_at_offset', { ...INDEX, least: 0 }],
  ['$array_at_ordinal', { ...INDEX, least: 1 }],
  ...FUNCTIONS.map(([name, argument, least, most]): [string, ArgumentRange] => {
    const detail = `is refused by ${name}, which takes ${least} ${most === undefined ? 'or more' : `to ${most}`}`
    return [name, { argument, least, ...(most !== undefined && { most }), detail }]
  }),
])

/** A query that fails if the number is not in the range. */
export function outOfRange(number: string, { least, most, takesNull = false }: NumberRange): string {
  const test = most === undefined ? `${number} >= ${least}` : `${number} BETWEEN ${least} AND ${most}`
  return `SELECT IF(COALESCE(${test}, ${takesNull}), 0, ERROR('out of range'))`
}
