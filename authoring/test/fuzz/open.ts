/** Calls an endpoint as strangers would, on the embedded engine, and finds what fails. */
import { existsSync, readFileSync } from 'node:fs'
import { type FunctionSources, type TableCatalogue, tableCatalogue } from '../../../googlesql/index.js'
import type { LoadedEndpoint } from '../../../runner/manifest/load.js'
import type { Diagnostic } from '../../../runner/model/diagnostic.js'
import { RunnerError } from '../../../runner/model/errors.js'
import type { Engine } from '../../../runner/model/ports.js'
import { systemClock } from '../../../runner/platform/clock.js'
import { indexEndpoints } from '../../../runner/request/route.js'
import { type Closers, createClosers } from '../../../runner/serve/closers.js'
import { refuseErrors } from '../../../runner/serve/endpoint-registry.js'
import { openServingEngine, requireData, soundDefinitions } from '../../../runner/serve/engine.js'
import { loadManifests } from '../../../runner/serve/manifests.js'
import { placeFailures } from '../../../runner/serve/place-failures.js'
import type { Settings } from '../../../runner/settings/settings.js'
import { readTests, testsOf } from '../files/load.js'
import type { TestArguments, TestCase } from '../files/test-file.js'
import { AT_ONCE, openTestEngine, sourceOf, testDeps, viewOf } from '../open-tests.js'
import { answerOf } from '../run-case.js'
import { causeOf, type Finding, faultOf } from './findings.js'
import { planFuzzCalls, usualArguments } from './plan-calls.js'

export interface FuzzOptions {
  readonly seed: number
  /** The calls to make; all boundaries are tried in any case. */
  readonly count: number
  /** The time of all calls, in microseconds since 1970; null for that of the tests, or else the real time. */
  readonly nowMicros: bigint | null
  readonly signal: AbortSignal
}

export interface FuzzRun {
  readonly endpoint: LoadedEndpoint['endpoint']
  readonly findings: readonly Finding[]
  readonly calls: number
  /** The test file whose tables the calls read; null for the data folder. */
  readonly testFile: string | null
  readonly nowMicros: bigint
}

