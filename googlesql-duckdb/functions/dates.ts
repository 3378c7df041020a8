/** The DuckDB SQL of date and time functions, by topic. */

import { CAST_FORMAT_FORMS } from './cast-format.js'
import { ARITHMETIC_FORMS } from './dates/arithmetic.js'
import { CONSTRUCT_FORMS } from './dates/construct.js'
import { FORMAT_FORMS } from './dates/format.js'
import { TRUNC_FORMS } from './dates/truncate.js'
import type { Forms } from './function-sql.js'
import { INTERVAL_FORMS } from './intervals.js'

export const DATE_FORMS: Forms = {
  ...CONSTRUCT_FORMS,
  ...TRUNC_FORMS,
  ...ARITHMETIC_FORMS,
  ...FORMAT_FORMS,
  ...INTERVAL_FORMS,
  ...CAST_FORMAT_FORMS,
}
