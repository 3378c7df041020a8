/** What to write instead, for the mistakes of authors who know another dialect of SQL, or are new to this one. */
import { isKeyword, RESERVED_KEYWORDS } from './lex/keywords.js'
import { type Token, tokenize } from './lex/tokenize.js'
import { nearest } from './suggest.js'

/** Functions of other dialects, and those of GoogleSQL that BigQuery has not. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ADD_MONTHS: 'DATE_ADD(date, INTERVAL n MONTH)',
  ARRAY_CONTAINS: 'value IN UNNEST(array)',
  ARRAY_FIND: '(SELECT element FROM UNNEST(array) AS element WITH OFFSET AS i WHERE … ORDER BY i LIMIT 1)',
  ARRAY_FIND_ALL: 'ARRAY_FILTER(array, element -> condition)',
  ARRAY_JOIN: "ARRAY_TO_STRING(array, ',')",
  ARRAY_OFFSET: '(SELECT MIN(i) FROM UNNEST(array) AS element WITH OFFSET AS i WHERE …)',
  ARRAY_OFFSETS: 'ARRAY(SELECT i FROM UNNEST(array) AS element WITH OFFSET AS i WHERE … ORDER BY i)',
  ARRAY_ZIP:
    'ARRAY(SELECT STRUCT(a, b) FROM UNNEST(x) AS a WITH OFFSET JOIN UNNEST(y) AS b WITH OFFSET USING (offset))',
  CHARINDEX: 'STRPOS(text, part)',
  CONVERT: 'CAST(value AS type)',
  CONVERT_TZ: "DATETIME(timestamp, 'Europe/Berlin')",
  CURDATE: 'DATE(@now)',
  CURRENT_USER: 'a pinned parameter, which tells callers apart',
  DATEADD: 'DATE_ADD(date, INTERVAL n DAY), or TIMESTAMP_ADD for a TIMESTAMP',
  DATEDIFF: 'DATE_DIFF(later, earlier, DAY), or TIMESTAMP_DIFF for a TIMESTAMP',
  DATENAME: "FORMAT_DATE('%A', date)",
  DATEPART: 'EXTRACT(part FROM date)',
  DATE_FORMAT: "FORMAT_DATE('%Y-%m-%d', date), or FORMAT_TIMESTAMP for a TIMESTAMP",
  DATE_PART: 'EXTRACT(part FROM date)',
  DAY: 'EXTRACT(DAY FROM date)',
  DECODE: 'CASE value WHEN … THEN … END',
  DOUBLE: 'FLOAT64(json)',
  DOUBLE_ARRAY: 'FLOAT64_ARRAY(json)',
  FLATTEN: 'ARRAY(SELECT element FROM UNNEST(array) AS part, UNNEST(part.list) AS element)',
  FLOAT: 'FLOAT64(json)',
  FLOAT_ARRAY: 'FLOAT64_ARRAY(json)',
  FROM_UNIXTIME: 'TIMESTAMP_SECONDS(seconds)',
  GETDATE: '@now',
  GETUTCDATE: '@now',
  GROUP_CONCAT: "STRING_AGG(text, ',')",
  HIGHWAY_FINGERPRINT128: 'FARM_FINGERPRINT(text)',
  HOUR: 'EXTRACT(HOUR FROM timestamp)',
  IFERROR: 'IFNULL(SAFE.function(…), other)',
  IIF: 'IF(condition, then, else)',
  INT32: 'INT64(json)',
  INT32_ARRAY: 'INT64_ARRAY(json)',
  ISERROR: 'SAFE.function(…) IS NULL',
  ISNULL: 'IFNULL(value, other), or value IS NULL',
  IS_FIRST: 'ROW_NUMBER() OVER (… ORDER BY …) <= n',
  IS_LAST: 'ROW_NUMBER() OVER (… ORDER BY … DESC) <= n',
  JSON_ARRAY_LENGTH: "ARRAY_LENGTH(JSON_QUERY_ARRAY(json, '$'))",
  JSON_EXTRACT_PATH_TEXT: "JSON_VALUE(json, '$.name')",
  JSON_UNQUOTE: "JSON_VALUE(json, '$.name')",
  LAX_DOUBLE: 'LAX_FLOAT64(json)',
  LAX_DOUBLE_ARRAY: 'LAX_FLOAT64_ARRAY(json)',
  LAX_FLOAT: 'LAX_FLOAT64(json)',
  LAX_FLOAT_ARRAY: 'LAX_FLOAT64_ARRAY(json)',
  LAX_INT32: 'LAX_INT64(json)',
  LAX_INT32_ARRAY: 'LAX_INT64_ARRAY(json)',
  LAX_UINT32: 'LAX_INT64(json)',
  LAX_UINT32_ARRAY: 'LAX_INT64_ARRAY(json)',
  LAX_UINT64: 'LAX_INT64(json)',
  LAX_UINT64_ARRAY: 'LAX_INT64_ARRAY(json)',
  LEN: 'LENGTH(text)',
  LISTAGG: "STRING_AGG(text, ',')",
  LOCATE: 'STRPOS(text, part)',
  MINUTE: 'EXTRACT(MINUTE FROM timestamp)',
  MONTH: 'EXTRACT(MONTH FROM date)',
  'NET.FORMAT_IP': 'NET.IP_TO_STRING(bytes)',
  'NET.FORMAT_PACKED_IP': 'NET.IP_TO_STRING(bytes)',
  'NET.PARSE_IP': 'NET.IP_FROM_STRING(text)',
  'NET.PARSE_PACKED_IP': 'NET.IP_FROM_STRING(text)',
  NEWID: 'GENERATE_UUID()',
  NOW: '@now',
  NULLIFERROR: 'SAFE.function(…)',
  NVL: 'IFNULL(value, other)',
  NVL2: 'IF(value IS NOT NULL, a, b)',
  PI_BIGNUMERIC: "BIGNUMERIC '3.14159265358979323846264338327950288420'",
  RANDOM: 'RAND()',
  REGEXP_COUNT: 'ARRAY_LENGTH(REGEXP_EXTRACT_ALL(text, pattern))',
  REGEXP_EXTRACT_GROUPS: 'a REGEXP_EXTRACT(text, pattern) for each group',
  REGEXP_LIKE: "REGEXP_CONTAINS(text, r'pattern')",
  REGEXP_MATCH: 'REGEXP_CONTAINS(text, pattern)',
  REGEXP_MATCHES: "REGEXP_CONTAINS(text, r'pattern')",
  SAFE_TO_JSON: 'TO_JSON(value)',
  SPLIT_PART: "SPLIT(text, ',')[SAFE_OFFSET(0)]",
  SPLIT_SUBSTR: "SPLIT(text, ',')[SAFE_OFFSET(0)], or ARRAY_TO_STRING over the parts",
  STRFTIME: "FORMAT_TIMESTAMP('%Y-%m-%d', timestamp), or FORMAT_DATE for a DATE",
  STRING_TO_ARRAY: "SPLIT(text, ',')",
  STRPTIME: "PARSE_TIMESTAMP('%Y-%m-%d', text)",
  STR_TO_DATE: "PARSE_DATE('%Y-%m-%d', text)",
  SUBSTRING_INDEX: "SPLIT(text, ',')[SAFE_OFFSET(0)]",
  SYSDATE: '@now',
  TO_CHAR: "FORMAT_TIMESTAMP('%Y-%m-%d', timestamp), or CAST(value AS STRING)",
  TO_DATE: "PARSE_DATE('%Y-%m-%d', text)",
  TO_NUMBER: 'CAST(text AS NUMERIC)',
  TO_TIMESTAMP: "PARSE_TIMESTAMP('%Y-%m-%d', text), or TIMESTAMP_SECONDS for a number",
  TO_UNIXTIME: 'UNIX_SECONDS(timestamp)',
  UINT32: 'INT64(json)',
  UINT32_ARRAY: 'INT64_ARRAY(json)',
  UINT64: 'INT64(json)',
  UINT64_ARRAY: 'INT64_ARRAY(json)',
  UNIX_TIMESTAMP: 'UNIX_SECONDS(@now)',
  UUID: 'GENERATE_UUID()',
  YEAR: 'EXTRACT(YEAR FROM date)',
}

/** Types of other dialects. */
const TYPES: Readonly<Record<string, string>> = {
  BINARY: 'BYTES',
  BLOB: 'BYTES',
  BYTEA: 'BYTES',
  CHAR: 'STRING',
  CHARACTER: 'STRING',
  DOUBLE: 'FLOAT64',
  FLOAT: 'FLOAT64',
  FLOAT4: 'FLOAT64',
  FLOAT8: 'FLOAT64',
  INT4: 'INT64',
  INT8: 'INT64',
  JSONB: 'JSON',
  LONG: 'INT64',
  NUMBER: 'NUMERIC',
  NVARCHAR: 'STRING',
  REAL: 'FLOAT64',
  SIGNED: 'INT64',
  TEXT: 'STRING',
  TIMESTAMPTZ: 'TIMESTAMP',
  UNSIGNED: 'INT64',
  UUID: 'STRING',
  VARBINARY: 'BYTES',
  VARCHAR: 'STRING',
}
const TYPE_NAMES =
  'ARRAY BIGNUMERIC BOOL BYTES DATE DATETIME FLOAT64 INT64 INTERVAL JSON NUMERIC STRING STRUCT TIME TIMESTAMP'.split(
    ' ',
  )

