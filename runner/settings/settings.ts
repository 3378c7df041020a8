/** Every setting: its type, default, names and description in one row. From flags and variables to frozen settings. */

import { ENGINES, type EngineName } from '../model/engines.js'
import { UsageError } from '../model/errors.js'
import { PATTERN_LENGTH } from '../model/param.js'
import { didYouMean } from '../model/suggest.js'
import { LOG_LEVELS } from '../observe/log-levels.js'
import {
  amount,
  hostNames,
  httpUrl,
  kindOf,
  matching,
  nonEmpty,
  oneIn,
  oneOf,
  origins,
  pathSetting,
  redisUrl,
  SettingProblem,
  type SettingType,
  size,
  text,
  tokenText,
  wholeNumberSetting,
  yesOrNo,
} from './setting-types.js'

/** Sizes in settings are in megabytes. */
export const BYTES_PER_MB = 1_000_000

/**
 * `--cache-memory` has the variable SLUICE_CACHE_MEMORY where no other is given. A secret has no flag, since a process list would
 * show it.
 */
type Facts = { readonly description: string } & (
  | { readonly flag: `--${string}`; readonly variable?: string }
  | { readonly flag: null; readonly variable: string }
)

interface Setting<T> {
  readonly description: string
  readonly flag: Facts['flag']
  readonly variable: string
  readonly type: SettingType<T>
  readonly fallback: T
}

function setting<T>(type: SettingType<T>, fallback: NoInfer<T>, facts: Facts): Setting<T> {
  const { flag, variable = `SLUICE_${flag?.slice(2).toUpperCase().replaceAll('-', '_')}` } = facts
  return { ...facts, variable, type, fallback }
}

/** A setting that is null where it is not given. */
function optional<T>(type: SettingType<T>, facts: Facts): Setting<T | null> {
  return setting<T | null>(type, null, facts)
}

