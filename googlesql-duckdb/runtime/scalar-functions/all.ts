/** All JavaScript scalar functions, by topic. */
import { BIGNUMERIC_SCALAR_FUNCTIONS } from './bignumeric.js'
import { BYTES_SCALAR_FUNCTIONS } from './bytes.js'
import { CAST_SCALAR_FUNCTIONS } from './casts.js'
import { CONTAINS_SUBSTR_SCALAR_FUNCTIONS } from './contains-substr.js'
import { CORE_SCALAR_FUNCTIONS } from './core.js'
import { DATE_SCALAR_FUNCTIONS } from './dates.js'
import { FLOAT_STEP_SCALAR_FUNCTIONS } from './float-steps.js'
import { FORMAT_SCALAR_FUNCTIONS } from './format.js'
import { HASH_SCALAR_FUNCTIONS } from './hash.js'
import { JSON_SCALAR_FUNCTIONS } from './json.js'
import { LIKE_SCALAR_FUNCTIONS } from './like.js'
import { MATH_SCALAR_FUNCTIONS } from './math.js'
import { NET_SCALAR_FUNCTIONS } from './net.js'
import { RANGE_SCALAR_FUNCTIONS } from './ranges.js'
import { REGEXP_SCALAR_FUNCTIONS } from './regexp.js'
import type { ScalarFunction } from './scalar-function.js'
import { SEARCH_SCALAR_FUNCTIONS } from './search.js'
import { STRING_SCALAR_FUNCTIONS } from './strings.js'

export const SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  ...CORE_SCALAR_FUNCTIONS,
  ...BIGNUMERIC_SCALAR_FUNCTIONS,
  ...CAST_SCALAR_FUNCTIONS,
  ...DATE_SCALAR_FUNCTIONS,
  ...FLOAT_STEP_SCALAR_FUNCTIONS,
  ...JSON_SCALAR_FUNCTIONS,
  ...LIKE_SCALAR_FUNCTIONS,
  ...MATH_SCALAR_FUNCTIONS,
  ...STRING_SCALAR_FUNCTIONS,
  ...BYTES_SCALAR_FUNCTIONS,
  ...HASH_SCALAR_FUNCTIONS,
  ...RANGE_SCALAR_FUNCTIONS,
  ...REGEXP_SCALAR_FUNCTIONS,
  ...NET_SCALAR_FUNCTIONS,
  ...FORMAT_SCALAR_FUNCTIONS,
  ...CONTAINS_SUBSTR_SCALAR_FUNCTIONS,
  ...SEARCH_SCALAR_FUNCTIONS,
]
