/**
 * A thousand different manifests, as in a large installation, over many tables, with lookup tables, optional parameters,
 * constants, a partial and declared columns; and the time to load them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, seededRandom } from '../authoring/sample/random.js'
import { editInEditor, editUnderWatch, type ManyFolders } from './editing.js'
import type { Figure } from './figures.js'
import { MEASURES, SHAPES, TABLES, WORDS } from './manifest-shapes.js'
import { residentMemory, secondsOf, startServer } from './processes.js'

/** The numbers of manifests, and the bars of the time until the server is ready. */
const SIZES = [
  [100, '≤ 2 s'],
  [1_000, '≤ 20 s'],
] as const

const numeric = (names: readonly string[]) => names.map(name => ({ name, type: 'FLOAT', mode: 'NULLABLE' }))
const text = (names: readonly string[]) => names.map(name => ({ name, type: 'STRING', mode: 'NULLABLE' }))
const integer = (names: readonly string[]) => names.map(name => ({ name, type: 'INTEGER', mode: 'NULLABLE' }))
const record = (name: string, fields: readonly object[]) => ({ name, type: 'RECORD', mode: 'REPEATED', fields })

/** The columns of every table. */
const SCHEMA = [
  ...text(['id', 'project', 'event_message', 'user_id']),
  { name: 'timestamp', type: 'TIMESTAMP', mode: 'NULLABLE' },
  ...numeric(MEASURES),
  ...text(WORDS),
  ...integer(['status_code']),
  record('labels', text(['key', 'value'])),
  record('metadata', [
    ...text(['project_ref', 'function_id']),
    ...numeric(['execution_time_ms']),
    record('request', text(['method', 'path', 'url', 'user_agent'])),
    record('response', integer(['status_code', 'length'])),
  ]),
]

const PARTIAL = `{{name}} AS (
  SELECT entry.id, entry.timestamp, entry.event_message, entry.{{word}} AS origin, entry.{{measure}} AS measure
  FROM \`{{table}}\` AS entry
  {{#if expands}}
  CROSS JOIN UNNEST(entry.metadata) AS record
  {{/if}}
  WHERE {{project}} = @project
    AND entry.timestamp > TIMESTAMP_SUB(@now, INTERVAL {{retention.days}} DAY)
    {{#if given.since}}
    AND entry.timestamp > @since
    {{/if}}
)
`

function manifest(random: Random, index: number): string {
  const table = random.pick(TABLES)
  const shape = random.weighted(SHAPES)
  const { parameters, lookups, constants, columns, sql } = shape(random, table)
  const blocks = [
    `id: ${random.uuid()}`,
    `name: ${table}.${shape.name.toLowerCase()}-${index}`,
    `description: ${shape.name} over ${table}, number ${index} of a large installation.`,
    `parameters:\n${parameters.map(line => `  ${line}`).join('\n')}`,
    'settings:',
    `  max_rows: ${random.int(1, 50) * 100}`,
    `  cache: { ttl_seconds: ${random.int(60, 3_600)} }`,
    '  labels: { product: bench }',
    ...(lookups === undefined ? [] : [`lookups:\n${lookups}`]),
    ...(constants === undefined ? [] : [`constants:\n${constants}`]),
    `columns:\n${columns.map(columnLine).join('\n')}`,
    `sql: |\n${sql.replace(/^(?=.)/gm, '  ')}`,
  ]
  return blocks.join('\n')
}

function columnLine(column: string): string {
  const [name, type] = column.split(' ') as [string, string]
  return `  - { name: ${name}, type: ${type}, description: What ${name} is. }`
}

/** Writes `count` manifests to `endpoints/` in the folder, and the schemas of their tables to `tables/`. */
export function writeManyManifests(
  folder: string,
  count: number,
): { readonly endpoints: string; readonly tables: string } {
  const [endpoints, tables] = [join(folder, 'endpoints'), join(folder, 'tables')]
  mkdirSync(join(endpoints, 'partials'), { recursive: true })
  mkdirSync(tables, { recursive: true })
  writeFileSync(join(endpoints, 'partials', 'stream.sql'), PARTIAL)
  for (const table of TABLES) writeFileSync(join(tables, `${table}.json`), JSON.stringify(SCHEMA, null, 2))
  const random = seededRandom(count)
  for (let i = 0; i < count; i += 1) writeFileSync(join(endpoints, `endpoint-${i}.yaml`), manifest(random, i))
  return { endpoints, tables }
}

/** Starts the program on different manifests, and runs `validate` and edits one on the most of them. */
export async function loadingDifferent(program: readonly string[]): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-many-'))
  const data = join(folder, 'data')
  const written = (count: number): ManyFolders => ({ ...writeManyManifests(join(folder, String(count)), count), data })
  const flagsOf = ({ endpoints, tables }: ManyFolders): readonly string[] => [
    ...['--endpoints', endpoints, '--tables', tables, '--data', data],
  ]
  try {
    mkdirSync(data)
    const figures: Figure[] = []
    for (const [count, bar] of SIZES) {
      const serve = [...program, 'serve', '--port', '0', ...flagsOf(written(count))]
      const server = await startServer(serve, { SLUICE_TOKEN: 'benchmark-token-of-32-characters' }, 'ignore')
      const what = `${count.toLocaleString('en')} manifests that all differ, until ready`
      figures.push({ what, value: `${server.secondsToReady.toFixed(1)} s; ${residentMemory(server.pid)}`, bar })
      await server.end()
    }
    const thousand = { ...writeManyManifests(join(folder, 'edited'), 1_000), data }
    const validating = await secondsOf([...program, 'validate', ...flagsOf(thousand)])
    const watching = await editUnderWatch(program, thousand)
    const editing = await editInEditor(program, thousand)
    return [
      ...figures,
      {
        what: '`sluice validate` of 1,000 such manifests, 4,200 variants',
        value: `${validating.toFixed(1)} s`,
        bar: '≤ 20 s',
      },
      {
        what: 'an edit of one of 1,000 manifests under `--watch`, once it is seen',
        value: `${watching.toFixed(0)} ms`,
        bar: '≤ 300 ms',
      },
      {
        what: 'an edit of one of 1,000 manifests in the language server, until its diagnostics',
        value: `${editing.toFixed(0)} ms`,
        bar: '≤ 300 ms',
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// As a program: `node --import tsx bench/many-manifests.ts FOLDER COUNT` only writes them.
if (process.argv[1]?.endsWith('bench/many-manifests.ts')) {
  const [folder = 'many', count = '10000'] = process.argv.slice(2)
  console.log(writeManyManifests(folder, Number(count)))
}