export interface UnknownEndpoint {
  readonly names: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Fuzzes the endpoint of this name or id over the tables of the tests beside its manifest; over the data folder where it has no
 * tests.
 * @throws LoadError when table schemas, or the endpoint's tests, have errors; SetupError.
 */
export async function fuzzEndpoint(
  given: Settings,
  ref: string,
  options: FuzzOptions,
): Promise<FuzzRun | UnknownEndpoint> {
  const settings: Settings = { ...given, engine: 'duckdb' }
  const opened = createClosers()
  try {
    const definitions = await soundDefinitions(settings)
    const empty = definitions.tables.map(definition => ({ definition, rows: [] }))
    const checker = opened.add(await openTestEngine(settings, empty, definitions.functions))
    const loaded = await loadManifests(settings, checker, checker.compile, [], { checksImplied: false })
    const endpoints = indexEndpoints(loaded.details.map(one => one.endpoint))
    const endpoint = endpoints.find(ref)
    const detail = loaded.details.find(one => one.endpoint === endpoint)
    if (!detail) return { names: endpoints.all.map(({ name }) => name), diagnostics: loaded.diagnostics }
    const test = testWithTables(detail, tableCatalogue(definitions.tables, settings))
    const engine =
      test === null
        ? await openOverData(settings, opened)
        : await openOverTest(settings, empty, definitions.functions, test, opened)
    const nowMicros = options.nowMicros ?? test?.nowMicros ?? systemClock().nowMicros()
    const { caller, ...deps } = testDeps(opened)
    const index = indexEndpoints([detail.endpoint])
    const placing = placeFailures(engine, { dir: settings.endpointsDir, details: () => [detail] })
    const call: Call = async args => {
      const requestDeps = { ...deps, engine: placing, endpoints: () => index }
      const answer = await answerOf(detail.endpoint, args, nowMicros, caller, requestDeps, options.signal)
      return faultOf(answer, detail.endpoint)
    }
    const calls = planFuzzCalls(detail, options.seed, options.count)
    const faults = await callAll(calls, call, options.signal)
    const findings: Finding[] = []
    for (const group of groupFaults(calls, faults)) {
      const confirmed = await confirm(group, call)
      if (confirmed !== null) findings.push(await reduceFinding(confirmed, usualArguments(detail), call))
    }
    return {
      endpoint: detail.endpoint,
      findings,
      calls: calls.length,
      testFile: test && testsOf(detail.file),
      nowMicros,
    }
  } finally {
    await opened.close()
  }
}

/** Makes a call. Resolves to what is wrong with its answer, or to null. */
type Call = (args: TestArguments) => Promise<string | null>

/** The test beside the manifest that has the most tables; null where there is no test, or none has tables. */
function testWithTables(detail: LoadedEndpoint, tables: TableCatalogue): TestCase | null {
  const file = testsOf(detail.file)
  if (!existsSync(file)) return null
  const { tests, diagnostics } = readTests({ file, text: readFileSync(file, 'utf8') }, tables)
  refuseErrors(diagnostics)
  const [first] = [...(tests?.cases ?? [])].sort((a, b) => b.tables.length - a.tables.length)
  return first !== undefined && first.tables.length > 0 ? first : null
}

async function openOverData(settings: Settings, opened: Closers): Promise<Engine> {
  requireData(settings)
  return opened.add(await openServingEngine(settings, { observe: () => {}, clock: systemClock() }))
}

async function openOverTest(
  settings: Settings,
  empty: Parameters<typeof openTestEngine>[1],
  functions: FunctionSources,
  test: TestCase,
  opened: Closers,
): Promise<Engine> {
  const engine = opened.add(await openTestEngine(settings, [...empty, ...test.tables.map(sourceOf)], functions))
  return viewOf(engine, test, new Map())
}

/** The faults of these calls, in their order. */
async function callAll(
  calls: readonly TestArguments[],
  call: Call,
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  const faults: (string | null)[] = []
  let next = 0
  const callOn = async (): Promise<void> => {
    while (next < calls.length && !signal.aborted) {
      const index = next++
      faults[index] = await call(calls[index]!)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, callOn))
  if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
  return faults
}

/** The failed calls of each cause, in their order. */
function groupFaults(
  calls: readonly TestArguments[],
  faults: readonly (string | null)[],
): readonly (readonly Finding[])[] {
  const groups = new Map<string, Finding[]>()
  for (const [i, what] of faults.entries()) {
    if (what === null) continue
    const cause = causeOf(what)
    groups.set(cause, [...(groups.get(cause) ?? []), { what, arguments: calls[i]! }])
  }
  return [...groups.values()]
}

/** The most calls of a cause that are repeated. */
const MAX_REPEATED = 10

/** The first of these that fails again where it runs alone: a time-out may be the fault of the calls beside it. */
async function confirm(group: readonly Finding[], call: Call): Promise<Finding | null> {
  for (const found of group.slice(0, MAX_REPEATED)) {
    const what = await call(found.arguments)
    // The message of a call that fails beside others may lack the place.
    if (what !== null && causeOf(what) === causeOf(found.what)) return { ...found, what }
  }
  return null
}

/** Simplifies the arguments as far as the fault stays the same: each gets its usual value, or is left out where it has none. */
async function reduceFinding(found: Finding, usual: TestArguments, call: Call): Promise<Finding> {
  const cause = causeOf(found.what)
  let best = found
  for (const name of Object.keys(found.arguments)) {
    const { [name]: _, ...others } = best.arguments
    const simpler = Object.hasOwn(usual, name) ? { ...best.arguments, [name]: usual[name]! } : others
    if (JSON.stringify(simpler) === JSON.stringify(best.arguments)) continue
    const fault = await call(simpler)
    if (fault !== null && causeOf(fault) === cause) best = { ...found, what: fault, arguments: simpler }
  }
  return best
}
