/**
 * The manifests of a large installation: shapes like those of the three shipped endpoints, and others, filled in at random.
 */
import type { Random } from '../authoring/sample/random.js'

const DATASETS = ['shop', 'auth', 'edge', 'media', 'search', 'mail', 'jobs', 'billing', 'support', 'devices'] as const
const SUBJECTS = ['requests', 'orders', 'sessions', 'uploads', 'payments', 'errors', 'visits', 'messages'] as const
export const MEASURES = [
  'duration_ms',
  'bytes_sent',
  'bytes_read',
  'attempts',
  'price',
  'queue_ms',
  'score',
  'rows_read',
] as const
export const WORDS = ['region', 'plan', 'host', 'browser', 'country', 'channel', 'operation', 'cluster'] as const
export const TABLES = DATASETS.flatMap(dataset => SUBJECTS.map(subject => `${dataset}.${subject}`))

/** A manifest's contents for one table; each entry of `columns` is `name TYPE`. */
export interface Shape {
  readonly parameters: readonly string[]
  readonly lookups?: string
  readonly constants?: string
  readonly columns: readonly string[]
  readonly sql: string
}

const PROJECT =
  'project: { type: string, required: true, description: Project reference., examples: [abcdefghijklmnopqrst] }'
const INTERVAL = 'interval: { type: string, required: true, description: How far back to look., examples: [1day] }'
const optional = (name: string, type = 'string'): string =>
  `${name}: { type: ${type}, description: Only this ${name}. }`
const given = (name: string, condition: string): string => `{{#if given.${name}}}\nAND ${condition}\n{{/if}}`

const ROWS = {
  '5min': '{ bucket: SECOND, size: 5, unit: MINUTE }',
  '15min': '{ bucket: MINUTE, size: 15, unit: MINUTE }',
  '1hr': '{ bucket: MINUTE, size: 1, unit: HOUR }',
  '1day': '{ bucket: HOUR, size: 1, unit: DAY }',
  '7day': '{ bucket: DAY, size: 7, unit: DAY }',
} as const

const intervals = (rows: readonly (keyof typeof ROWS)[]): string =>
  ['  interval:', '    by: interval', '    rows:', ...rows.map(row => `      ${row}: ${ROWS[row]}`)]
    .concat('    default: 1day')
    .join('\n')

const some = <T>(random: Random, from: readonly T[], count: number): readonly T[] =>
  [...from]
    .map(one => [random.next(), one] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, one]) => one)

/** Like functions.invocation-stats: common table expressions, nested records, quantiles; ten variants. */
function statistics(random: Random, table: string): Shape {
  const [first, second] = some(random, MEASURES, 2) as [string, string]
  const codes = some(random, [100, 200, 300, 400, 500], random.int(1, 4))
  const ranks = some(random, [50, 75, 90, 95, 99], random.int(1, 3))
  const counted = codes.map(code => `COUNTIF(status_code BETWEEN ${code} AND ${code + 99}) AS of_${code}`)
  return {
    parameters: [PROJECT, INTERVAL, optional('function_id')],
    lookups: intervals(['5min', '15min', '1hr', '1day', '7day']),
    columns: [
      'timestamp TIMESTAMP',
      'least FLOAT64',
      'most FLOAT64',
      'mean FLOAT64',
      ...ranks.map(rank => `p${rank} FLOAT64`),
      'count INT64',
      ...codes.map(code => `of_${code} INT64`),
    ],
    sql: `WITH
  responses AS (
    SELECT
      TIMESTAMP_TRUNC(entry.timestamp, {{interval.bucket}}) AS bucket,
      entry.${first} + COALESCE(entry.${second}, ${random.int(0, 100)}) AS measure,
      response.status_code
    FROM \`${table}\` AS entry
    CROSS JOIN UNNEST(entry.metadata) AS record
    CROSS JOIN UNNEST(record.response) AS response
    WHERE record.project_ref = @project
      AND entry.timestamp >= TIMESTAMP_TRUNC(
        TIMESTAMP_SUB(@now, INTERVAL {{interval.size}} {{interval.unit}}), {{interval.bucket}})
      ${given('function_id', 'record.function_id = @function_id')}
  ),
  buckets AS (
    SELECT
      bucket,
      MIN(measure) AS least,
      MAX(measure) AS most,
      AVG(measure) AS mean,
      APPROX_QUANTILES(measure, 100) AS quantiles,
      COUNT(*) AS count,
      ${counted.join(',\n      ')}
    FROM responses
    GROUP BY bucket
  )
SELECT
  bucket AS timestamp,
  least,
  most,
  mean,
  ${ranks.map(rank => `quantiles[SAFE_OFFSET(${rank})] AS p${rank},`).join('\n  ')}
  count,
  ${codes.map(code => `of_${code}`).join(',\n  ')}
FROM buckets
ORDER BY timestamp
`,
  }
}

