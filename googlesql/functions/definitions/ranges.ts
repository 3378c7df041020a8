/** Functions of ranges. */
import type { RangeElementKind } from '../../types/types.js'
import { CAN_FAIL, type CanFail, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'

const ELEMENTS: readonly RangeElementKind[] = ['DATE', 'DATETIME', 'TIMESTAMP']

/** One signature for each type of the bounds, which stands where `write` has it. */
const range = (
  name: string,
  canFail: CanFail,
  write: (element: RangeElementKind, range: string) => readonly string[],
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  signatures: ELEMENTS.flatMap(element => write(element, `RANGE<${element}>`)),
  documentation: `range-functions#${name.toLowerCase()}`,
})

export const RANGE_FUNCTIONS: readonly FunctionEntry[] = [
  {
    ...range('RANGE', CAN_FAIL, (element, own) => [`(${element}, ${element}) -> ${own}`]),
    notForTextLiterals: ELEMENTS.map(element => `${element}, ${element}`),
    // A bare NULL has been coerced to the first signature's type, so the types are not enough to tell.
    check: args =>
      args.every(
        arg => arg?.kind === 'cast' && arg.isImplicit && arg.operand.kind === 'literal' && arg.operand.value === null,
      )
        ? 'at least one of RANGE() arguments must be typed'
        : null,
  },
  range('RANGE_START', NEVER_FAILS, (element, own) => [`(${own}) -> ${element}`]),
  range('RANGE_END', NEVER_FAILS, (element, own) => [`(${own}) -> ${element}`]),
  range('RANGE_CONTAINS', NEVER_FAILS, (element, own) => [`(${own}, ${own}) -> BOOL`, `(${own}, ${element}) -> BOOL`]),
  range('RANGE_OVERLAPS', NEVER_FAILS, (_, own) => [`(${own}, ${own}) -> BOOL`]),
  range('RANGE_INTERSECT', CAN_FAIL, (_, own) => [`(${own}, ${own}) -> ${own}`]),
  range('GENERATE_RANGE_ARRAY', CAN_FAIL, (_, own) => [`(${own}, INTERVAL, [BOOL]) -> ARRAY<${own}>`]),
]
