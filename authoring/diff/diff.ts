/** `sluice diff`: what changed between two revisions or folders of endpoints, and whether callers break. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoadError, SetupError } from '../../runner/model/errors.js'
import { fileReason } from '../../runner/platform/write-failure.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { reportDiagnostics } from '../terminal/report.js'
import type { Change } from './change-rules.js'
import { diffEndpoints } from './endpoints.js'
import { Git } from './git.js'
import { markdownText } from './markdown.js'
import { loadSide } from './read-sides.js'
import { type Comparison, isBreaking, jsonText, plainText } from './report.js'
import { findSide, type SideFolders, workingTree } from './sides.js'

export interface DiffFlags {
  readonly format: 'text' | 'markdown' | 'json'
  readonly allowBreaking?: boolean
  /** The folders that the command line names, for both sides. */
  readonly tables?: string
  readonly functionsDir?: string
}

/** @throws UsageError for an unknown revision; SetupError. */
export async function diffRevisions(
  base: string,
  head: string | undefined,
  settings: Settings,
  { format, allowBreaking = false, tables, functionsDir }: DiffFlags,
  io: Io,
): Promise<number> {
  const shared = { tables: tables !== undefined, functions: functionsDir !== undefined }
  const folder = temporaryFolder()
  const git = new Git(io.environment, join(folder, 'index'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  io.onExit(remove)
  try {
    const find = (word: string, side: string): SideFolders =>
      findSide(word, settings, { git, temporary: join(folder, side), shared })
    const before = find(base, 'base')
    const after = head === undefined ? workingTree(settings) : find(head, 'head')
    const [old, current] = await Promise.all([load(before, settings), load(after, settings)])
    const comparison: Comparison = {
      base: before.title,
      head: after.title,
      changes: changesOf(old, current, settings),
      diagnostics: [...old.diagnostics, ...current.diagnostics],
    }
    report(comparison, format, io)
    if ((!allowBreaking && isBreaking(comparison)) || current.diagnostics.length > 0) return EXIT.problems
    return old.diagnostics.length > 0 ? EXIT.failed : EXIT.clean
  } finally {
    remove()
  }
}

function report(comparison: Comparison, format: DiffFlags['format'], io: Io): void {
  if (format === 'json') io.print(jsonText(comparison))
  else {
    reportDiagnostics(comparison.diagnostics, 'text', io)
    io.print(format === 'markdown' ? markdownText(comparison) : plainText(comparison))
  }
}

const changesOf = (base: LoadedSide, head: LoadedSide, { pricePerTib }: Settings): readonly Change[] =>
  base.side === null || head.side === null ? [] : diffEndpoints(base.side, head.side, pricePerTib)

type LoadedSide = Awaited<ReturnType<typeof load>>

/** `side` is null where table schemas have errors: nothing can be compared. */
async function load({ folders, localize }: SideFolders, settings: Settings) {
  try {
    const side = await loadSide({ ...settings, ...folders })
    return { side, diagnostics: side.diagnostics.map(localize) }
  } catch (thrown) {
    if (!(thrown instanceof LoadError)) throw thrown
    return { side: null, diagnostics: thrown.diagnostics.map(localize) }
  }
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'sluice-diff-'))
  } catch (cause) {
    throw new SetupError(`cannot write to ${tmpdir()}: ${fileReason(cause)}`, { cause })
  }
}
