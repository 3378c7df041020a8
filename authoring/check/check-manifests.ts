/** Checks manifests as `sluice validate` does. */

import { withCauses } from '../../runner/manifest/definitions.js'
import type { CompiledManifest, Loaded } from '../../runner/manifest/load.js'
import { compareDiagnostics, type Diagnostic } from '../../runner/model/diagnostic.js'
import { ENGINES } from '../../runner/model/engines.js'
import { systemClock } from '../../runner/platform/clock.js'
import { openServingEngineOver, readDefinitions } from '../../runner/serve/engine.js'
import { loadManifests } from '../../runner/serve/manifests.js'
import type { Settings } from '../../runner/settings/settings.js'
import { unfitTables, unreadableColumns, unreadFileWarnings } from '../data/local-tables.js'
import { testMistakes, withManifests } from '../test/test-mistakes.js'
import { constantsChecker } from './constants.js'
import { checkExample } from './example.js'
import { narrowingHints } from './hints.js'
import { limitTo } from './only.js'
import { refreshHints } from './refresh.js'

export interface CheckLimits {
  /** The most bytes that BigQuery may read for a query; more is an error. Null for no limit. @default null */
  readonly maxBytes?: number | null
  /** Whether hints are reported too. @default false */
  readonly hasHints?: boolean
  /** Whether hints say what a refresh keeps. @default false */
  readonly explainsRefresh?: boolean
}

/**
 * Checks every manifest, every variant of its query on the engine, table schemas and test files, and closes what it opened.
 * `only` limits the result to these files and folders; an empty list means all. Mistakes in table schemas and
 * functions are always reported, and what they cause in manifests is not. @throws SetupError.
 */
export async function checkManifests(
  settings: Settings,
  only: readonly string[],
  { maxBytes = null, hasHints = false, explainsRefresh = false }: CheckLimits = {},
): Promise<Loaded> {
  const clock = systemClock()
  const definitions = await readDefinitions(settings)
  const engine = await openServingEngineOver(definitions, settings, { observe: () => {}, clock })
  // The bytes that a warehouse would read from a partitioned table depend on the time.
  const now = new Date(clock.nowMs()).toISOString()
  const check = ENGINES[settings.engine].isLocal ? constantsChecker(engine) : engine.check.bind(engine)
  try {
    const { isWanted, mistakes: ofPaths } = await limitTo(settings.endpointsDir, withManifests(only))
    const hints: Diagnostic[] = []
    const onCompiled = (compiled: CompiledManifest): void => {
      if (!isWanted(compiled.source.file)) return
      if (hasHints) hints.push(...narrowingHints(compiled))
      if (explainsRefresh) hints.push(...refreshHints(compiled, engine))
    }
    const loaded = await loadManifests(
      settings,
      engine,
      (sql, types, values) => check(sql, types, { ...values, now }),
      { maxBytes, checkExample, isWanted, onCompiled },
    )
    const mistakes = await testMistakes(settings.endpointsDir, only, engine.tables(), loaded)
    const diagnostics = [...loaded.diagnostics, ...hints.sort(compareDiagnostics), ...ofPaths, ...mistakes]
    if (ENGINES[settings.engine].isLocal) {
      diagnostics.push(...unreadableColumns(settings, engine.tables()))
      if (settings.database === null) diagnostics.push(...unreadFileWarnings(settings, engine.tables()))
      diagnostics.push(...(await unfitTables(settings, definitions.tables, engine)))
    }
    return withCauses({ ...loaded, diagnostics }, definitions.mistakes)
  } finally {
    await engine.close()
  }
}