const TABLE = {
  /** The port; 0 for any free port. */
  port: setting(wholeNumberSetting(0, 65_535), 8_080, {
    flag: '--port',
    variable: 'PORT',
    description: 'Port to listen on; 0 for any free one.',
  }),
  host: setting(text, '127.0.0.1', { flag: '--host', description: 'Address to listen on.' }),
  /** The port of metrics and health; null for the port of everything else. */
  metricsPort: optional(wholeNumberSetting(0, 65_535), {
    flag: '--metrics-port',
    description: 'A port for /metrics, /healthz and /readyz alone; without it, they are at the other port.',
  }),
  /** The names in `Host` that are served; empty for all. */
  hosts: setting(hostNames, [], {
    flag: '--hosts',
    description:
      'Names that callers may reach the server by, with commas between them; others are a 421. Without it, all.',
  }),
  endpointsDir: setting(pathSetting('folder'), 'endpoints', { flag: '--endpoints', description: 'Manifests.' }),
  tablesDir: setting(pathSetting('folder'), 'schemas/tables', { flag: '--tables', description: 'Table schemas.' }),
  functionsDir: setting(pathSetting('folder'), 'functions', {
    flag: '--functions-dir',
    description: 'Functions that are kept in datasets.',
  }),
  dataDir: setting(pathSetting('folder'), 'data', { flag: '--data', description: "The embedded engine's tables." }),
  /** A DuckDB database file that replaces `dataDir`; null where `dataDir` is used. */
  database: optional(pathSetting('file'), {
    flag: '--database',
    description: 'A DuckDB database file to read instead of the data folder.',
  }),
  /** The tokens file; null for `tokens.json` in `dataDir`. */
  tokensFile: optional(pathSetting('file'), {
    flag: '--tokens',
    description: 'Token hashes; without it, tokens.json in the data folder.',
  }),
  /** One unrestricted token; null for none. It has no flag, since a process list would show it. */
  token: optional(tokenText, {
    flag: null,
    variable: 'SLUICE_TOKEN',
    description: 'One token that may call everything, of at least 32 characters.',
  }),
  engine: setting(oneOf(Object.keys(ENGINES) as EngineName[]), 'duckdb', {
    flag: '--engine',
    description: 'The engine that runs queries.',
  }),
  /** Whether manifests, partials, table schemas and functions are reloaded when they change. */
  watch: setting(yesOrNo, false, {
    flag: '--watch',
    description: 'Read manifests, partials, table schemas and functions again when they change. SIGHUP does so once.',
  }),
  /** Whether HTTP shows authors what callers must not see; it reloads as `watch` does. */
  dev: setting(yesOrNo, false, {
    flag: '--dev',
    description:
      'For authors, not for production: --watch, mistakes and the places of failures in problems, and GET /api/dev/changes.',
  }),
  /** Whether the start fails where any endpoint has a mistake. If false, only that endpoint is not served. */
  strict: setting(yesOrNo, false, {
    flag: '--strict',
    description: 'Do not start while any endpoint has a mistake; without it, the others are served.',
  }),
  /** The Google Cloud project that runs and pays for queries; null for the project of the credentials. */
  project: optional(matching(/^[a-z0-9.:-]{1,64}$/, 'a project id'), {
    flag: '--project',
    variable: 'GOOGLE_CLOUD_PROJECT',
    description: 'BigQuery: the project that runs and pays for queries; without it, that of the credentials.',
  }),
  /** Where BigQuery's jobs run; null for where their data is. */
  location: optional(matching(/^[A-Za-z0-9-]{1,64}$/, 'a location, such as EU or europe-west4'), {
    flag: '--location',
    description: 'BigQuery: where queries run, such as EU; without it, where their data is.',
  }),
  /** The default dataset for table names without one, as `dataset` or `project.dataset`; null for none. */
  defaultDataset: optional(matching(/^(?:[a-z0-9:-]{1,64}\.)?\w{1,1024}$/, 'a dataset, or project.dataset'), {
    flag: '--dataset',
    description: 'The dataset, or project.dataset, of tables that a query names without one.',
  }),
  /** The most bytes that a query may be billed for where its manifest sets no limit; null for no limit. */
  maxBytesBilled: optional(size, {
    flag: '--max-bytes-billed',
    description: 'BigQuery: what a query may be billed for where its manifest sets no limit, such as 100 GB.',
  }),
  /** `projects/P/locations/L/reservations/R`; null for the project's own. */
  reservation: optional(
    matching(/^projects\/[^/\s]+\/locations\/[^/\s]+\/reservations\/[^/\s]+$/, 'projects/P/locations/L/reservations/R'),
    {
      flag: '--reservation',
      description: 'BigQuery: the reservation that queries use, as projects/P/locations/L/reservations/R.',
    },
  ),
  /** How long it may take until changed data is noticed, in seconds. */
  dataPollSeconds: setting(wholeNumberSetting(1, 3_600, 'seconds'), 10, {
    flag: '--data-poll',
    description:
      'BigQuery: how often tables are asked at most whether they have changed, for endpoints with until: data_changes. It costs nothing.',
  }),
  /** One refresh in this many is compared with the whole query; 0 for none. */
  verifyRefresh: setting(oneIn, 0, {
    flag: '--verify-refresh',
    description:
      'How many refreshes that read only what is new are held against the whole query: 1/20 is one in twenty, 0 none. A difference is logged and counted, and the whole result is given.',
  }),
  priority: setting(oneOf(['interactive', 'batch']), 'interactive', {
    flag: null,
    variable: 'SLUICE_PRIORITY',
    description: 'BigQuery: interactive, or batch, which waits for free capacity.',
  }),
  /** BigQuery's price for reading 1 TiB, in USD, for estimates. */
  pricePerTib: setting(amount, 6.25, {
    flag: '--price-per-tib',
    description: 'BigQuery: what a TiB costs, for the estimates of validate and of dry runs.',
  }),
  /** A file of Google credentials; null: as Google's libraries find them. */
  credentialsFile: optional(pathSetting('file'), {
    flag: null,
    variable: 'GOOGLE_APPLICATION_CREDENTIALS',
    description: "BigQuery: a file of credentials; without it, as Google's libraries find them.",
  }),
  /** The address of a BigQuery emulator, which needs no credentials; null for BigQuery itself. */
  emulatorHost: optional(text, {
    flag: null,
    variable: 'BIGQUERY_EMULATOR_HOST',
    description: 'The address of a BigQuery emulator, spoken to without credentials.',
  }),
  /** Memory that the embedded engine may use, in megabytes. */
  engineMemoryMb: setting(wholeNumberSetting(64, 10_000_000, 'MB'), 1_024, {
    flag: '--engine-memory',
    description: 'Memory that the embedded engine may use.',
  }),
  /** Threads that the embedded engine may use; 0 for as many as there are processors. */
  engineThreads: setting(wholeNumberSetting(0, 1_024, 'threads'), 0, {
    flag: '--engine-threads',
    description: 'Threads that the embedded engine may use; 0 for as many as there are processors.',
  }),
  /** Disk space that the embedded engine may use for queries that need more memory, in megabytes. */
  engineTempMb: setting(wholeNumberSetting(1, 10_000_000, 'MB'), 8_192, {
    flag: '--engine-temp',
    description: 'What the embedded engine may write to the disk for queries that need more memory.',
  }),
  /** The most queries that run or wait at once; more are refused, since their callers would leave before their turn. */
  maxQueries: setting(wholeNumberSetting(1, 10_000, 'queries'), 512, {
    flag: '--max-queries',
    description:
      'Queries that run or wait for the engine at once, of which one token may have half; more are refused with 503.',
  }),
  /** The most exports that run at once; more are refused. They take none of the places of queries. */
  maxExports: setting(wholeNumberSetting(1, 100, 'exports'), 2, {
    flag: '--max-exports',
    description:
      'Exports that run at once, beside the queries, of which a token may have one; more are refused with 503.',
  }),
  /** The largest result, in megabytes; a larger one is an error. */
  maxResultMb: setting(wholeNumberSetting(1, 256, 'MB'), 64, {
    flag: '--max-result',
    description: 'A result that is larger is an error.',
  }),
  /** The most bytes of results, in megabytes, that callers have asked for and not taken; more are refused. */
  maxUnsentMb: setting(wholeNumberSetting(1, 10_000_000, 'MB'), 256, {
    flag: '--max-unsent',
    description: 'Results that callers have asked for and not yet taken, all together; more are refused with 503.',
  }),
  /** A caller that takes no byte of its result for this long is disconnected, in seconds. */
  writeIdleSeconds: setting(wholeNumberSetting(1, 3_600, 'seconds'), 60, {
    flag: '--write-idle-seconds',
    description: 'A caller that takes no byte of its result for this long, and at most twice as long, is disconnected.',
  }),
  /** Memory for stored results, in megabytes. */
  cacheMb: setting(wholeNumberSetting(0, 10_000_000, 'MB'), 64, {
    flag: '--cache-memory',
    description: 'Memory for stored results.',
  }),
  /**
   * The Redis in which replicas share results; null for none. It may hold a password, so it has no flag and is never logged.
   */
  redisUrl: optional(redisUrl, {
    flag: null,
    variable: 'REDIS_URL',
    description:
      'A Redis or Valkey that replicas share results in: redis:// or, encrypted, rediss://user:password@host:port.',
  }),
  /** The prefix of every key in Redis. */
  redisPrefix: setting(matching(/^[\w.:/-]{1,100}$/, 'letters, digits and . : / - _'), 'sluice:', {
    flag: null,
    variable: 'SLUICE_REDIS_PREFIX',
    description: 'Before every key in Redis; installations with different data need different ones.',
  }),
  /** The secret that replicas sign their results in Redis with; null for none. Like a token, it has no flag. */
  redisKey: optional(tokenText, {
    flag: null,
    variable: 'SLUICE_REDIS_KEY',
    description:
      'The secret of all replicas, of at least 32 characters, with which they sign what they write to Redis: what another program writes there is not served.',
  }),
  /** The secret that cursors of pages are authenticated with; null for the secret that is kept beside the tokens file. */
  cursorKey: optional(tokenText, {
    flag: null,
    variable: 'SLUICE_CURSOR_KEY',
    description:
      'The secret of all replicas, of at least 32 characters, with which they make the cursors of pages; without it, one in the file cursor.key beside the tokens file.',
  }),
  /** What happens to arguments that an endpoint does not declare, where its manifest does not say. */
  unknownArguments: setting(oneOf(['ignore', 'reject']), 'ignore', {
    flag: null,
    variable: 'SLUICE_UNKNOWN_ARGUMENTS',
    description:
      'Undeclared arguments, where a manifest does not say: ignore, which names them in X-Ignored-Arguments, or reject with 400.',
  }),
  /** The longest regular expression in a call (`format: re2`). */
  maxRegexpLength: setting(wholeNumberSetting(1, 32_768, 'characters'), PATTERN_LENGTH, {
    flag: '--max-regexp-length',
    description: 'The longest regular expression that a call may send; a longer one is refused with 400.',
  }),
  corsOrigins: setting(origins, [], {
    flag: '--cors-origins',
    description: 'Origins that browsers may call from, with commas between them.',
  }),
  /** Where callers reach the server; null for the origin of each request. */
  publicUrl: optional(httpUrl, {
    flag: '--public-url',
    description:
      'Where callers reach the server, for its OpenAPI document; without it, where each request has reached it.',
  }),
  mcp: setting(oneOf(['on', 'off']), 'on', {
    flag: '--mcp',
    description: 'Whether agents are served at /mcp: on or off.',
  }),
  /** The most bytes of rows, as JSON, in one answer to an agent. */
  mcpMaxBytes: setting(size, 65_536, {
    flag: '--mcp-max-bytes',
    description: 'The most that an answer to an agent shows of a result, such as 64 KiB.',
  }),
  explorer: setting(oneOf(['on', 'off']), 'on', {
    flag: '--explorer',
    description: 'Whether there is a page for people at /explorer/: on or off.',
  }),
  logLevel: setting(oneOf(LOG_LEVELS), 'info', {
    flag: '--log-level',
    description: `How much is logged: ${LOG_LEVELS.join(', ')}.`,
  }),
  /** How long the process keeps serving after SIGTERM while `/readyz` already answers 503, in seconds. */
  drainDelaySeconds: setting(wholeNumberSetting(0, 3_600, 'seconds'), 0, {
    flag: '--drain-delay',
    description: 'How long calls are still taken once the process is asked to end, while /readyz says so.',
  }),
  /** How long running requests may take after SIGTERM, in seconds. */
  graceSeconds: setting(wholeNumberSetting(0, 3_600, 'seconds'), 10, {
    flag: '--grace',
    description: 'How long running requests may take once the process is asked to end.',
  }),
} satisfies Readonly<Record<string, Setting<unknown>>>

