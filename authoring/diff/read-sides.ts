/** Loads a folder of endpoints, with their compiled queries and their tests, to compare it with another. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { orMistake, resolveQuery, SqlError, type TableCatalogue } from '../../googlesql/index.js'
import { wholeTables } from '../../googlesql-duckdb/index.js'
import { claimsOf } from '../../runner/manifest/check/duplicates.js'
import type { CompiledManifest, Loaded } from '../../runner/manifest/load.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import { memo } from '../../runner/model/bounded-map.js'
import { compareDiagnostics, type Diagnostic } from '../../runner/model/diagnostic.js'
import { ENGINES } from '../../runner/model/engines.js'
import type { Manifest } from '../../runner/model/manifest.js'
import type { CheckResult } from '../../runner/model/ports.js'
import { systemClock } from '../../runner/platform/clock.js'
import { openServingEngine, type ServingEngine } from '../../runner/serve/engine.js'
import { loadManifests } from '../../runner/serve/manifests.js'
import type { Settings } from '../../runner/settings/settings.js'
import { typesOfParameters } from '../check/parameter-types.js'
import { keptBySql } from '../check/refresh.js'
import { findEndpoint } from '../test/files/find-endpoint.js'
import { findTests, readTests } from '../test/files/load.js'
import type { TestCase } from '../test/files/test-file.js'

/** A folder of endpoints, with the errors in its manifests and test files. */
export type Side = Awaited<ReturnType<typeof loadSide>>
export type ComparedEndpoint = Side['endpoints'][number]
export type ComparedVariant = ComparedEndpoint['variants'][number]
export type ComparedTest = ReturnType<typeof comparedTest>

/** Loads the folders of the settings. @throws LoadError when table schemas have errors; SetupError. */
export async function loadSide(settings: Settings) {
  const clock = systemClock()
  const engine = await openServingEngine(settings, { observe: () => {}, clock })
  try {
    const compiled: CompiledManifest[] = []
    const now = new Date(clock.nowMs()).toISOString()
    const loaded = await loadManifests(settings, engine, checkWith(engine, now), {
      onCompiled: query => void compiled.push(query),
    })
    const tests = await loadTests(settings, engine, loaded)
    const filesOf = new Map(loaded.loadedEndpoints.map(({ endpoint, file }) => [endpoint.id, file]))
    const pathBelow = (file: string): string => relative(settings.endpointsDir, file).split(sep).join('/')
    const soundFiles = new Set(filesOf.values())
    return {
      endpoints: compiled
        .filter(({ endpoint }) => filesOf.has(endpoint.id))
        .map(query => ({
          ...comparedEndpoint(query, engine),
          /** The path of the manifest below its folder. */
          file: pathBelow(filesOf.get(query.endpoint.id)!),
          tests: tests.byEndpoint.get(query.endpoint.id) ?? [],
        })),
      /** Manifests that cannot be compared: they have errors. */
      broken: loaded.files.filter(file => !soundFiles.has(file)).map(file => brokenManifest(file, pathBelow(file))),
      diagnostics: [...loaded.diagnostics, ...tests.diagnostics]
        .filter(({ severity }) => severity === 'error')
        .sort(compareDiagnostics),
    }
  } finally {
    await engine.close()
  }
}

/** Checks SQL on the engine. The columns are the resolver's, since a warehouse's dry run tells less about them. */
function checkWith(engine: ServingEngine, now: string): ServingEngine['check'] {
  if (!ENGINES[engine.name].estimatesCost) return (sql, types) => engine.compile(sql, types)
  return async (sql, types, values): Promise<CheckResult> => {
    const [compiled, checked] = await Promise.all([
      engine.compile(sql, types),
      engine.check(sql, types, { ...values, now }),
    ])
    return compiled.ok && checked.ok ? { ...checked, columns: compiled.columns } : checked
  }
}

