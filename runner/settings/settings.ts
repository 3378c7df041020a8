/** From flags and environment variables to frozen settings; every default stands here, with its unit. */
import { UsageError } from '../model/errors.js'
import { LOG_LEVELS, type LogLevel } from '../observe/log.js'
import {
  amount,
  matching,
  oneOf,
  origins,
  redisUrl,
  SettingProblem,
  size,
  text,
  tokenText,
  wholeNumber,
  yesOrNo,
} from './setting-parsers.js'

/** Sizes in settings are in megabytes. */
export const BYTES_PER_MB = 1_000_000

/** How one process is set up. */
export interface Settings {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly endpointsDir: string
  readonly tablesDir: string
  readonly dataDir: string
  /** A DuckDB database file instead of `dataDir`; null for none. */
  readonly database: string | null
  /** Null: `tokens.json` in `dataDir`. */
  readonly tokensFile: string | null
  /** One token that may do everything; null for none. Never from a flag, which a process list would show. */
  readonly token: string | null
  readonly engine: 'duckdb' | 'bigquery'
  /** Manifests, partials and table schemas are read again whenever they change. */
  readonly watch: boolean
  /** The project whose BigQuery runs and bills queries; null: the one that the credentials belong to. */
  readonly project: string | null
  /** Where BigQuery's jobs run; null for where their data is. */
  readonly location: string | null
  /** `dataset` or `project.dataset`, for tables that queries name without one; null for none. */
  readonly defaultDataset: string | null
  /** What one query may be billed for where its manifest does not say, in bytes; null for no limit. */
  readonly maxBytesBilled: number | null
  /** `projects/P/locations/L/reservations/R`; null for the project's own. */
  readonly reservation: string | null
  readonly priority: 'interactive' | 'batch'
  /** What BigQuery takes for reading 2^40 bytes, in USD: for estimates. */
  readonly pricePerTib: number
  /** A file of Google credentials; null: as Google's libraries find them. */
  readonly credentialsFile: string | null
  /** The address of a BigQuery emulator, which is spoken to without credentials; null for BigQuery itself. */
  readonly emulatorHost: string | null
  /** Memory that the embedded engine may use, in megabytes. */
  readonly engineMemoryMb: number
  /** Threads that the embedded engine may use; 0 for as many as there are processors. */
  readonly engineThreads: number
  /** What the embedded engine may write to the disk for queries that need more memory, in megabytes. */
  readonly engineTempMb: number
  /** Queries that run or wait for the engine at once; more are refused, as their callers would leave before their turn. */
  readonly maxQueries: number
  /** A result that is larger is an error; in megabytes. */
  readonly maxResultMb: number
  /** Memory for stored results, in megabytes. */
  readonly cacheMb: number
  /** A Redis that replicas share results in; null for none. May hold a password: never from a flag, never logged. */
  readonly redisUrl: string | null
  /** Before every key there. */
  readonly redisPrefix: string
  readonly corsOrigins: readonly string[]
  readonly logLevel: LogLevel
  /** How long the process goes on as before once it is asked to end, but for `/readyz`, in seconds. */
  readonly drainDelaySeconds: number
  /** How long running requests may take once the process is asked to end, in seconds. */
  readonly graceSeconds: number
}

export interface SettingRow {
  readonly key: keyof Settings
  /** Null where there is none. */
  readonly flag: string | null
  readonly variable: string
  /** As it would be written; '' for none. */
  readonly default: string
  readonly unit: string
  readonly description: string
  /** The flag stands alone, and means `true`. @default false */
  readonly isSwitch?: true
  /** @throws SettingProblem. */
  readonly parse: (text: string) => unknown
}

