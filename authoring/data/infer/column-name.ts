/** Determines which keys of files can be column names. Source: https://cloud.google.com/bigquery/docs/schemas#column_names */
import { RESERVED_KEYWORDS } from '../../../googlesql/index.js'

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
/** BigQuery's flexible column names. */
const FLEXIBLE = /^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}&%=+:'<>#| ]+$/u
const RESERVED = /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i
const MAX_LENGTH = 300

/** Numbers, dates and times; ids in hexadecimal digits; addresses, and labels such as `example.com/role`. */
const LIKE_VALUE = /^\d[\d.:T_-]*Z?$|^(?=.*\d)[0-9a-f-]{16,}$|.[/@]./i

/** Whether a key is probably a value: objects with such keys are maps, and other rows have other keys. */
export const isLikeValue = (key: string): boolean => LIKE_VALUE.test(key)

/** Whether SQL needs backticks around the name. */
export const needsBackticks = (key: string): boolean => !PLAIN.test(key) || RESERVED_KEYWORDS.has(key.toUpperCase())

/** Why the key cannot be the name of a column, and what to do; null where it can. */
export function whyNoColumn(key: string): string | null {
  if (key === '') return 'an empty key cannot name a column; name it in the file'
  if (key.length > MAX_LENGTH) return `a name of a column has at most ${MAX_LENGTH} characters; rename it in the file`
  if (RESERVED.test(key)) return `BigQuery keeps names that begin with ${RESERVED.exec(key)![0]}; rename it in the file`
  if (PLAIN.test(key) || FLEXIBLE.test(key)) return null
  const wrong = [...key].find(character => !FLEXIBLE.test(character)) ?? ''
  return `a name of a column has no ${JSON.stringify(wrong)}; rename it in the file`
}
