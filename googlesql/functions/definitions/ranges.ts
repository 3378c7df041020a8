/** Functions of ranges. */
import type { Expr } from '../../plan/nodes.js'
import { isRangeKind, type RangeElementKind } from '../../types/types.js'
import { type Args, CAN_FAIL, type CanFail, type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const ELEMENTS: readonly RangeElementKind[] = ['DATE', 'DATETIME', 'TIMESTAMP']

/** An entry whose signatures `write` returns for each type of the bounds. */
const range = (
  name: string,
  canFail: CanFail,
  write: (element: RangeElementKind, range: string) => readonly string[],
): FunctionEntry =>
  functionsOf('range-functions')(
    name,
    canFail,
    UNKNOWN,
    ELEMENTS.flatMap(element => write(element, `RANGE<${element}>`)),
    { check: args => needsType(name === 'RANGE_OVERLAPS' ? args : args.slice(0, 1)) },
  )

/** Whether the argument is an untyped NULL that was coerced to the type of the first signature. */
const isCoercedNull = (arg: Expr | null): boolean =>
  arg?.kind === 'cast' && arg.isImplicit && arg.operand.kind === 'literal' && arg.operand.value === null

/** Refuses an untyped NULL as the first argument, and as the second one of RANGE_OVERLAPS. Source: the reference implementation. */
const needsType = (args: Args): string | null =>
  args.some(arg => arg !== null && isRangeKind(arg.type.kind) && isCoercedNull(arg))
    ? 'A literal NULL argument cannot be accepted in place of RANGE. Add a CAST to specify the type like CAST(NULL AS RANGE<DATE>)'
    : null

export const RANGE_FUNCTIONS: readonly FunctionEntry[] = [
  {
    ...range('RANGE', CAN_FAIL, (element, own) => [`(${element}, ${element}) -> ${own}`]),
    notForTextLiterals: ELEMENTS.map(element => `${element}, ${element}`),
    check: args => {
      if (args.every(isCoercedNull)) return 'at least one of RANGE() arguments must be typed'
      const isMixed = args.some(arg => arg?.kind === 'cast' && arg.isImplicit && !isCoercedNull(arg))
      return isMixed ? 'RANGE() arguments must be of the same type' : null
    },
  },
  range('RANGE_START', NEVER_FAILS, (element, own) => [`(${own}) -> ${element}`]),
  range('RANGE_END', NEVER_FAILS, (element, own) => [`(${own}) -> ${element}`]),
  range('RANGE_CONTAINS', NEVER_FAILS, (element, own) => [`(${own}, ${own}) -> BOOL`, `(${own}, ${element}) -> BOOL`]),
  range('RANGE_OVERLAPS', NEVER_FAILS, (_, own) => [`(${own}, ${own}) -> BOOL`]),
  range('RANGE_INTERSECT', CAN_FAIL, (_, own) => [`(${own}, ${own}) -> ${own}`]),
  range('GENERATE_RANGE_ARRAY', CAN_FAIL, (_, own) => [`(${own}, INTERVAL, [BOOL]) -> ARRAY<${own}>`]),
]
