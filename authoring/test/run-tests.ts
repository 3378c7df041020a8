/** Runs the tests beside manifests: an engine over their tables alone, and calls as HTTP makes them. */

import { resolve } from 'node:path'
import { tableCatalogue } from '../../googlesql/index.js'
import { unrestrictedCaller } from '../../runner/auth/tokens.js'
import { ResultCache } from '../../runner/cache/result-cache.js'
import { MemoryCounters } from '../../runner/cache/stores/counters.js'
import { MemoryStore } from '../../runner/cache/stores/memory.js'
import { type DuckdbEngine, openDuckdbEngine, type TableSource } from '../../runner/engines/duckdb/index.js'
import type { CompiledManifest, LoadedEndpoint } from '../../runner/manifest/load.js'
import { memo } from '../../runner/model/bounded-map.js'
import { compareDiagnostics } from '../../runner/model/diagnostic.js'
import { ENGINES } from '../../runner/model/engines.js'
import { UsageError } from '../../runner/model/errors.js'
import type { Engine } from '../../runner/model/ports.js'
import { didYouMean } from '../../runner/model/suggest.js'
import { systemClock } from '../../runner/platform/clock.js'
import { Budgets } from '../../runner/request/budget.js'
import { Cursors } from '../../runner/request/pages/cursor.js'
import { Pages } from '../../runner/request/pages/pages.js'
import { Closers } from '../../runner/serve/closers.js'
import { optionsOf, soundDefinitions } from '../../runner/serve/engine.js'
import { loadManifests } from '../../runner/serve/manifests.js'
import { ServedEngine } from '../../runner/serve/served-engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { placeFailuresBelow } from '../call/place-failure.js'
import { contains } from '../check/path-filter.js'
import { coverageOf } from './coverage.js'
import { findEndpoint, manifestOf } from './files/find-endpoint.js'
import { type FoundTests, findTests, readTests } from './files/load.js'
import type { TestFile, TestTable } from './files/test-file.js'
import { type CaseDeps, type CaseResult, type PlannedCase, runCase } from './run-case.js'
import { type TemplateCoverage, templateCoverage } from './template-coverage.js'
import type { TestTarget } from './warehouse-tests.js'

export interface TestOptions {
  /** Runs only tests of this name. @default all */
  readonly name?: string | undefined
  /** @default false */
  readonly tracksCoverage?: boolean
  readonly signal: AbortSignal
}

export type TestRun = Awaited<ReturnType<typeof runTests>>

/** The tests that run at a time: as many as the engine has connections. */
const CONNECTIONS = 8

/**
 * Runs the tests that `paths` name, or all, on the engine of the settings. Reads no data folder.
 * @throws LoadError when table schemas have errors; UsageError where no test has the name asked for; SetupError.
 */
export async function runTests(settings: Settings, paths: readonly string[], options: TestOptions) {
  const clock = systemClock()
  const began = clock.ticksMs()
  const definitions = await soundDefinitions(settings)
  const testFiles = await findTests(paths, settings.endpointsDir)
  const fileReads = testFiles.files.map(file =>
    readTests(file, tableCatalogue(definitions.tables, optionsOf(settings).naming)),
  )
  const files = fileReads.flatMap(({ tests }) => tests ?? [])
  const tables = new Set(files.flatMap(({ cases }) => cases.flatMap(testCase => testCase.tables)))

  const closers = new Closers()
  try {
    const engine = closers.add(
      await openDuckdbEngine({
        ...optionsOf(settings),
        dataDir: null,
        database: null,
        tables: [...definitions.tables.map(definition => ({ definition, rows: [] })), ...[...tables].map(sourceOf)],
        functions: definitions.functions,
        connections: CONNECTIONS,
        observe: () => {},
        clock,
      }),
    )
    const { tracksCoverage = false, signal } = options
    const target = closers.add(await openTarget(settings, engine, signal))
    const templates = new Map<string, TemplateCoverage>()
    const compile: Engine['check'] = (sql, types) => target.compile(sql, types)
    const onCompiled = ({ endpoint: { id, parameters }, expanded }: CompiledManifest): void => {
      if (tracksCoverage) templates.set(id, templateCoverage(expanded, parameters))
    }
    const loaded = await loadManifests({ ...settings, engine: 'duckdb' }, engine, compile, { onCompiled })
    const plans = files.map(tests => ({ tests, ...findEndpoint(tests, loaded) }))
    const cases = plans.flatMap(({ tests, loadedEndpoint, diagnostics }) =>
      loadedEndpoint === null || diagnostics.some(({ severity }) => severity === 'error')
        ? []
        : tests.cases.map(test => ({ tests, test, loadedEndpoint })),
    )
    const casesToRun = cases.filter(({ test }) => options.name === undefined || test.name === options.name)
    if (options.name !== undefined && fileReads.every(({ tests }) => tests !== null)) requireTest(options.name, files)
    const placeFailure = placeFailuresBelow(settings.endpointsDir)
    const engineOf = ({ test, loadedEndpoint }: PlannedCase): Engine => {
      const view = target.viewOf(test)
      const served = new ServedEngine({ name: view.name, maxQueries: CONNECTIONS, placeFailure, onFailure: () => {} })
      served.serve(view, [loadedEndpoint])
      return served
    }
    const results = await runAll(casesToRun, engineOf, clock.nowMicros(), signal)
    const isSubject = subjectFilter(paths, testFiles, plans)
    const diagnostics = [
      ...testFiles.diagnostics,
      // A mistake in a partial or a function is always reported, since a manifest that the paths name may use it.
      ...loaded.diagnostics.filter(({ severity, file }) => severity === 'error' && (!isYaml(file) || isSubject(file))),
      ...fileReads.flatMap(result => result.diagnostics),
      ...plans.flatMap(plan => plan.diagnostics),
    ].sort(compareDiagnostics)
    const subjects = loaded.loadedEndpoints.filter(({ file }) => isSubject(file))
    return {
      results,
      /** The mistakes in manifests and test files. */
      diagnostics,
      /** The number of tests that could not run, since their manifest or file has mistakes. */
      skipped: plans.reduce((sum, { tests }) => sum + tests.cases.length, 0) - cases.length,
      /** Null if coverage was not asked for. */
      coverage: tracksCoverage ? coverageOf(subjects, templates, results) : null,
      durationMs: clock.ticksMs() - began,
    }
  } finally {
    await closers.close()
  }
}

