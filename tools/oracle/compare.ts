/** Compares values with those of the reference implementation, by type. */
import type { StructField, Type } from '../../googlesql/types/types.js'

/**
 * The relative tolerance. FLOAT64 sums depend on the order of rows, and the reference adds with more digits than BigQuery
 * shows.
 */
const FLOAT_TOLERANCE = 1e-12

/**
 * The allowed difference of FLOAT64 values, relative or absolute, and a comparison of texts, which may contain such values.
 */
export interface Tolerance {
  readonly relative: number
  readonly absolute: number
  readonly isSameText: (actual: string, expected: string) => boolean
}
const USUAL: Tolerance = {
  relative: FLOAT_TOLERANCE,
  absolute: 0,
  isSameText: (actual, expected) => actual === expected,
}

type Rows = readonly (readonly unknown[])[]

/** Whether a JSON value of a case is equal to the reference's value, within the tolerance. */
export function isSameValue(actual: unknown, expected: unknown, type: Type, tolerance = USUAL): boolean {
  if (expected === null || actual === null || actual === undefined) return (actual ?? null) === expected
  switch (type.kind) {
    case 'ARRAY':
      return isSameList(actual, expected as unknown[], () => type.element, tolerance)
    case 'STRUCT':
      return isSameList(Object.values(actual), expected as unknown[], i => type.fields[i]!.type, tolerance)
    case 'FLOAT64':
      return isSameFloat(Number(actual), expected as number, tolerance)
    case 'JSON':
      return tolerance.isSameText(canonical(actual), canonical(expected))
    default:
      return tolerance.isSameText(String(actual), String(expected))
  }
}

/** Whether rows are equal to the reference's, in order or, if not `isOrdered`, in any order. */
export function areSameRows(
  actual: Rows,
  expected: Rows,
  columns: readonly StructField[],
  isOrdered: boolean,
  tolerance = USUAL,
): boolean {
  const isSameRow = (row: readonly unknown[], other: readonly unknown[]): boolean =>
    isSameList(row, other, i => columns[i]!.type, tolerance)
  if (actual.length !== expected.length) return false
  if (isOrdered) return actual.every((row, i) => isSameRow(row, expected[i]!))
  const left = [...expected]
  return actual.every(row => {
    const at = left.findIndex(other => isSameRow(row, other))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

function isSameList(
  actual: unknown,
  expected: readonly unknown[],
  typeAt: (i: number) => Type,
  tolerance: Tolerance,
): boolean {
  return (
    Array.isArray(actual) &&
    actual.length === expected.length &&
    actual.every((value, i) => isSameValue(value, expected[i], typeAt(i), tolerance))
  )
}

function isSameFloat(actual: number, expected: number, { relative, absolute }: Tolerance): boolean {
  if (Object.is(actual, expected) || actual === expected) return true
  // A tolerance relative to infinity would be infinite, so that every number would be equal to it.
  if (!Number.isFinite(actual) || !Number.isFinite(expected)) return false
  const difference = Math.abs(actual - expected)
  return difference <= absolute || difference <= relative * Math.max(Math.abs(actual), Math.abs(expected))
}

/** The value as JSON text, with the keys of objects sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, of: unknown) =>
    of !== null && typeof of === 'object' && !Array.isArray(of) ? Object.fromEntries(Object.entries(of).sort()) : of,
  )
}