function comparedEndpoint(query: CompiledManifest, engine: ServingEngine) {
  const { endpoint, manifest, expanded, checked } = query
  const keptQueries = keptBySql(query, engine)
  const readsOf = new Map(checked.map(({ text, reads }) => [text.sql, reads ?? null]))
  const tablesOf = tablesReader(manifest, engine.tables())
  const givenNames = expanded.space.axes.flatMap(axis => (axis.kind === 'given' ? [axis.parameter] : []))
  const variants = expanded.variants.map(({ label, sql, pickedRows, choice }) => {
    const choices = new Map(givenNames.map(name => [`given ${name}`, choice.given.has(name) ? 'given' : 'absent']))
    for (const { by, row } of pickedRows) {
      const rows = choices.get(`row ${by}`)
      choices.set(`row ${by}`, rows === undefined ? row : `${rows} ${row}`)
    }
    return {
      /** The choices in words; empty for the only variant. */
      label,
      sql,
      /** For each parameter: which row of its lookup table is picked, and whether the parameter is given. */
      choices: choices as ReadonlyMap<string, string>,
      /** What the warehouse would read; null where no warehouse was asked. */
      reads: readsOf.get(sql) ?? null,
      /** What a refresh keeps of a result, or why it keeps nothing. */
      kept: keptQueries.get(sql)!,
      ...tablesOf(sql),
    }
  })
  return { endpoint, manifest, variants }
}

/**
 * Returns a function that finds the tables of a text of this manifest; each text is resolved once. `wholeTables` are the partitioned
 * tables of which the text reads every partition. A text does not resolve if only the warehouse knows its tables or functions.
 */
function tablesReader({ parameters = {} }: Manifest, catalogue: TableCatalogue) {
  const types = typesOfParameters(parameters)
  const resolve = (sql: string) => {
    const query = orMistake(() => resolveQuery(sql, catalogue, types))
    // BigQuery knows functions that the resolver does not.
    if (query instanceof SqlError) return { tables: [], wholeTables: [], isResolved: false }
    return { tables: query.tables, wholeTables: wholeTables(query), isResolved: true }
  }
  const results = new Map<string, ReturnType<typeof resolve>>()
  return (sql: string) => memo(results, sql, resolve)
}

/** The path of a broken manifest below its folder, and its id and name in lower case, where they can be read. */
function brokenManifest(path: string, file: string): { readonly file: string; readonly claims: readonly string[] } {
  try {
    const { source, value } = parseManifest(path, readFileSync(path, 'utf8'))
    const claims = source === null ? [] : claimsOf(value, source)
    return { file, claims: claims.map(({ text }) => text.toLowerCase()) }
  } catch {
    return { file, claims: [] }
  }
}

async function loadTests({ endpointsDir }: Settings, engine: ServingEngine, loaded: Loaded) {
  const testFiles = await findTests([], endpointsDir)
  const byEndpoint = new Map<string, readonly ComparedTest[]>()
  const diagnostics: Diagnostic[] = [...testFiles.diagnostics.filter(({ file }) => file !== endpointsDir)]
  for (const file of testFiles.files) {
    const { tests, diagnostics: mistakes } = readTests(file, engine.tables())
    diagnostics.push(...mistakes)
    if (tests === null) continue
    const { loadedEndpoint, diagnostics: more } = findEndpoint(tests, loaded)
    diagnostics.push(...more)
    if (loadedEndpoint !== null) byEndpoint.set(loadedEndpoint.endpoint.id, tests.cases.map(comparedTest))
  }
  return { byEndpoint, diagnostics }
}

function comparedTest({ name, arguments: args, nowMicros, tables, expect }: TestCase) {
  const rows = tables.map(({ standsFor, file, rows: testRows }) => {
    const content = file === null ? (testRows ?? []) : { file: file.split('/').at(-1)!, hash: hashOf(file) }
    return [standsFor, content] as const
  })
  /** By the name of the table: its rows, or the name of a file with a hash of its content. */
  const byTable: Readonly<Record<string, (typeof rows)[number][1]>> = Object.fromEntries(rows)
  return { name, arguments: args, nowMicros, tables: byTable, expect }
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch {
    return ''
  }
}