/** Like usage.api-counts: conditional sums for each time bucket; three variants. */
function counts(random: Random, table: string): Shape {
  const areas = some(random, ['rest', 'storage', 'auth', 'realtime', 'functions', 'admin', 'graphql'], random.int(3, 7))
  const word = random.pick(WORDS)
  return {
    parameters: [PROJECT, INTERVAL],
    lookups: intervals(['1hr', '1day', '7day']),
    columns: ['timestamp DATETIME', ...areas.map(area => `${area}_requests INT64`)],
    sql: `WITH
  requests AS (
    SELECT
      DATETIME(TIMESTAMP_TRUNC(entry.timestamp, {{interval.bucket}}), 'UTC') AS bucket,
      request.path
    FROM \`${table}\` AS entry
    CROSS JOIN UNNEST(entry.metadata) AS record
    CROSS JOIN UNNEST(record.request) AS request
    WHERE entry.project = @project
      AND entry.${word} != '${random.hex(6)}'
      AND entry.timestamp >= TIMESTAMP_SUB(@now, INTERVAL {{interval.size}} {{interval.unit}})
  )
SELECT
  bucket AS timestamp,
  ${areas.map(area => `COALESCE(SUM(IF(path LIKE '%/${area}%', 1, 0)), 0) AS ${area}_requests`).join(',\n  ')}
FROM requests
GROUP BY bucket
ORDER BY timestamp
`,
  }
}

/** Like logs.all: several streams that share one partial; six different texts. */
function newest(random: Random): Shape {
  const streams = some(random, TABLES, random.int(3, 9)).map((table, index) => {
    const place = random.isTrue(0.5)
      ? 'project: record.project_ref, expands: true'
      : 'project: entry.project, expands: false'
    const [word, measure] = [random.pick(WORDS), random.pick(MEASURES)]
    return `    - { name: stream_${index}, table: ${table}, word: ${word}, measure: ${measure}, ${place} }`
  })
  return {
    parameters: [
      PROJECT,
      'tier: { type: string, required: true, description: FREE or PRO. }',
      optional('since', 'timestamp'),
    ],
    lookups: `  retention:
    by: tier
    rows:
      FREE: { days: 1 }
      PRO: { days: ${random.int(2, 30)} }
      ENTERPRISE: { days: 90 }
    default: FREE`,
    constants: `  streams:\n${streams.join('\n')}`,
    columns: ['id STRING', 'timestamp TIMESTAMP', 'event_message STRING', 'origin STRING', 'measure FLOAT64'],
    sql: `WITH
  {{#each constants.streams}}
  {{> stream name=this.name table=this.table project=this.project expands=this.expands word=this.word measure=this.measure}}
  {{#unless @last}},{{/unless}}
  {{/each}}
SELECT id, timestamp, event_message, origin, measure
FROM stream_0
WHERE measure IS NULL OR measure < ${random.int(1_000, 1_000_000)}
ORDER BY timestamp DESC, id
LIMIT ${random.int(10, 1_000)}
`,
  }
}