const DATE_PARTS =
  'MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR'.split(
    ' ',
  )

/** Words that begin a clause, of which one that is mistyped looks like a name. */
const CLAUSES = 'FROM WHERE GROUP ORDER HAVING LIMIT JOIN LEFT INNER WINDOW QUALIFY UNION'.split(' ')

/** Words behind which an expression is missing, rather than quotes. */
const CONNECTIVES = new Set(
  'AND OR FROM WHERE ON THEN WHEN ELSE END BY JOIN HAVING IN IS LIKE USING BETWEEN AS'.split(' '),
)

/** A mistake and where its text has been met. */
interface Found {
  readonly reason: string
  /** The token at the place, or null. */
  readonly token: Token | null
  /** The tokens before and after it. */
  readonly before: readonly Token[]
  readonly after: readonly Token[]
}

/** The reason, and behind it what to write instead where that is known. `offset` is where the mistake is in the text. */
export function withAdvice(reason: string, source: string, offset: number): string {
  const found = findTokens(reason, source, offset)
  for (const advise of ADVISERS) {
    const advice = advise(found)
    // The nearest name of a function is another function, and would mislead beside the right one.
    if (advice !== null) return `${reason.replace(/; Did you mean [^?]*\?$/, '')}; ${advice}`
  }
  return reason
}

