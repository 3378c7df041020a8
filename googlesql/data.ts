/**
 * The part of index.ts for a process that runs queries which another process translated, and for browsers: types and values, no
 * parser.
 */

export { informationSchemaColumns, informationSchemaName, isComputedView } from './information-schema.js'
export { PARTITION_DATE, PARTITION_TIME } from './ingestion-time.js'
export { BoundedMap, memo } from './memo.js'
export type { SqlMistake } from './mistakes.js'
export type { SqlProblem } from './sql-error.js'
export { nearest } from './suggest.js'
export {
  type InformationSchemaView,
  type PartitionUnit,
  type Shard,
  type TableDefinition,
  TEXT_ENCODINGS,
  type TextEncoding,
  type TextForm,
  type TypeLimits,
  type UnreadableColumn,
} from './table-definition.js'
export { type ExternalDataConfiguration, externalConfiguration, textFormOf } from './text-form.js'
export { distinctNames } from './types/field-names.js'
export { ANY_STRUCT, parseOpenTypeName, parseTypeName } from './types/parse-type-name.js'
export {
  arrayOf,
  elementOfRange,
  isRangeKind,
  type RangeElementKind,
  type RangeKind,
  type ScalarKind,
  type ScalarType,
  type StructField,
  type StructType,
  scalarType,
  structOf,
  type Type,
  typeName,
} from './types/types.js'
export { type CivilDate, daysFromCivil, monthsLater } from './values/civil-date.js'
export {
  dateText,
  datetimeText,
  fractionText,
  MAX_TIMESTAMP_MICROS,
  MIN_TIMESTAMP_MICROS,
  timeText,
} from './values/civil-text.js'
export { type IntervalParts, intervalText, readInterval } from './values/interval-text.js'
export { canonicalJson, DOUBLE_DIGITS, normalDecimal } from './values/json-text.js'
export {
  dateLiteral,
  datetimeLiteral,
  decimalText,
  decimalUnits,
  numericLiteral,
  timeLiteral,
  timestampLiteral,
} from './values/literals.js'
export { type RangeBounds, rangeText, readRange } from './values/ranges.js'
export { patternSize } from './values/re2-size.js'
export { isTimeZone } from './values/time-zone.js'
export { TIME_ZONE_NAMES } from './values/time-zone-names.js'
export { definitionCovering, isShardOf, isWildcard, prefixOf, TABLE_SUFFIX } from './wildcard-tables.js'
