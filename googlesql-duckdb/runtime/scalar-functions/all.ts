/** All JavaScript scalar functions, by topic. */
import { ARITHMETIC_NATIVES } from './arithmetic.js'
import { BYTES_NATIVES } from './bytes.js'
import { CAST_NATIVES } from './casts.js'
import { CONTAINS_SUBSTR_NATIVES } from './contains-substr.js'
import { CORE_NATIVES } from './core.js'
import { DATE_NATIVES } from './dates.js'
import { FLOAT_STEP_NATIVES } from './float-steps.js'
import { FORMAT_NATIVES } from './format.js'
import { HASH_NATIVES } from './hash.js'
import { JSON_NATIVES } from './json.js'
import { MATH_NATIVES } from './math.js'
import { NET_NATIVES } from './net.js'
import { REGEXP_NATIVES } from './regexp.js'
import type { NativeFunction } from './scalar-function.js'
import { STRING_NATIVES } from './strings.js'

export const NATIVES: readonly NativeFunction[] = [
  ...CORE_NATIVES,
  ...ARITHMETIC_NATIVES,
  ...CAST_NATIVES,
  ...DATE_NATIVES,
  ...FLOAT_STEP_NATIVES,
  ...JSON_NATIVES,
  ...MATH_NATIVES,
  ...STRING_NATIVES,
  ...BYTES_NATIVES,
  ...HASH_NATIVES,
  ...REGEXP_NATIVES,
  ...NET_NATIVES,
  ...FORMAT_NATIVES,
  ...CONTAINS_SUBSTR_NATIVES,
]
