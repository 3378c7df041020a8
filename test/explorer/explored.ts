/** A real server with the repository's endpoints over sample data, and others that show what the page must cope with. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken, type NewToken } from '../../authoring/token/token-writer.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { command } from '../cli/command.js'

export const TOKEN = 'unrestricted-token-of-32-letters'
/** The project that most of the sample entries are of. */
export const PROJECT = 'rofcefgbzohedjdeiulh'

export interface Explored {
  readonly url: string
  /** `…/explorer/`. */
  readonly page: string
  readonly runner: Runner
  readonly events: readonly Event[]
  token(order: Omit<NewToken, 'name'>): Promise<string>
  /** Writes a manifest of this name. */
  write(name: string, text: string): void
  /** Ends the server, runs `meanwhile`, and starts another at the same address. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** The manifest of a test: name, parameters, settings and SQL in YAML. */
interface Manifest {
  readonly name: string
  readonly parameters?: string
  readonly settings?: string
  readonly lookups?: string
  readonly columns?: string
  readonly sql: string
}

const MANIFESTS: readonly Manifest[] = [
  {
    name: 'tests.rows',
    parameters: 'rows: { type: int64, required: true, examples: [10] }',
    settings: 'max_rows: 100000\n  cache: { ttl_seconds: 900 }',
    sql: "SELECT n, CONCAT('row ', CAST(n AS STRING)) AS name, n / 7 AS share\n  FROM UNNEST(GENERATE_ARRAY(1, @rows)) AS n ORDER BY n",
  },
  {
    name: 'tests.cut',
    settings: 'max_rows: 5\n  cache: { ttl_seconds: 900 }',
    sql: 'SELECT n FROM UNNEST(GENERATE_ARRAY(1, 50)) AS n ORDER BY n',
  },
  {
    name: 'tests.hostile',
    sql: [
      `SELECT '<img src=x onerror="document.title=1">' AS markup, 'abc\\u202Edef' AS turned, REPEAT('x', 1000000) AS long,`,
      `    '' AS empty, CAST(NULL AS STRING) AS missing, 9223372036854775807 AS big,`,
      `    JSON '{"n": 12345678901234567890, "<b>": "</script><script>document.title=2</script>"}' AS document,`,
      `    [STRUCT(1 AS a, [STRUCT('deep' AS b)] AS parts), STRUCT(2 AS a, [STRUCT('deeper' AS b)] AS parts)] AS nested,`,
      `    TIMESTAMP '2026-01-31 12:00:00.123456+00' AS moment, DATETIME '2026-01-31 12:00:00' AS wall`,
    ].join('\n'),
  },
  {
    name: 'tests.times',
    parameters: 'points: { type: int64, required: true }',
    settings: 'max_rows: 100000\n  cache: { ttl_seconds: 900 }',
    columns: [
      '- { name: moment, type: TIMESTAMP }',
      '- { name: amount, type: INT64, unit: bytes }',
      '- { name: half, type: FLOAT64, unit: ms }',
    ].join('\n  '),
    sql: "SELECT TIMESTAMP_ADD(TIMESTAMP '2026-01-31 00:00:00+00', INTERVAL n MINUTE) AS moment,\n    MOD(n * 7919, 1000) AS amount, n / 2 AS half\n  FROM UNNEST(GENERATE_ARRAY(1, @points)) AS n ORDER BY moment",
  },
  {
    name: 'tests.words',
    sql: "SELECT word, LENGTH(word) * 10 AS size FROM UNNEST(['one', 'two', 'three', 'eleven']) AS word ORDER BY size",
  },
  {
    name: 'tests.alike',
    sql: "SELECT 123456789000 + n AS order_id, CONCAT(REPEAT('https://shop.example.com/', 9), 'orders/', 5000 + n) AS address,\n    CONCAT('2001:db8:85a3:8d3:1319:8a2e:370:734', n) AS host\n  FROM UNNEST(GENERATE_ARRAY(1, 9)) AS n ORDER BY n",
  },
  {
    name: 'tests.repeated',
    sql: "SELECT TIMESTAMP '2026-01-31 00:00:00+00' AS moment, n AS order_id, n * 10 AS amount FROM UNNEST(GENERATE_ARRAY(1, 9)) AS n ORDER BY n",
  },
  {
    name: 'tests.large',
    sql: "SELECT n, REPEAT('x', 1000000) AS filler FROM UNNEST(GENERATE_ARRAY(1, 21)) AS n ORDER BY n",
  },
  {
    name: 'tests.since',
    parameters: 'since: { type: timestamp, required: true }',
    sql: 'SELECT TIMESTAMP_ADD(@since, INTERVAL n MINUTE) AS moment, n AS amount FROM UNNEST(GENERATE_ARRAY(1, 20)) AS n ORDER BY n',
  },
  {
    name: 'tests.slow',
    settings: 'timeout_seconds: 600',
    sql: 'SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 100000)) AS a, UNNEST(GENERATE_ARRAY(1, 100000)) AS b, UNNEST(GENERATE_ARRAY(1, 100000)) AS c\n  WHERE MOD(a * b + c, 7) = 3',
  },
  {
    name: 'tests.typed',
    parameters: [
      'word: { type: string, enum: [red, green] }',
      'flag: { type: bool, default: true }',
      'count: { type: int64, minimum: 1, maximum: 10 }',
      'since: { type: timestamp }',
      'day: { type: date }',
      'tags: { type: array<string> }',
      'tier: { type: string, required: true }',
      'colours: { type: array<string>, enum: [red, green, blue] }',
    ].join('\n  '),
    lookups: 'tier:\n    by: tier\n    rows:\n      small: { days: 1 }\n      large: { days: 7 }\n    default: reject',
    sql: [
      'SELECT @word AS word, @flag AS flag, @count AS count, @since AS since, @day AS day,',
      "    ARRAY_TO_STRING(@tags, '|') AS tags, {{tier.days}} AS days, ARRAY_TO_STRING(@colours, '|') AS colours",
    ].join('\n'),
  },
  {
    name: 'tests.members',
    parameters: [
      'constructor: { type: string }',
      'toString: { type: string, enum: [a, b] }',
      'valueOf: { type: array<string>, examples: [x] }',
    ].join('\n  '),
    sql: "SELECT @constructor AS `constructor`, @toString AS text, ARRAY_TO_STRING(@valueOf, '|') AS parts",
  },
  {
    name: 'tests.digits',
    columns: [
      '- { name: weight, type: NUMERIC, required: true, json: number }',
      '- { name: large, type: BIGNUMERIC, json: number }',
    ].join('\n  '),
    sql: "SELECT NUMERIC '12345678901234567890.123456789' AS weight, BIGNUMERIC '-0.10000000000000000000000000000000000001' AS large",
  },
  {
    name: 'tests.pages',
    parameters: 'rows: { type: int64, required: true }\n  faulty: { type: bool, default: false }',
    settings: 'max_rows: 20000\n  pages: {}',
    sql: 'SELECT n, IF(@faulty, RAND(), n * 2) AS amount FROM UNNEST(GENERATE_ARRAY(1, @rows)) AS n ORDER BY n',
  },
]

function textOf({ name, parameters, settings, lookups, columns, sql }: Manifest, index: number): string {
  const part = (key: string, text: string | undefined): string => (text === undefined ? '' : `${key}:\n  ${text}\n`)
  return [
    `id: 00000000-0000-4000-8000-0000000000${10 + index}\nname: ${name}\ndescription: What ${name} shows.\n`,
    part('parameters', parameters),
    part('settings', settings),
    part('lookups', lookups),
    part('columns', columns),
    `sql: |\n  ${sql}\n`,
  ].join('')
}

/** @param settings besides folders, port and token; @param entries of each sample stream. */
export async function explored(settings: Parameters<typeof createRunner>[0] = {}, entries = 500): Promise<Explored> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-explorer-'))
  const endpointsDir = join(folder, 'endpoints')
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  cpSync('endpoints', endpointsDir, { recursive: true })
  MANIFESTS.forEach((manifest, i) => {
    writeFileSync(join(endpointsDir, `${manifest.name}.yaml`), textOf(manifest, i))
  })
  const made = await command(['sample', '--data', dataDir, '--count', String(entries)])
  if (made.code !== 0) throw new TypeError(made.err)
  const events: Event[] = []
  const start = async (port: number) => {
    const runner = await createRunner(
      { endpointsDir, dataDir, token: TOKEN, port, engineMemoryMb: 256, ...settings },
      { observe: event => void events.push(event) },
    )
    return { runner, server: await runner.listen() }
  }
  let { runner, server } = await start(0)
  let names = 0
  const end = async (): Promise<void> => {
    await server.close()
    await runner.close()
  }
  return {
    url: server.url,
    page: `${server.url}/explorer/`,
    get runner() {
      return runner
    },
    events,
    token(order) {
      names += 1
      return createToken(join(dataDir, 'tokens.json'), { name: `token-${names}`, ...order }, Date.now())
    },
    write(name, text) {
      writeFileSync(join(endpointsDir, `${name}.yaml`), text)
    },
    async restart(meanwhile) {
      const port = Number(new URL(server.url).port)
      await end()
      await meanwhile()
      const started = await start(port)
      runner = started.runner
      server = started.server
    },
    async close() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