/** @throws UsageError where no test has this name. */
function requireTest(name: string, files: readonly TestFile[]): void {
  const names = files.flatMap(({ cases }) => cases.map(test => test.name))
  if (!names.includes(name)) throw new UsageError([`no test has the name "${name}"${didYouMean(name, names).hint}`])
}

const isYaml = (file: string): boolean => file.endsWith('.yaml')

interface Plan {
  readonly tests: TestFile
  readonly loadedEndpoint: LoadedEndpoint | null
}

/** Returns a function that tells whether the paths are about a manifest. Without paths, all manifests count, tested or not. */
function subjectFilter(
  paths: readonly string[],
  { files }: FoundTests,
  plans: readonly Plan[],
): (file: string) => boolean {
  if (paths.length === 0) return () => true
  const tested = plans.flatMap(({ loadedEndpoint }) => (loadedEndpoint === null ? [] : [loadedEndpoint.file]))
  const subjects = [...paths, ...files.map(({ file }) => manifestOf(file)), ...tested]
  return file => subjects.some(subject => contains(subject, file))
}

/** A table of a test as the engine opens it. */
const sourceOf = ({ definition, rows, file }: TestTable): TableSource =>
  file === null ? { definition, rows: rows ?? [] } : { definition, files: [resolve(file)] }

async function runAll(
  cases: readonly PlannedCase[],
  engineOf: (planned: PlannedCase) => Engine,
  nowMicros: bigint,
  signal: AbortSignal,
): Promise<readonly CaseResult[]> {
  const closers = new Closers()
  const sharedDeps = testDeps(closers)
  const results: CaseResult[] = []
  const queue = cases.entries()
  const work = async (): Promise<void> => {
    for (const [index, planned] of queue) {
      if (signal.aborted) return
      results[index] = await runCase(planned, { ...sharedDeps, engine: engineOf(planned) }, nowMicros, signal)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    return results
  } finally {
    await closers.close()
  }
}

async function openTarget(settings: Settings, engine: DuckdbEngine, signal: AbortSignal): Promise<TestTarget> {
  if (ENGINES[settings.engine].isLocal) return embeddedTarget(engine)
  // Loaded here: tests on the embedded engine have no use for Google's client.
  const { openWarehouseTarget } = await import('./warehouse-tests.js')
  return openWarehouseTarget(settings, engine, signal)
}

/** Tests with the same tables share translations. */
function embeddedTarget(engine: DuckdbEngine): TestTarget {
  const views = new Map<string, Engine>()
  return {
    compile: (sql, types) => engine.compile(sql, types),
    viewOf({ tables }) {
      const testTables = new Map(tables.map(({ standsFor, definition }) => [standsFor, definition]))
      const key = JSON.stringify(tables.map(({ definition }) => definition.name))
      return memo(views, key, () => engine.withTables(testTables))
    },
    close: async () => {},
  }
}

/** What calls in tests need besides an engine. Nothing is cached or limited. */
function testDeps(closers: Closers): Omit<CaseDeps, 'engine'> {
  const clock = systemClock()
  const observe = (): void => {}
  const store = closers.add(new MemoryStore({ maxBytes: 0 }))
  const results = closers.add(new ResultCache({ store, clock, observe, random: Math.random }))
  return {
    clock,
    observe,
    results,
    pages: new Pages(results, new Cursors(() => '')),
    budgets: new Budgets({ counters: closers.add(new MemoryCounters()), clock, observe, maxBytesBilled: null }),
    tokens: { find: () => null },
    codings: [],
    caller: unrestrictedCaller('test'),
  }
}