function findTokens(reason: string, source: string, offset: number): Found {
  let tokens: readonly Token[] = []
  try {
    tokens = tokenize(source)
  } catch {
    // Where the text cannot be read as tokens, the reason alone must do.
  }
  const index = tokens.findIndex(({ at }) => at === offset)
  if (index < 0) return { reason, token: null, before: [], after: [] }
  return { reason, token: tokens[index]!, before: tokens.slice(0, index), after: tokens.slice(index + 1) }
}

/** Each knows one mistake; null for any other. */
const ADVISERS: readonly ((found: Found) => string | null)[] = [
  ({ reason }) => {
    const name = /^Function not found: ([\w.]+)/.exec(reason)?.[1]?.toUpperCase() ?? ''
    return Object.hasOwn(FUNCTIONS, name) ? `write ${FUNCTIONS[name]}` : null
  },
  ({ reason }) => {
    const name = /^Type not found: (\w+)/.exec(reason)?.[1]?.toUpperCase()
    if (name === undefined || reason.includes('Did you mean')) return null
    const meant = Object.hasOwn(TYPES, name)
      ? TYPES[name]
      : nearest(name, [...TYPE_NAMES, 'INTEGER', 'BOOLEAN', 'DECIMAL', ...Object.keys(TYPES)])
    return meant === undefined ? `the types are ${TYPE_NAMES.join(', ')}` : `did you mean ${meant}?`
  },
  ({ reason, before }) => {
    const part = /^A valid date part name is required but found (\w+)/.exec(reason)?.[1]
    if (part === undefined) return null
    const [open, text, comma] = before.slice(-3)
    if (comma?.term === ',' && text && isText(text) && open?.term === '(')
      return 'the value comes first, then the part without quotes: (value, DAY)'
    const meant = nearest(part, DATE_PARTS)
    return meant === undefined ? `the parts are ${DATE_PARTS.join(', ')}` : `did you mean ${meant}?`
  },
  reservedWord,
  syntaxOfOthers,
  ({ reason, after, token }) => {
    const isSum = /^No matching signature for operator \+ for argument types: .*STRING/.test(reason)
    const isText = /^Could not cast literal "/.test(reason) && token !== null && after[0]?.term === '+'
    return isSum || isText ? 'join texts with || or CONCAT' : null
  },
  ({ reason }) =>
    /^Syntax error: Unclosed string literal/.test(reason)
      ? "a quote inside a text is written \\', or the text stands in double quotes"
      : null,
  mistypedClause,
]

