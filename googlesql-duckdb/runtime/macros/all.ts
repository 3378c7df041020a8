/** All macros, by topic. prepare-session.ts creates each macro after the macros that it calls. */
import { AGGREGATE_MACROS } from './aggregates.js'
import { ARRAY_MACROS } from './arrays.js'
import { BIGNUMERIC_MACROS } from './bignumeric.js'
import { CAST_MACROS } from './casts.js'
import { CORE_MACROS } from './core.js'
import { DATE_MACROS } from './dates.js'
import { JSON_MACROS } from './json.js'
import { type Macro, macroOf } from './macro.js'
import { MATH_MACROS } from './math.js'
import { OPERATOR_MACROS } from './operators.js'
import { RANGE_MACROS } from './ranges.js'
import { REGEXP_MACROS } from './regexp.js'
import { STRING_MACROS } from './strings.js'

export const MACROS: readonly Macro[] = [
  ...CORE_MACROS,
  ...OPERATOR_MACROS,
  ...BIGNUMERIC_MACROS,
  ...CAST_MACROS,
  ...ARRAY_MACROS,
  ...AGGREGATE_MACROS,
  ...DATE_MACROS,
  ...JSON_MACROS,
  ...MATH_MACROS,
  ...RANGE_MACROS,
  ...REGEXP_MACROS,
  ...STRING_MACROS,
].map(macroOf)
