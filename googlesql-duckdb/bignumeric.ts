/**
 * BIGNUMERIC in DuckDB: a BIGNUM, an integer of any length, that counts units of 10^-38. DuckDB itself compares, groups,
 * orders, adds and sums it; scalar functions do the rest. The generated SQL never applies `-` to a BIGNUM: DuckDB's subtraction
 * writes into its operands while other threads may read them, and the result of its unary `-` compares wrongly (1.5.5).
 */
import { decimalText, decimalUnits } from '../googlesql/values/literals.js'

export const BIGNUMERIC_SCALE = 38
/** The number of units in the value 1. */
export const BIGNUMERIC_UNIT = 10n ** BigInt(BIGNUMERIC_SCALE)
export const MAX_BIGNUMERIC = 2n ** 255n - 1n
export const MIN_BIGNUMERIC = -(2n ** 255n)

/** The units of a decimal text of at most 38 digits after the point, as numericLiteral returns it. */
export const bignumericUnits = (text: string): bigint => decimalUnits(text, BIGNUMERIC_SCALE)

/** The decimal text without superfluous zeros. */
export const bignumericText = (units: bigint): string => decimalText(units, BIGNUMERIC_SCALE)

export const isInBignumeric = (units: bigint): boolean => units <= MAX_BIGNUMERIC && units >= MIN_BIGNUMERIC