const isText = ({ kind }: Token): boolean => kind === 'string'

function reservedWord({ reason, token, before }: Found): string | null {
  const word = /^Syntax error: (?:Unexpected|Expected .* but got) keyword (\w+)$/.exec(reason)?.[1]
  if (word === undefined || !token || !RESERVED_KEYWORDS.has(word)) return null
  const last = before.at(-1)?.term ?? ''
  const isName = last === 'AS' || (reason.includes('Unexpected') && !CONNECTIVES.has(word) && NAME_FOLLOWS.has(last))
  return isName ? `${word} is a reserved word: as a name it is quoted with backticks, \`${token.text}\`` : null
}
const NAME_FOLLOWS = new Set(['SELECT', ',', '(', 'BY', 'WHERE', 'AND', 'OR', 'ON', '=', '<', '>', '.', 'DISTINCT'])

function syntaxOfOthers({ reason, token, before, after }: Found): string | null {
  if (!token) return null
  const [last, last2, last3] = [before.at(-1), before.at(-2), before.at(-3)]
  if (reason.startsWith('Cannot access field') && last?.term === '.' && last2 && isText(last2)) return QUOTED_NAME
  if (!reason.startsWith('Syntax error')) return null
  switch (token.term) {
    case 'ILIKE':
      return "write LOWER(text) LIKE 'pattern' with the pattern in lower case"
    case 'RLIKE':
    case 'REGEXP':
    case '~':
      return "write REGEXP_CONTAINS(text, r'pattern')"
    case ':':
      return after[0]?.term === ':' ? 'write CAST(value AS type)' : null
    case '->':
    case '->>':
      return "write JSON_VALUE(json, '$.name')"
    case 'AT':
      return "write DATETIME(timestamp, 'zone'), or a zone as the last argument of the function"
    case 'FETCH':
      return 'write LIMIT n'
    case '=':
      return last?.term === '=' ? 'equality is written with one =' : null
    case ',':
      return last2?.term === 'LIMIT' ? 'write LIMIT count OFFSET skipped' : null
    default:
  }
  if (last?.term === 'TOP' && last2?.term === 'SELECT') return 'write LIMIT n at the end of the query'
  if (isText(token) && (last?.term === 'FROM' || last?.term === 'JOIN')) return QUOTED_NAME
  if (last?.term === 'IN' && reason.includes('Expected "("')) return 'write the values in parentheses: IN (a, b)'
  return last3?.term === 'INTERVAL' || last2?.term === 'INTERVAL' ? 'write INTERVAL 1 DAY' : null
}

const QUOTED_NAME = 'names are quoted with backticks, as `shop.orders`; quotes make a text'

function mistypedClause({ reason, token, before }: Found): string | null {
  if (!/^Syntax error: Expected .* but got/.test(reason)) return null
  for (const one of [before.at(-1), token]) {
    if (one?.kind !== 'identifier' || isKeyword(one.term)) continue
    const meant = nearest(one.text, CLAUSES)
    if (meant !== undefined) return `did you mean ${meant} in the place of ${one.text}?`
  }
  return null
}
