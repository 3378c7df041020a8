/** A query of DuckDB over the result, with its types; DuckDB reads the address by its extension httpfs. */
import { distinctNames, type Type } from '../../googlesql/data.js'
import { addressOf, baseUrlOf, endpointAddress, requestFormat } from './address.js'
import { hasUnixTimes, type TypedColumn, typedColumns } from './columns.js'
import { sqlName, sqlText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const DUCKDB: ConnectTool = { name: 'duckdb', title: 'DuckDB', language: 'sql', write }

function write(call: ConnectCall): string {
  const columns = typedColumns(call.endpoint)
  const isFlat = columns.every(({ scalar }) => scalar !== null && scalar !== 'JSON')
  const { query, headers } = requestFormat(call, isFlat ? 'csv' : 'ndjson')
  const address = sqlText(addressOf(call, query))
  const extraHeaders = headers.map(([name, value]) => `, ${sqlText(name)}: ${sqlText(value)}`).join('')
  // A header that chooses the format is for this endpoint alone.
  const scope = extraHeaders === '' ? `${baseUrlOf(call)}/` : endpointAddress(call)
  const unix = hasUnixTimes(call.endpoint)
  return [
    "-- getenv is a function of DuckDB's shell; from a program, write the token into the secret by its own means.",
    `CREATE OR REPLACE SECRET ${extraHeaders === '' ? 'sluice' : 'sluice_endpoint'} (`,
    '  TYPE http,',
    `  EXTRA_HTTP_HEADERS MAP {'X-API-KEY': getenv('SLUICE_TOKEN')${extraHeaders}},`,
    `  SCOPE ${sqlText(scope)}`,
    ');',
    ...uncachedLines(call),
    `SELECT ${selectList(columns, unix)}`,
    `FROM read_${isFlat ? 'csv' : 'json'}(`,
    `  ${address},`,
    ...(isFlat ? CSV_OPTIONS : JSON_OPTIONS),
    ...typeLines(columns, unix),
    '  }',
    ');',
    '',
  ].join('\n')
}

/** DuckDB asks for a file in parts, but an endpoint without a cache stores no result that could be sent in parts. */
const uncachedLines = ({ endpoint }: ConnectCall): readonly string[] =>
  endpoint.settings['cache'] === 'disabled'
    ? [
        '-- This endpoint caches no results: DuckDB runs its query twice, for the size and for the rows.',
        'SET force_download = true;',
      ]
    : []

const CSV_OPTIONS = [
  `  header = true, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,`,
  '  types = {',
]
const JSON_OPTIONS = ["  format = 'newline_delimited',", '  columns = {']

const typeLines = (columns: readonly TypedColumn[], unix: boolean): readonly string[] =>
  columns.map(
    ({ name, parsed }, i) =>
      `    ${sqlText(name)}: ${sqlText(typeOf(parsed, unix))}${i === columns.length - 1 ? '' : ','}`,
  )

/** All columns; BYTES, which the format writes as text, and TIMESTAMPs in microseconds are converted. */
function selectList(columns: readonly TypedColumn[], unix: boolean): string {
  const replaced = columns.flatMap(({ name, scalar }) => {
    if (scalar === 'BYTES') return [`from_base64(${sqlName(name)}) AS ${sqlName(name)}`]
    return scalar === 'TIMESTAMP' && unix ? [`make_timestamptz(${sqlName(name)}) AS ${sqlName(name)}`] : []
  })
  return replaced.length === 0 ? '*' : `* REPLACE (${replaced.join(', ')})`
}

/** The type as which DuckDB reads a value in CSV or JSON. */
function typeOf(type: Type | undefined, unix: boolean): string {
  if (!type) return 'JSON'
  if (type.kind === 'ARRAY') return `${typeOf(type.element, unix)}[]`
  if (type.kind !== 'STRUCT') return type.kind === 'TIMESTAMP' && unix ? 'BIGINT' : (SCALARS[type.kind] ?? 'VARCHAR')
  if (type.fields.length === 0) return 'JSON'
  const names = distinctNames(type.fields.map(field => field.name))
  return `STRUCT(${type.fields.map((field, i) => `${sqlName(names[i]!)} ${typeOf(field.type, unix)}`).join(', ')})`
}

/** Other types are read as text: BIGNUMERIC has more digits than DuckDB's decimals, and an INTERVAL has another form. */
const SCALARS: Readonly<Record<string, string>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38, 9)',
  BOOL: 'BOOLEAN',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'TIMESTAMP',
  TIMESTAMP: 'TIMESTAMP WITH TIME ZONE',
  JSON: 'JSON',
}
