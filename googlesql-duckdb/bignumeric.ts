/**
 * BIGNUMERIC in DuckDB: a BIGNUM, an integer of any length, that counts units of 10^-38. DuckDB compares, groups, orders, adds
 * and sums it by itself; scalar functions do the rest. No SQL has a `-` of BIGNUM: DuckDB writes into its operands while it
 * subtracts, which other threads read (1.5.5), and compares what a unary `-` returns wrongly.
 */

export const BIGNUMERIC_SCALE = 38
/** One, in units. */
export const BIGNUMERIC_UNIT = 10n ** BigInt(BIGNUMERIC_SCALE)
export const MAX_BIGNUMERIC = 2n ** 255n - 1n
export const MIN_BIGNUMERIC = -(2n ** 255n)

/** The units of a decimal text of at most 38 digits after the point, as numericLiteral returns it. */
export function bignumericUnits(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(whole! + fraction.padEnd(BIGNUMERIC_SCALE, '0'))
}

/** The decimal text without superfluous zeros. */
export function bignumericText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(BIGNUMERIC_SCALE + 1, '0')
  const fraction = digits.slice(-BIGNUMERIC_SCALE).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -BIGNUMERIC_SCALE)}${fraction === '' ? '' : `.${fraction}`}`
}

export const isInBignumeric = (units: bigint): boolean => units <= MAX_BIGNUMERIC && units >= MIN_BIGNUMERIC