/** A list with filters, sorted by a parameter; twelve variants. */
function ranking(random: Random, table: string): Shape {
  const [word, filter] = some(random, WORDS, 2) as [string, string]
  const [measure, other] = some(random, MEASURES, 2) as [string, string]
  return {
    parameters: [
      PROJECT,
      optional(filter),
      optional('status', 'int64'),
      'sort: { type: string, enum: [most, mean, seen] }',
    ],
    lookups: `  sort:
    by: sort
    rows: { most: { column: most }, mean: { column: mean }, seen: { column: last_seen } }
    default: most`,
    columns: [`${word} STRING`, 'requests INT64', 'users INT64', 'most FLOAT64', 'mean FLOAT64', 'last_seen TIMESTAMP'],
    sql: `SELECT
  ${word},
  COUNT(*) AS requests,
  COUNT(DISTINCT user_id) AS users,
  MAX(${measure}) AS most,
  ROUND(AVG(${other}), ${random.int(0, 4)}) AS mean,
  MAX(timestamp) AS last_seen
FROM \`${table}\`
WHERE project = @project
  AND timestamp >= TIMESTAMP_SUB(@now, INTERVAL ${random.int(1, 90)} DAY)
  ${given(filter, `${filter} = @${filter}`)}
  ${given('status', 'status_code = @status')}
GROUP BY ${word}
HAVING requests >= ${random.int(1, 50)}
ORDER BY {{sort.column}} DESC, ${word}
LIMIT ${random.int(10, 500)}
`,
  }
}

/** Two periods compared, over two tables; one variant. */
function comparison(random: Random, table: string): Shape {
  const [word] = some(random, WORDS, 1) as [string]
  const [measure, other] = some(random, MEASURES, 2) as [string, string]
  const second = random.pick(TABLES)
  const days = random.int(2, 30)
  return {
    parameters: [
      PROJECT,
      'country: { type: string }',
      'limit: { type: int64, minimum: 1, maximum: 1000, default: 100 }',
    ],
    columns: [`${word} STRING`, 'now_total FLOAT64', 'before_total FLOAT64', 'change FLOAT64', 'second_total FLOAT64'],
    sql: `WITH
  periods AS (
    SELECT
      COALESCE(${word}, 'none') AS ${word},
      SUM(IF(timestamp >= TIMESTAMP_SUB(@now, INTERVAL ${days} DAY), ${measure}, 0)) AS now_total,
      SUM(IF(timestamp < TIMESTAMP_SUB(@now, INTERVAL ${days} DAY), ${measure}, 0)) AS before_total
    FROM \`${table}\`
    WHERE project = @project
      AND timestamp >= TIMESTAMP_SUB(@now, INTERVAL ${2 * days} DAY)
      AND (@country IS NULL OR country = @country)
    GROUP BY 1
  ),
  others AS (
    SELECT ${word}, SUM(${other}) AS second_total
    FROM \`${second}\`
    WHERE project = @project AND status_code IN (${some(random, [200, 201, 204, 301, 404, 500], 3).join(', ')})
    GROUP BY ${word}
  )
SELECT
  periods.${word},
  periods.now_total,
  periods.before_total,
  SAFE_DIVIDE(periods.now_total - periods.before_total, periods.before_total) AS change,
  others.second_total
FROM periods
LEFT JOIN others ON others.${word} = periods.${word}
WHERE @limit > 0
ORDER BY change DESC, periods.${word}
LIMIT ${random.int(50, 1_000)}
`,
  }
}

