/** `sluice new`: a manifest that validates and a test that passes, over a table or from a query. */

import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TableCatalogue, TableDefinition } from '../../googlesql/index.js'
import { discover } from '../../runner/manifest/discover.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { writtenIdentity } from '../../runner/manifest/written-identity.js'
import { UsageError } from '../../runner/model/errors.js'
import { proposing } from '../../runner/model/suggest.js'
import { systemClock } from '../../runner/platform/clock.js'
import { ownPackage } from '../../runner/platform/own-package.js'
import { openServingEngine, type ServingEngine } from '../../runner/serve/engine.js'
import { readSettings, type Settings } from '../../runner/settings/settings.js'
import { constantsChecker } from '../check/constants.js'
import { readInput } from '../terminal/files.js'
import type { Flags } from '../terminal/flags.js'
import { EXIT, type Io } from '../terminal/io.js'
import { testEndpoints } from '../test/test-endpoints.js'
import { askForTable } from './ask.js'
import { completeText } from './complete.js'
import { manifestOfSql } from './from-sql.js'
import { manifestOfTable, type NewManifest, requireTable, type TableOrder } from './from-table.js'
import { writeFiles } from './write-files.js'

export interface NewFlags {
  readonly table?: string
  readonly time?: string
  readonly tenant?: string
  readonly interval?: boolean
  /** A file of SQL; `-` is standard input. */
  readonly fromSql?: string
}

/** Writes `<endpoints>/<name>.yaml` and `<name>.test.yaml`; writes over no file. */
export async function newEndpoint(
  word: string | undefined,
  flags: NewFlags,
  settingFlags: Flags,
  io: Io,
): Promise<number> {
  const settings = readSettings({ ...settingFlags, engine: 'duckdb' }, io.environment)
  const name = nameOf(word, flags)
  const file = join(settings.endpointsDir, `${name}.yaml`)
  const testFile = join(settings.endpointsDir, `${name}.test.yaml`)
  const owner = await ownerOf(name, settings, [file, testFile])
  if (owner !== null) {
    io.printError(`sluice: ${owner}; nothing was written\n`)
    return EXIT.problems
  }
  const engine = await openServingEngine(settings, { observe: () => undefined, clock: systemClock() })
  let text: string
  let manifest: NewManifest
  const schemas = schemasFrom(settings.endpointsDir)
  try {
    manifest = await makeManifest(flags, engine, io)
    text = await completeText(
      { ...manifest, id: randomUUID(), name },
      { file, schemas, tables: engine.tables(), checkSql: constantsChecker(engine) },
    )
  } finally {
    await engine.close()
  }
  const header = `# yaml-language-server: $schema=${schemas}/test.schema.json\n`
  const tests = manifest.tests.map(test => header + test)
  writeFiles([
    { path: file, text },
    { path: testFile, text: tests[0]! },
  ])
  const problems = await keepPassingTest(testFile, tests, settingFlags, io)
  io.print(`wrote ${file}\n`)
  const call = `sluice call ${name}${exampleArguments(manifest)}`
  if (problems === null) {
    io.print(`wrote ${testFile}\nnext: ${call}\n`)
    return EXIT.clean
  }
  const schemaLines = await missingSchemaLines(manifest.tables, settings)
  if (schemaLines.length > 0) {
    io.print(`no test was written, since tests need the schemas of tables:\n${schemaLines.join('\n')}\nnext: ${call}\n`)
    return EXIT.clean
  }
  io.printError(`no test was written, since none passes; correct the query in ${file}:\n${problems}`)
  return EXIT.problems
}

/** For each of these tables without a schema file: the command that writes the file, or the path of the missing file. */
async function missingSchemaLines(tables: readonly string[], settings: Settings): Promise<readonly string[]> {
  const { filesOf } = await import('../data/local-tables.js')
  const { tables: schemas } = await loadTableSchemas(settings.tablesDir)
  return tables
    .filter(name => !schemas.some(schema => schema.name === name))
    .map(name => {
      const files = settings.database === null ? filesOf(settings, name).map(({ path }) => path) : []
      return files.length === 0
        ? `  ${join(settings.tablesDir, `${name}.json`)} is missing`
        : `  sluice tables infer ${name} ${files.join(' ')}`
    })
}

const NAME = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)*$/

/** @throws UsageError for a name that no endpoint can have, and for flags that exclude each other. */
function nameOf(word: string | undefined, { table, time, tenant, interval, fromSql }: NewFlags): string {
  if (fromSql !== undefined && [table, time, tenant, interval].some(flag => flag !== undefined)) {
    throw new UsageError(['--from-sql excludes --table, --time, --tenant and --interval'])
  }
  if (table === undefined && [time, tenant, interval].some(flag => flag !== undefined)) {
    throw new UsageError(['--time, --tenant and --interval need --table'])
  }
  const name = word ?? (fromSql === undefined || fromSql === '-' ? undefined : basename(fromSql).replace(/\.\w+$/, ''))
  if (name === undefined) throw new UsageError(['new takes the name of the endpoint: sluice new shop.orders'])
  if (NAME.test(name)) return name
  const proposal = name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  const { hint } = proposing(NAME.test(proposal) ? proposal : undefined)
  throw new UsageError([
    `${JSON.stringify(name)} is not the name of an endpoint: lower-case letters, digits, - and .${hint}`,
  ])
}

