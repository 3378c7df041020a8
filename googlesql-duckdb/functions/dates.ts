/** The DuckDB SQL of date and time functions, by topic. */

import { CAST_FORMAT_WRITERS } from './cast-format.js'
import { ARITHMETIC_WRITERS } from './dates/arithmetic.js'
import { CONSTRUCT_WRITERS } from './dates/construct.js'
import { FORMAT_WRITERS } from './dates/format.js'
import { TRUNC_WRITERS } from './dates/truncate.js'
import type { SqlWriters } from './function-sql.js'
import { INTERVAL_WRITERS } from './intervals.js'

export const DATE_WRITERS: SqlWriters = {
  ...CONSTRUCT_WRITERS,
  ...TRUNC_WRITERS,
  ...ARITHMETIC_WRITERS,
  ...FORMAT_WRITERS,
  ...INTERVAL_WRITERS,
  ...CAST_FORMAT_WRITERS,
}
