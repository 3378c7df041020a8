/**
 * What is known of the results of functions, for the contracts of result columns: whether they can be NULL, and whether an
 * INT64 stays within ±(2^53−1). A function that is not listed promises nothing. Source: the pages of each function.
 */
import { findFunction } from './all.js'

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Never NULL. */
const NEVER_NULL = names(`
  $is_null $is_true $is_false $is_distinct
  $count_star COUNT COUNTIF APPROX_COUNT_DISTINCT
  ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST
  CURRENT_DATE CURRENT_DATETIME CURRENT_TIME CURRENT_TIMESTAMP PI RAND GENERATE_UUID
`)

/** NULL only where an argument is NULL; aggregates: only where there is no row, or every row's argument is NULL. */
const NULL_WITH_ARGUMENT = names(`
  $add $subtract $multiply $divide $negate $concat
  $eq $ne $lt $le $gt $ge $between $and $or $not $in $like
  ABS SIGN ROUND TRUNC CEIL FLOOR MOD DIV SQRT POW EXP LN LOG LOG10 IEEE_DIVIDE GREATEST LEAST
  ASCII BYTE_LENGTH CHAR_LENGTH CONCAT ENDS_WITH LEFT LENGTH LOWER LPAD LTRIM REPEAT REPLACE REVERSE RIGHT RPAD RTRIM
  STARTS_WITH STRPOS SUBSTR TRIM UNICODE UPPER TO_HEX TO_BASE64 MD5 SHA1 SHA256 SHA512 FARM_FINGERPRINT
  REGEXP_CONTAINS REGEXP_REPLACE
  DATE DATE_ADD DATE_SUB DATE_DIFF DATE_TRUNC DATE_FROM_UNIX_DATE UNIX_DATE LAST_DAY FORMAT_DATE
  DATETIME DATETIME_ADD DATETIME_SUB DATETIME_DIFF DATETIME_TRUNC FORMAT_DATETIME
  TIME TIME_ADD TIME_SUB TIME_DIFF TIME_TRUNC FORMAT_TIME
  TIMESTAMP TIMESTAMP_ADD TIMESTAMP_SUB TIMESTAMP_DIFF TIMESTAMP_TRUNC FORMAT_TIMESTAMP
  TIMESTAMP_SECONDS TIMESTAMP_MILLIS TIMESTAMP_MICROS UNIX_SECONDS UNIX_MILLIS UNIX_MICROS $extract
  $interval MAKE_INTERVAL JUSTIFY_DAYS JUSTIFY_HOURS JUSTIFY_INTERVAL
  ANY_VALUE AVG LOGICAL_AND LOGICAL_OR MAX MIN STRING_AGG SUM
`)

/** Within ±(2^53−1), whatever the arguments. */
const SMALL_INTEGERS = names(`
  $count_star COUNT COUNTIF APPROX_COUNT_DISTINCT ROW_NUMBER RANK DENSE_RANK
  ASCII BYTE_LENGTH CHAR_LENGTH LENGTH STRPOS UNICODE SIGN ARRAY_LENGTH
  $extract DATE_DIFF UNIX_DATE UNIX_SECONDS UNIX_MILLIS
`)

/** An argument's range is the result's. */
const KEEPS_RANGE = names('ANY_VALUE MAX MIN ABS GREATEST LEAST COALESCE IFNULL IF NULLIF FIRST_VALUE LAST_VALUE')

/** One of the arrays' elements is never NULL. */
const ARRAYS_WITHOUT_NULL = names('GENERATE_ARRAY GENERATE_DATE_ARRAY GENERATE_TIMESTAMP_ARRAY SPLIT')

/** The result is an argument, so its fields or elements are those of the arguments; of IF, those after the first. */
const KEEPS_PARTS = names('ANY_VALUE FIRST_VALUE LAST_VALUE NTH_VALUE COALESCE IFNULL IF NULLIF')

/** The elements of the result are the arguments; those that it ignores where they are NULL are not among them. */
const GATHERS = names('ARRAY_AGG')

/** The elements of the result are elements of the arguments, which are arrays. */
const KEEPS_ELEMENTS = names('ARRAY_CONCAT ARRAY_CONCAT_AGG ARRAY_REVERSE')

/** The result is an element of the first argument; NULL only where an argument or this element is. */
const ELEMENTS = names('$array_at_offset $array_at_ordinal ARRAY_FIRST ARRAY_LAST')

/** The entry's own name, by a name or an alias; operators and what has no entry keep their names. */
const own = (name: string): string => findFunction(name)?.name ?? name

export const isNeverNull = (name: string): boolean => NEVER_NULL.has(own(name))
export const isNullOnlyWithArgument = (name: string): boolean => NULL_WITH_ARGUMENT.has(own(name))
export const isSmallInteger = (name: string): boolean => SMALL_INTEGERS.has(own(name))
export const keepsRange = (name: string): boolean => KEEPS_RANGE.has(own(name))
export const makesNoNullElement = (name: string): boolean => ARRAYS_WITHOUT_NULL.has(own(name))
export const keepsParts = (name: string): boolean => KEEPS_PARTS.has(own(name))
export const gathersElements = (name: string): boolean => GATHERS.has(own(name))
export const keepsElements = (name: string): boolean => KEEPS_ELEMENTS.has(own(name))
export const givesElement = (name: string): boolean => ELEMENTS.has(own(name))

/** All names listed here, for the test that each is a function. */
export const LISTED: ReadonlySet<string> = new Set([
  ...NEVER_NULL,
  ...NULL_WITH_ARGUMENT,
  ...SMALL_INTEGERS,
  ...KEEPS_RANGE,
  ...ARRAYS_WITHOUT_NULL,
  ...KEEPS_PARTS,
  ...GATHERS,
  ...KEEPS_ELEMENTS,
  ...ELEMENTS,
])
