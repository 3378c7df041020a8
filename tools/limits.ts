/** Every ceiling that a caller, an author or an operator can meet, read from where the code holds it. */

import { MAX_SQL_BYTES } from '../authoring/terminal/files.js'
import { MAX_PARTS, MAX_READS } from '../googlesql/resolve/variables.js'
import { MAX_ENTRIES } from '../runner/cache/background.js'
import { LARGEST_SHARE } from '../runner/cache/stores/memory.js'
import { MAX_BYTES as MAX_SHARED_BYTES, MAX_UNSIGNED_BYTES } from '../runner/cache/stores/redis/value.js'
import { TIME_LIMIT_MS } from '../runner/engines/duckdb/child/javascript-thread.js'
import { DEFAULT_CONNECTIONS } from '../runner/engines/duckdb/engine-processes.js'
import { MAX_DEPTH as MAX_VALUE_DEPTH } from '../runner/engines/duckdb/tables/rows/json-tokens.js'
import { MAX_ROW_BYTES } from '../runner/engines/duckdb/tables/rows/row-stream.js'
import { MAX_CELLS, MAX_TEXT } from '../runner/formats/xlsx-writer.js'
import { MAX_URL_LENGTH } from '../runner/http/app.js'
import { MAX_BODY_BYTES } from '../runner/http/body.js'
import { MAX_MESSAGES } from '../runner/http/mcp.js'
import { KEEP_ALIVE_MS, MOST_AHEAD } from '../runner/http/server/connection.js'
import { MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from '../runner/http/server/server.js'
import { PAGE_DEFAULTS, SETTING_DEFAULTS } from '../runner/manifest/setting-defaults.js'
import { MAX_FLOW_DEPTH, MAX_LINE_LENGTH, MAX_MANIFEST_LENGTH } from '../runner/manifest/yaml/limits.js'
import { MAX_ROWS as MAX_SHOWN_ROWS } from '../runner/mcp/tools.js'
import type { ErrorCode } from '../runner/model/error-codes.js'
import { MAX_VALUES, PATTERN_LENGTH } from '../runner/model/param.js'
import { MAX_TYPED_LENGTH } from '../runner/model/typed-value.js'
import { MAX_KEPT_BYTES, MAX_KEPT_ROWS, MAX_UPPER_ROWS } from '../runner/refresh/refresher.js'
import { MAX_MATCHED_LENGTH, MAX_VALUE_BYTES } from '../runner/request/bind-params.js'
import { MAX_DEPTH as MAX_BODY_DEPTH, MAX_NAMES } from '../runner/request/raw-arguments.js'
import { SETTINGS } from '../runner/settings/settings.js'
import { MAX_TEXT_LENGTH } from '../runner/template/expand.js'
import { MAX_TAGS, MAX_DEPTH as MAX_TEMPLATE_DEPTH } from '../runner/template/syntax-problem.js'
import { MAX_VARIANTS } from '../runner/template/variants.js'
import endpointSchema from '../schemas/endpoint.schema.json' with { type: 'json' }

export interface Limit {
  readonly what: string
  readonly most: string
  /** What happens above it: the code of an error, or words. */
  readonly beyond: string
  /** What changes it; empty where nothing does. */
  readonly change: string
}

const count = (value: number, unit = ''): string => `${value.toLocaleString('en-US')} ${unit}`.trimEnd()
const seconds = (ms: number): string => count(ms / 1_000, 'seconds')
const mebibytes = (bytes: number): string =>
  bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${count(bytes / 1e6)} MB`
const error = (code: ErrorCode): string => `\`${code}\``
const diagnostic = 'a diagnostic'

/** The default of a setting, with its unit, and the flag that changes it. */
function setting(flag: `--${string}`): { readonly most: string; readonly change: string } {
  const row = SETTINGS.find(one => one.flag === flag)
  if (!row) throw new TypeError(`There is no setting ${flag}`)
  return { most: row.default === '' ? 'no limit' : `${count(Number(row.default))} ${row.unit}`, change: `\`${flag}\`` }
}

const { properties: members, $defs: parts } = endpointSchema
const settings = parts.settings.properties

export const LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  'A request': [
    {
      what: 'Address',
      most: count(MAX_URL_LENGTH, 'characters'),
      beyond: error('URI_TOO_LONG'),
      change: 'POST the arguments',
    },
    {
      what: 'Request line and headers',
      most: `${MAX_HEADER_BYTES / 1024} KiB`,
      beyond: error('HEADERS_TOO_LARGE'),
      change: '',
    },
    { what: 'Body', most: mebibytes(MAX_BODY_BYTES), beyond: error('BODY_TOO_LARGE'), change: '' },
    {
      what: 'Nested lists and objects in a body',
      most: count(MAX_BODY_DEPTH, 'levels'),
      beyond: error('REQUEST_INVALID'),
      change: '',
    },
    { what: 'Arguments', most: count(MAX_NAMES, 'different names'), beyond: error('REQUEST_INVALID'), change: '' },
    { what: 'One argument', most: count(MAX_VALUE_BYTES, 'bytes'), beyond: error('ARGUMENT_INVALID'), change: '' },
    {
      what: 'All values, with those in lists and objects',
      most: count(MAX_VALUES, 'values'),
      beyond: error('REQUEST_INVALID'),
      change: '',
    },
    {
      what: 'All JSON that is sent as texts',
      most: count(MAX_VALUES, 'values'),
      beyond: error('ARGUMENT_INVALID'),
      change: '',
    },
    {
      what: 'A list whose elements have a `pattern`',
      most: count(MAX_MATCHED_LENGTH, 'characters'),
      beyond: error('ARGUMENT_INVALID'),
      change: '',
    },
    {
      what: 'An argument that has a `pattern`',
      most: count(PATTERN_LENGTH, 'characters'),
      beyond: error('ARGUMENT_INVALID'),
      change: '`max_length` of the parameter',
    },
    {
      what: 'A number, date or time',
      most: count(MAX_TYPED_LENGTH, 'characters'),
      beyond: error('ARGUMENT_INVALID'),
      change: '',
    },
    {
      what: 'Regular expression that a call sends',
      ...setting('--max-regexp-length'),
      beyond: error('ARGUMENT_INVALID'),
    },
    {
      what: 'Time until a whole request has arrived',
      most: seconds(REQUEST_TIMEOUT_MS),
      beyond: error('REQUEST_TIMEOUT'),
      change: '',
    },
    {
      what: 'Requests that a connection sends before earlier answers',
      most: count(MOST_AHEAD, 'requests'),
      beyond: 'the connection is closed',
      change: '',
    },
    { what: 'An idle connection', most: seconds(KEEP_ALIVE_MS), beyond: 'the connection is closed', change: '' },
    { what: 'A batch of MCP', most: count(MAX_MESSAGES, 'messages'), beyond: error('REQUEST_INVALID'), change: '' },
  ],
  'A result': [
    {
      what: 'Length',
      most: `${count(SETTING_DEFAULTS.max_rows)} rows; up to ${count(settings.max_rows.maximum)} if set`,
      beyond: 'cut; `X-Truncated` is sent',
      change: '`settings.max_rows`',
    },
    {
      what: 'Length of a page',
      most: `${count(PAGE_DEFAULTS.max_size)} rows; up to ${count(parts.pages.properties.max_size.maximum)} if set`,
      beyond: error('ARGUMENT_INVALID'),
      change: '`settings.pages.max_size`',
    },
    {
      what: 'Time between two pages',
      most: `${PAGE_DEFAULTS.keep_seconds} seconds; up to ${count(parts.pages.properties.keep_seconds.maximum)} if set`,
      beyond: `the query runs again, or ${error('PAGE_GONE')}`,
      change: '`settings.pages.keep_seconds`',
    },
    { what: 'Size', ...setting('--max-result'), beyond: error('RESULT_TOO_LARGE') },
    {
      what: 'Time of a call',
      most: `${SETTING_DEFAULTS.timeout_seconds} seconds; up to ${count(settings.timeout_seconds.maximum)} if set`,
      beyond: error('QUERY_TIMEOUT'),
      change: '`settings.timeout_seconds`',
    },
    {
      what: 'A workbook (`xlsx`)',
      most: count(MAX_CELLS, 'cells'),
      beyond: error('RESULT_TOO_LARGE'),
      change: 'another format',
    },
    {
      what: 'A cell of a workbook',
      most: count(MAX_TEXT, 'characters'),
      beyond: error('RESULT_TOO_LARGE'),
      change: 'another format',
    },
    { what: 'Results that callers have not taken, together', ...setting('--max-unsent'), beyond: error('OVERLOADED') },
    {
      what: 'Time for which a caller may read nothing',
      ...setting('--write-idle-seconds'),
      beyond: 'the caller is disconnected',
    },
    {
      what: 'Length that an agent sees',
      most: count(MAX_SHOWN_ROWS, 'rows'),
      beyond: 'further rows are counted',
      change: '',
    },
    { what: 'Size that an agent sees', ...setting('--mcp-max-bytes'), beyond: 'further rows are counted' },
  ],
  'The engine': [
    { what: 'Queries that run or wait', ...setting('--max-queries'), beyond: error('OVERLOADED') },
    {
      what: 'Queries of one token that run or wait',
      most: 'half of `--max-queries`',
      beyond: error('OVERLOADED'),
      change: '`token create --concurrent` sets less',
    },
    {
      what: 'Running queries of the embedded engine',
      most: count(DEFAULT_CONNECTIONS, 'queries'),
      beyond: 'further queries wait',
      change: '',
    },
    { what: 'Memory of the embedded engine', ...setting('--engine-memory'), beyond: 'it writes to the disk' },
    { what: 'Disk of the embedded engine', ...setting('--engine-temp'), beyond: error('QUERY_FAILED') },
    { what: 'JavaScript of one query', most: seconds(TIME_LIMIT_MS), beyond: error('QUERY_FAILED'), change: '' },
    {
      what: 'What BigQuery may bill for a query',
      ...setting('--max-bytes-billed'),
      beyond: error('COST_LIMIT_EXCEEDED'),
    },
  ],
  'The cache': [
    {
      what: 'Memory for stored results',
      ...setting('--cache-memory'),
      beyond: 'the least recently used results are removed',
    },
    {
      what: 'Share of this memory that one result may take',
      most: `${LARGEST_SHARE * 100} %`,
      beyond: 'the result is not stored',
      change: '`--cache-memory`',
    },
    {
      what: 'Result that replicas share in Redis',
      most: `${mebibytes(MAX_SHARED_BYTES)}; ${mebibytes(MAX_UNSIGNED_BYTES)} without a key`,
      beyond: 'the result stays in the replica',
      change: '`SLUICE_REDIS_KEY`',
    },
    {
      what: 'Time that a result is stored',
      most: count(parts.cache.properties.ttl_seconds.maximum, 'seconds'),
      beyond: diagnostic,
      change: '',
    },
    {
      what: 'Rows kept for the refreshes of a query and its arguments',
      most: `${count(MAX_KEPT_ROWS)} rows, ${mebibytes(MAX_KEPT_BYTES)}`,
      beyond: 'each refresh reads all rows',
      change: '',
    },
    {
      what: 'Rows kept for a part of a query',
      most: count(MAX_UPPER_ROWS, 'rows'),
      beyond: 'each refresh reads all rows',
      change: '',
    },
    { what: 'Results kept warm', most: count(MAX_ENTRIES, 'results'), beyond: 'further results expire', change: '' },
  ],
  'A manifest': [
    { what: 'The file', most: count(MAX_MANIFEST_LENGTH, 'characters'), beyond: diagnostic, change: '' },
    { what: 'A line', most: count(MAX_LINE_LENGTH, 'characters'), beyond: diagnostic, change: '' },
    { what: 'Nested lists and maps', most: count(MAX_FLOW_DEPTH, 'levels'), beyond: diagnostic, change: '' },
    {
      what: '`parameters`',
      most: count(members.parameters.maxProperties, 'parameters'),
      beyond: diagnostic,
      change: '',
    },
    { what: 'A description', most: count(members.description.maxLength, 'characters'), beyond: diagnostic, change: '' },
    { what: '`enum`', most: count(parts.parameter.properties.enum.maxItems, 'values'), beyond: diagnostic, change: '' },
    { what: '`labels`', most: count(settings.labels.maxProperties, 'labels'), beyond: diagnostic, change: '' },
    { what: 'A name', most: count(members.name.maxLength, 'characters'), beyond: diagnostic, change: '' },
    { what: '`columns`', most: count(members.columns.maxItems, 'columns'), beyond: diagnostic, change: '' },
    {
      what: 'A lookup table',
      most: count(parts.lookup.properties.rows.maxProperties, 'rows'),
      beyond: diagnostic,
      change: '',
    },
    { what: 'The SQL', most: count(MAX_VARIANTS, 'variants'), beyond: diagnostic, change: '' },
    { what: 'A template', most: count(MAX_TAGS, 'tags'), beyond: diagnostic, change: '' },
    { what: 'Nested blocks in a template', most: count(MAX_TEMPLATE_DEPTH, 'levels'), beyond: diagnostic, change: '' },
    { what: 'One SQL text', most: count(MAX_TEXT_LENGTH, 'characters'), beyond: diagnostic, change: '' },
    {
      what: 'Reads of variables whose values have subqueries',
      most: count(MAX_READS, 'reads'),
      beyond: diagnostic,
      change: '',
    },
    { what: 'The value of a variable', most: count(MAX_PARTS, 'expressions'), beyond: diagnostic, change: '' },
    { what: 'The file of a function', most: count(MAX_MANIFEST_LENGTH, 'characters'), beyond: diagnostic, change: '' },
    {
      what: 'SQL that `sluice query` reads from a file or standard input',
      most: mebibytes(MAX_SQL_BYTES),
      beyond: 'the command ends with 2',
      change: '',
    },
  ],
  'A table': [
    {
      what: 'Row of NDJSON, JSON or CSV',
      most: mebibytes(MAX_ROW_BYTES),
      beyond: error('QUERY_FAILED'),
      change: 'Parquet has no such limit',
    },
    { what: 'A nested JSON value', most: count(MAX_VALUE_DEPTH, 'levels'), beyond: error('QUERY_FAILED'), change: '' },
  ],
}