export type SettingKey = keyof typeof TABLE

/** The settings of one process. */
export type Settings = { readonly [K in SettingKey]: (typeof TABLE)[K]['fallback'] }

const ENTRIES = Object.entries(TABLE) as readonly (readonly [SettingKey, Setting<unknown>])[]

/**
 * Every setting of `serve`, as documents and `--help` list it, with its default as text, '' for none. A switch is a flag without a
 * value, which means `true`.
 */
export const SETTINGS = ENTRIES.map(([key, row]) => {
  const { flag, variable, description, type, fallback } = row
  const [isSwitch, text] = [type.kind === 'boolean', fallback === null ? '' : String(fallback)]
  return { key, flag, variable, unit: type.unit, description, isSwitch, default: text }
})

/** The settings without flags and variables. */
export const DEFAULT_SETTINGS: Settings = collect(({ fallback }) => fallback)

/**
 * A flag beats its variable, which beats the default; an empty variable is the same as none. `flags` go by their names
 * without dashes in front: `{ port: '9000', 'cache-memory': '64' }`.
 * @throws UsageError with every problem; no problem repeats a token.
 */
export function readSettings(flags: NodeJS.Dict<string>, environment: NodeJS.Dict<string>): Settings {
  return collect(({ flag, variable, type, fallback }) => {
    const fromFlag = flag === null ? undefined : flags[flag.slice(2)]
    const input = fromFlag ?? environment[variable] ?? ''
    if (input === '' && fromFlag === undefined) return fallback
    return withName(fromFlag === undefined ? variable : flag!, () => type.parse(nonEmpty(input)))
  })
}

