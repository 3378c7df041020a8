/** Determines which keys of files can be column names. Source: https://cloud.google.com/bigquery/docs/schemas#column_names */
import { RESERVED_KEYWORDS } from '../../../googlesql/index.js'
import { excerptOf } from '../../../runner/engines/duckdb/tables/rows/bad-row.js'
import { columnName } from '../../../runner/engines/duckdb/tables/rows/column-name.js'

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const RESERVED = /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i
const MAX_LENGTH = 300

/** Numbers, dates and times; ids in hexadecimal digits; addresses, and labels such as `example.com/role`. */
const LIKE_VALUE = /^\d[\d.:T_-]*Z?$|^(?=.*\d)[0-9a-f-]{16,}$|.[/@]./i

/** Whether a key is probably a value: objects with such keys are maps, and other rows have other keys. */
export const isLikeValue = (key: string): boolean => LIKE_VALUE.test(key)

/** Whether SQL needs backticks around the name. */
export const needsBackticks = (key: string): boolean => !PLAIN.test(key) || RESERVED_KEYWORDS.has(key.toUpperCase())

/** The doubt about a column whose name differs from the key in the file. */
export const renamingDoubt = (key: string): string => `is the name for "${excerptOf(key)}", which cannot name a column`

/** Why no column can hold the values of this key, and what to do; null where a column can. */
export function whyNoColumn(key: string): string | null {
  if (key === '') return 'an empty key cannot name a column; name it in the file'
  if (key.length > MAX_LENGTH) return `a name of a column has at most ${MAX_LENGTH} characters; rename it in the file`
  const [reserved] = RESERVED.exec(columnName(key)) ?? []
  return reserved === undefined ? null : `BigQuery keeps names that begin with ${reserved}; rename it in the file`
}
