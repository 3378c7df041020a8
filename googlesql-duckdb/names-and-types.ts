/** DuckDB's names, types and values, for a process that runs SQL which another process has translated. */

export {
  BIGNUMERIC_SCALE,
  bignumericText,
  bignumericUnits,
  isInBignumeric,
  MAX_BIGNUMERIC,
  MIN_BIGNUMERIC,
} from './bignumeric.js'
export { literalPath, PATTERN_LETTERS, quoteName, quotePath, quoteText } from './emit/quote.js'
export { FROM_COLUMN, PARTITION_ALIAS, SHARD_SUFFIX, UNTIL_COLUMN } from './emit/scans/hidden-columns.js'
export type { PartitionRead, ShardCondition, ShardRead } from './emit/shard-views.js'
export { duckdbType, fieldNames } from './emit/type.js'
export { NO_MATCH_OR } from './runtime/macros/regexp.js'
export { NATIVE_ERROR_MARK } from './runtime/scalar-functions/scalar-function.js'