/**
 * Settings that a program gives as values. Settings that are absent or undefined have their defaults.
 * @throws UsageError with every problem; no problem repeats a value.
 */
export function completeSettings(given: Partial<Settings>): Settings {
  if (typeof given !== 'object' || given === null) throw new UsageError(['settings must be an object'])
  const values: Readonly<Record<string, unknown>> = given
  const unknownKeys = Object.keys(values).filter(key => values[key] !== undefined && !Object.hasOwn(TABLE, key))
  const readValue = ({ type, fallback }: Setting<unknown>, key: string): unknown => {
    const value = values[key]
    if (value === undefined || (value === null && fallback === null)) return fallback
    return withName(key, () => checkValue(type, value, fallback === null))
  }
  return collect(readValue, unknownKeys.map(unknownKey))
}

/** @throws SettingProblem. */
function checkValue(type: SettingType<unknown>, value: unknown, mayBeNull: boolean): unknown {
  if (value === null) throw new SettingProblem('must not be null')
  if (kindOf(value) !== type.kind) throw new SettingProblem(`must be a ${type.kind}${mayBeNull ? ', or null' : ''}`)
  type.check(typeof value === 'string' ? nonEmpty(value) : value)
  return value
}

const unknownKey = (key: string): string => `there is no setting "${key}"${didYouMean(key, Object.keys(TABLE)).hint}`

/**
 * The settings with the values that `find` gives.
 * @throws UsageError with these problems, and the message of every SettingProblem that `find` throws.
 */
function collect(find: (row: Setting<unknown>, key: SettingKey) => unknown, problems: string[] = []): Settings {
  const values: Partial<Record<SettingKey, unknown>> = {}
  for (const [key, row] of ENTRIES) {
    try {
      values[key] = find(row, key)
    } catch (thrown) {
      if (!(thrown instanceof SettingProblem)) throw thrown
      problems.push(thrown.message)
    }
  }
  if (problems.length > 0) throw new UsageError(problems)
  return Object.freeze(values as Settings)
}

/** Puts the name of the setting before the message of a problem. */
function withName<T>(name: string, parse: () => T): T {
  try {
    return parse()
  } catch (thrown) {
    throw thrown instanceof SettingProblem ? new SettingProblem(`${name} ${thrown.message}`) : thrown
  }
}