/** Sessions by gaps between events; two variants. */
function sessions(random: Random, table: string): Shape {
  const word = random.pick(WORDS)
  return {
    parameters: [PROJECT, optional('user')],
    columns: [
      'user_id STRING',
      'session INT64',
      'began TIMESTAMP',
      'ended TIMESTAMP',
      'events INT64',
      `${word} STRING`,
    ],
    sql: `WITH
  steps AS (
    SELECT
      user_id,
      timestamp,
      ${word},
      TIMESTAMP_DIFF(timestamp, LAG(timestamp) OVER (PARTITION BY user_id ORDER BY timestamp), MINUTE) AS pause
    FROM \`${table}\`
    WHERE project = @project
      AND timestamp >= TIMESTAMP_SUB(@now, INTERVAL ${random.int(1, 14)} DAY)
      ${given('user', 'user_id = @user')}
  ),
  numbered AS (
    SELECT *, COUNTIF(pause IS NULL OR pause > ${random.int(5, 120)}) OVER (PARTITION BY user_id ORDER BY timestamp) AS session
    FROM steps
  )
SELECT
  user_id,
  session,
  MIN(timestamp) AS began,
  MAX(timestamp) AS ended,
  COUNT(*) AS events,
  ANY_VALUE(${word}) AS ${word}
FROM numbered
GROUP BY user_id, session
HAVING events > ${random.int(0, 20)}
ORDER BY began DESC
LIMIT ${random.int(10, 1_000)}
`,
  }
}

/** Labels unnested and counted, with CASE; two to four variants. */
function labelled(random: Random, table: string): Shape {
  const names = some(random, ['team', 'env', 'version', 'release', 'owner', 'tier'], 2)
  const [low, high] = [random.int(1, 50), random.int(51, 5_000)]
  const measure = random.pick(MEASURES)
  const filters = some(random, WORDS, random.int(1, 2))
  return {
    parameters: [PROJECT, ...filters.map(filter => optional(filter)), 'keys: { type: array<string> }'],
    columns: ['day DATE', 'label STRING', 'class STRING', 'entries INT64', 'share FLOAT64'],
    sql: `SELECT
  DATE(entry.timestamp) AS day,
  CONCAT(label.key, '=', COALESCE(label.value, '${names[0]}')) AS label,
  CASE
    WHEN entry.${measure} < ${low} THEN 'low'
    WHEN entry.${measure} BETWEEN ${low} AND ${high} THEN 'middle'
    ELSE 'high'
  END AS class,
  COUNT(*) AS entries,
  COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY DATE(entry.timestamp)) AS share
FROM \`${table}\` AS entry, UNNEST(entry.labels) AS label
WHERE entry.project = @project
  AND (label.key IN ('${names.join("', '")}') OR label.key IN UNNEST(@keys))
  ${filters.map(filter => given(filter, `STARTS_WITH(entry.${filter}, @${filter})`)).join('\n  ')}
GROUP BY day, label, class
ORDER BY day DESC, entries DESC, label
`,
  }
}

/** One entry by its id; one variant. */
function lookUp(random: Random, table: string): Shape {
  const words = some(random, WORDS, random.int(2, 6))
  const measures = some(random, MEASURES, random.int(1, 4))
  return {
    parameters: [PROJECT, 'id: { type: string, required: true, max_length: 64 }'],
    columns: [
      'id STRING',
      'moment STRING',
      ...words.map(name => `${name} STRING`),
      ...measures.map(name => `${name} FLOAT64`),
    ],
    sql: `SELECT
  id,
  FORMAT_TIMESTAMP('%F %T', timestamp) AS moment,
  ${[...words, ...measures].join(',\n  ')}
FROM \`${table}\`
WHERE project = @project
  AND id = @id
  AND REGEXP_CONTAINS(event_message, r'${random.hex(4)}[a-z]+')
ORDER BY timestamp DESC
LIMIT ${random.int(1, 10)}
`,
  }
}

export type MakeShape = (random: Random, table: string) => Shape
/** A third of the manifests are shaped like the shipped ones. On average a manifest has four variants; a third have one. */
export const SHAPES: readonly (readonly [MakeShape, weight: number])[] = [
  [statistics, 10],
  [counts, 15],
  [newest, 10],
  [ranking, 10],
  [comparison, 20],
  [sessions, 10],
  [labelled, 15],
  [lookUp, 10],
]
