/** `sluice test`: runs the tests beside manifests, on the embedded engine unless a flag says BigQuery. */
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type SourceFolders, statesOf } from '../../runner/manifest/watch/source-state.js'
import { LoadError, RunnerError, UsageError } from '../../runner/model/errors.js'
import { readSettings } from '../../runner/settings/settings.js'
import { writeText } from '../terminal/files.js'
import type { Flags } from '../terminal/flags.js'
import { EXIT, type Io } from '../terminal/io.js'
import { reportDiagnostics } from '../terminal/report.js'
import { isBelowMinimum, isFailed, type Report } from './case-report.js'
import { reporterOf, type TestFormat } from './print-report.js'
import type { CaseResult } from './run-case.js'
import { runTests } from './run-tests.js'
import { updatesFor } from './update-expectations.js'

export interface TestFlags {
  readonly format: TestFormat
  readonly name?: string
  readonly watch?: boolean
  readonly update?: boolean
  readonly coverage?: boolean
  readonly minCoverage?: string
}

/** @param settingFlags the flags that are settings, which the command that repeats a test needs too */
export async function testEndpoints(
  paths: readonly string[],
  settingFlags: Flags,
  { format, name, watch, update, coverage, minCoverage }: TestFlags,
  io: Io,
): Promise<number> {
  const minimum = minCoverage === undefined ? null : readMinimum(minCoverage)
  const settings = readSettings({ ...settingFlags, engine: settingFlags['engine'] ?? 'duckdb' }, io.environment)
  const tracksCoverage = coverage === true || minimum !== null
  const signal = io.interruption()
  const runOnce = async (): Promise<number> => {
    const run = await runTests(settings, paths, { name, tracksCoverage, signal })
    if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
    const { results, updated } = update ? writeUpdates(run.results) : { results: run.results, updated: [] }
    const report: Report = { ...run, results, updated, minimum, flags: settingFlags }
    reporterOf[format](report, io)
    return isClean(report) ? EXIT.clean : EXIT.problems
  }
  return watch ? await runOnChange(() => testFilesState(settings, paths), runOnce, signal, io) : await runOnce()
}

/** The pause between two looks at the files, in milliseconds. */
const POLL_MS = 300

/** Runs now, and again after each change of the files, until the process is asked to end. */
async function runOnChange(
  readState: () => Promise<string>,
  runOnce: () => Promise<number>,
  signal: AbortSignal,
  io: Io,
): Promise<number> {
  let lastState: string | null = null
  while (!signal.aborted) {
    const current = await readState()
    if (current !== lastState) {
      lastState = current
      await runOnce().catch((thrown: unknown) => {
        if (signal.aborted) return
        // A table schema with mistakes: the next change may correct it.
        if (!(thrown instanceof LoadError)) throw thrown
        reportDiagnostics(thrown.diagnostics, 'text', io)
      })
    }
    await setTimeout(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
  return EXIT.clean
}

/**
 * A fingerprint of manifests, partials, test files, fixtures, table schemas and functions: it changes with every file below the
 * folders of the settings and of the named paths. Never rejects: a file that cannot be read has a state of its own.
 */
async function testFilesState(
  { endpointsDir, tablesDir, functionsDir }: SourceFolders,
  paths: readonly string[],
): Promise<string> {
  const folders = new Set([
    endpointsDir,
    tablesDir,
    functionsDir,
    ...paths.map(path => (path.endsWith('.yaml') ? dirname(path) : path)),
  ])
  const states: string[] = []
  for (const folder of folders) states.push(...(await statesOf(folder, () => true)))
  return states.join('')
}

function isClean(report: Report): boolean {
  const { results, diagnostics, skipped } = report
  const isSound = diagnostics.every(({ severity }) => severity !== 'error')
  return isSound && !isBelowMinimum(report) && skipped === 0 && !results.some(isFailed)
}

/** Corrects expectations that do not hold, in their files. The returned results have the failures that cannot be corrected. */
function writeUpdates(results: readonly CaseResult[]): Pick<Report, 'results' | 'updated'> {
  const { files, results: remaining } = updatesFor(results)
  for (const { file, text } of files) writeText(file, text)
  return { results: remaining, updated: files.map(({ file }) => file) }
}

function readMinimum(text: string): number {
  const percent = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || percent > 100) {
    throw new UsageError([`--min-coverage must be a number from 0 to 100, found ${JSON.stringify(text)}`])
  }
  return percent
}