/** Every setting of `serve`, as the README lists them. */
export const SETTINGS: readonly SettingRow[] = [
  {
    key: 'port',
    flag: '--port',
    variable: 'PORT',
    default: '8080',
    unit: '',
    description: 'Port to listen on; 0 for any free one.',
    parse: wholeNumber(0, 65_535),
  },
  {
    key: 'host',
    flag: '--host',
    variable: 'SLUICE_HOST',
    default: '127.0.0.1',
    unit: '',
    description: 'Address to listen on.',
    parse: text,
  },
  {
    key: 'endpointsDir',
    flag: '--endpoints',
    variable: 'SLUICE_ENDPOINTS',
    default: 'endpoints',
    unit: 'folder',
    description: 'Manifests.',
    parse: text,
  },
  {
    key: 'tablesDir',
    flag: '--tables',
    variable: 'SLUICE_TABLES',
    default: 'schemas/tables',
    unit: 'folder',
    description: 'Table schemas.',
    parse: text,
  },
  {
    key: 'dataDir',
    flag: '--data',
    variable: 'SLUICE_DATA',
    default: 'data',
    unit: 'folder',
    description: "The embedded engine's tables.",
    parse: text,
  },
  {
    key: 'database',
    flag: '--database',
    variable: 'SLUICE_DATABASE',
    default: '',
    unit: 'file',
    description: 'A DuckDB database file to read instead of the data folder.',
    parse: text,
  },
  {
    key: 'tokensFile',
    flag: '--tokens',
    variable: 'SLUICE_TOKENS',
    default: '',
    unit: 'file',
    description: 'Token hashes; without it, tokens.json in the data folder.',
    parse: text,
  },
  {
    key: 'token',
    flag: null,
    variable: 'SLUICE_TOKEN',
    default: '',
    unit: '',
    description: 'One token that may call everything, of at least 32 characters.',
    parse: tokenText,
  },
  {
    key: 'engine',
    flag: '--engine',
    variable: 'SLUICE_ENGINE',
    default: 'duckdb',
    unit: '',
    description: 'The engine that runs queries.',
    parse: oneOf(['duckdb', 'bigquery']),
  },
  {
    key: 'watch',
    flag: '--watch',
    variable: 'SLUICE_WATCH',
    default: 'false',
    unit: '',
    description: 'Read manifests, partials and table schemas again when they change. SIGHUP does so once.',
    isSwitch: true,
    parse: yesOrNo,
  },
  {
    key: 'project',
    flag: '--project',
    variable: 'GOOGLE_CLOUD_PROJECT',
    default: '',
    unit: '',
    description: 'BigQuery: the project that runs and pays for queries; without it, that of the credentials.',
    parse: matching(/^[a-z0-9.:-]{1,64}$/, 'a project id'),
  },
  {
    key: 'location',
    flag: '--location',
    variable: 'SLUICE_LOCATION',
    default: '',
    unit: '',
    description: 'BigQuery: where queries run, such as EU; without it, where their data is.',
    parse: matching(/^[A-Za-z0-9-]{1,64}$/, 'a location, such as EU or europe-west4'),
  },
  {
    key: 'defaultDataset',
    flag: '--dataset',
    variable: 'SLUICE_DATASET',
    default: '',
    unit: '',
    description: 'The dataset, or project.dataset, of tables that a query names without one.',
    parse: matching(/^(?:[a-z0-9:-]{1,64}\.)?\w{1,1024}$/, 'a dataset, or project.dataset'),
  },
  {
    key: 'maxBytesBilled',
    flag: '--max-bytes-billed',
    variable: 'SLUICE_MAX_BYTES_BILLED',
    default: '',
    unit: 'bytes',
    description: 'BigQuery: what a query may be billed for where its manifest sets no limit, such as 100 GB.',
    parse: size,
  },
  {
    key: 'reservation',
    flag: '--reservation',
    variable: 'SLUICE_RESERVATION',
    default: '',
    unit: '',
    description: 'BigQuery: the reservation that queries use, as projects/P/locations/L/reservations/R.',
    parse: matching(
      /^projects\/[^/\s]+\/locations\/[^/\s]+\/reservations\/[^/\s]+$/,
      'projects/P/locations/L/reservations/R',
    ),
  },
  {
    key: 'priority',
    flag: '--priority',
    variable: 'SLUICE_PRIORITY',
    default: 'interactive',
    unit: '',
    description: 'BigQuery: interactive, or batch, which waits for free capacity.',
    parse: oneOf(['interactive', 'batch']),
  },
  {
    key: 'pricePerTib',
    flag: '--price-per-tib',
    variable: 'SLUICE_PRICE_PER_TIB',
    default: '6.25',
    unit: 'USD',
    description: 'BigQuery: what a TiB costs, for the estimates of validate.',
    parse: amount,
  },
  {
    key: 'credentialsFile',
    flag: null,
    variable: 'GOOGLE_APPLICATION_CREDENTIALS',
    default: '',
    unit: 'file',
    description: "BigQuery: a file of credentials; without it, as Google's libraries find them.",
    parse: text,
  },
  {
    key: 'emulatorHost',
    flag: null,
    variable: 'BIGQUERY_EMULATOR_HOST',
    default: '',
    unit: '',
    description: 'The address of a BigQuery emulator, spoken to without credentials.',
    parse: text,
  },
  {
    key: 'engineMemoryMb',
    flag: '--engine-memory',
    variable: 'SLUICE_ENGINE_MEMORY',
    default: '1024',
    unit: 'MB',
    description: 'Memory that the embedded engine may use.',
    parse: wholeNumber(64, 10_000_000),
  },
  {
    key: 'engineThreads',
    flag: '--engine-threads',
    variable: 'SLUICE_ENGINE_THREADS',
    default: '0',
    unit: 'threads',
    description: 'Threads that the embedded engine may use; 0 for as many as there are processors.',
    parse: wholeNumber(0, 1_024),
  },
  {
    key: 'engineTempMb',
    flag: '--engine-temp',
    variable: 'SLUICE_ENGINE_TEMP',
    default: '8192',
    unit: 'MB',
    description: 'What the embedded engine may write to the disk for queries that need more memory.',
    parse: wholeNumber(1, 10_000_000),
  },
  {
    key: 'maxQueries',
    flag: '--max-queries',
    variable: 'SLUICE_MAX_QUERIES',
    default: '512',
    unit: 'queries',
    description: 'Queries that run or wait for the engine at once; more are refused with 503.',
    parse: wholeNumber(1, 10_000),
  },
  {
    key: 'maxResultMb',
    flag: '--max-result',
    variable: 'SLUICE_MAX_RESULT',
    default: '64',
    unit: 'MB',
    description: 'A result that is larger is an error.',
    parse: wholeNumber(1, 256),
  },
  {
    key: 'cacheMb',
    flag: '--cache-memory',
    variable: 'SLUICE_CACHE_MEMORY',
    default: '64',
    unit: 'MB',
    description: 'Memory for stored results.',
    parse: wholeNumber(0, 10_000_000),
  },
  {
    key: 'redisUrl',
    flag: null,
    variable: 'REDIS_URL',
    default: '',
    unit: '',
    description:
      'A Redis or Valkey that replicas share results in: redis:// or, encrypted, rediss://user:password@host:port.',
    parse: redisUrl,
  },
  {
    key: 'redisPrefix',
    flag: '--redis-prefix',
    variable: 'SLUICE_REDIS_PREFIX',
    default: 'sluice:',
    unit: '',
    description: 'Before every key in Redis; installations with different data need different ones.',
    parse: matching(/^[\w.:/-]{1,100}$/, 'letters, digits and . : / - _'),
  },
  {
    key: 'corsOrigins',
    flag: '--cors-origins',
    variable: 'SLUICE_CORS_ORIGINS',
    default: '',
    unit: '',
    description: 'Origins that browsers may call from, with commas between them.',
    parse: origins,
  },
  {
    key: 'logLevel',
    flag: '--log-level',
    variable: 'SLUICE_LOG_LEVEL',
    default: 'info',
    unit: '',
    description: `How much is logged: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
  {
    key: 'drainDelaySeconds',
    flag: '--drain-delay',
    variable: 'SLUICE_DRAIN_DELAY',
    default: '0',
    unit: 'seconds',
    description: 'How long calls are still taken once the process is asked to end, while /readyz says so.',
    parse: wholeNumber(0, 3_600),
  },
  {
    key: 'graceSeconds',
    flag: '--grace',
    variable: 'SLUICE_GRACE',
    default: '10',
    unit: 'seconds',
    description: 'How long running requests may take once the process is asked to end.',
    parse: wholeNumber(0, 3_600),
  },
]

/** What a setting is when nothing is said: its default, or this where it has none. */
const UNSET = {
  database: null,
  tokensFile: null,
  token: null,
  corsOrigins: [] as readonly string[],
  project: null,
  location: null,
  defaultDataset: null,
  maxBytesBilled: null,
  reservation: null,
  credentialsFile: null,
  emulatorHost: null,
  redisUrl: null,
} as const

/**
 * A flag beats its variable, which beats the default; an empty variable is none. `flags` go by their names without
 * dashes in front: `{ port: '9000', 'cache-memory': '64' }`.
 * @throws UsageError with every problem, none of which repeats a token.
 */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const settings: Record<string, unknown> = { ...UNSET }
  const problems: string[] = []
  for (const row of SETTINGS) {
    const flag = row.flag === null ? undefined : flags[row.flag.slice(2)]
    const variable = environment[row.variable]
    const given = flag ?? (variable === undefined || variable === '' ? row.default : variable)
    if (given === '' && flag === undefined) continue
    const name = flag === undefined ? row.variable : row.flag
    if (given === '') {
      problems.push(`${name} must not be empty`)
      continue
    }
    try {
      settings[row.key] = row.parse(given)
    } catch (thrown) {
      if (!(thrown instanceof SettingProblem)) throw thrown
      problems.push(`${name} ${thrown.message}`)
    }
  }
  if (problems.length > 0) throw new UsageError(problems)
  return Object.freeze(settings) as unknown as Settings
}

/** The settings when nothing is said. */
export const DEFAULT_SETTINGS: Settings = readSettings({}, {})