/** The file or the manifest that has the name already, in words; null if the name is free. */
async function ownerOf(name: string, { endpointsDir }: Settings, files: readonly string[]): Promise<string | null> {
  const existing = files.find(existsSync)
  if (existing !== undefined) return `${existing} exists already`
  const { manifests } = existsSync(endpointsDir) ? await discover(endpointsDir) : { manifests: [] }
  const sameName = manifests.find(({ text }) => writtenIdentity(text).name === name)
  return sameName === undefined ? null : `${sameName.file} has the name ${name} already`
}

async function makeManifest(flags: NewFlags, engine: ServingEngine, io: Io): Promise<NewManifest> {
  const tables = engine.tables()
  if (flags.fromSql !== undefined) return manifestOfFile(flags.fromSql, tables, io)
  const order = flags.table === undefined ? await askForTable(tables, io) : orderOf(flags.table, flags, tables)
  const manifest = manifestOfTable(order)
  const tenantExample = order.tenant === null ? null : await firstValue(engine, order.table, order.tenant)
  return tenantExample === null ? manifest : manifestOfTable({ ...order, tenantExample })
}

function orderOf(name: string, flags: NewFlags, tables: TableCatalogue): TableOrder {
  const { time = null, tenant = null, interval = false } = flags
  return { table: requireTable(tables, name), time, tenant, hasInterval: interval }
}

/** The first value of a column in the data; null without a value, or where a URL would have to escape it. */
async function firstValue(
  engine: ServingEngine,
  table: TableDefinition,
  tenant: string,
): Promise<string | number | null> {
  const column = table.columns.find(({ name }) => name.toLowerCase() === tenant.toLowerCase())!
  const query = { sql: `SELECT MIN(\`${column.name}\`) AS first FROM \`${table.name}\``, parameters: {} }
  const options = { maxRows: 1, timestamps: 'iso8601', endpoint: 'new', timeoutMs: EXAMPLE_MS } as const
  try {
    const { body } = await engine.run(query, { ...options, signal: AbortSignal.timeout(EXAMPLE_MS) })
    const [row] = JSON.parse(Buffer.from(body).toString()).result as readonly { readonly first: unknown }[]
    const value = row?.first
    return typeof value === 'number' || (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) ? value : null
  } catch {
    // An example can be made up where the data cannot be read.
    return null
  }
}
const EXAMPLE_MS = 5_000

/** @throws LoadError for a query that is not valid. */
async function manifestOfFile(path: string, tables: TableCatalogue, io: Io): Promise<NewManifest> {
  const sql = await readInput(path, io)
  return manifestOfSql(path === '-' ? 'standard input' : path, normalizeSql(sql), tables)
}

/** Without a byte order mark and empty lines around it, and with line feeds: YAML keeps the rest as it is. */
const normalizeSql = (sql: string): string =>
  sql
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()

/** The path from the folder to this package's schemas/: through node_modules where it is installed there. */
function schemasFrom(folder: string): string {
  const installed = resolve('node_modules', ownPackage().name, 'schemas')
  const ownSchemas = join(dirname(fileURLToPath(import.meta.resolve('#package'))), 'schemas')
  return relative(resolve(folder), existsSync(installed) ? installed : ownSchemas)
    .split(sep)
    .join('/')
}

/**
 * Keeps the first test file that passes: a query may fail only where its tables have rows. If none passes, no file is kept, and the
 * output of the last run is returned.
 */
async function keepPassingTest(
  testFile: string,
  tests: readonly string[],
  settingFlags: Flags,
  io: Io,
): Promise<string | null> {
  let problems: string | null = null
  for (const text of tests) {
    writeFileSync(testFile, text)
    problems = await problemsOf(testFile, settingFlags, io)
    if (problems === null) return null
  }
  rmSync(testFile, { force: true })
  return problems
}

/** Runs the tests once with --update, which writes the actual number of rows. Null if they pass, otherwise their output. */
async function problemsOf(testFile: string, settingFlags: Flags, io: Io): Promise<string | null> {
  let output = ''
  const print = (text: string | Uint8Array): void => {
    output += String(text)
  }
  const quiet = { ...io, print, printError: print }
  const code = await testEndpoints([testFile], settingFlags, { update: true, format: 'text' }, quiet)
  return code === EXIT.clean ? null : output
}

/** The arguments that a first call needs: ` project=a`. */
function exampleArguments({ parameters }: NewManifest): string {
  return Object.entries(parameters)
    .filter(([, { required }]) => required === true)
    .map(([name, { examples }]) => ` ${name}=${String((examples as readonly unknown[])[0])}`)
    .join('')
}
