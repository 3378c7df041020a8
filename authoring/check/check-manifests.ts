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
import { closing } from '../terminal/closing.js'
import { testMistakes, withManifests } from '../test/test-mistakes.js'
import { constantsChecker } from './constants.js'
import { checkExample } from './example.js'
import { narrowingHints } from './hints.js'
import { filterPaths } from './path-filter.js'
import { refreshHints } from './refresh.js'

export interface CheckOptions {
  /** The most bytes that BigQuery may read for a query; more is an error. Null for no limit. @default null */
  readonly maxBytes?: number | null
  /** Whether hints are reported too. @default false */
  readonly showsHints?: boolean
  /** Whether hints say what a refresh keeps. @default false */
  readonly explainsRefresh?: boolean
}

/**
 * Checks manifests, every variant of their queries on the engine, table schemas and test files. `only` limits the result to
 * these files and folders; an empty list means all. Mistakes in table schemas and functions are always reported, but not the
 * mistakes that they cause in manifests. @throws SetupError.
 */
export async function checkManifests(
  settings: Settings,
  only: readonly string[],
  { maxBytes = null, showsHints = false, explainsRefresh = false }: CheckOptions = {},
): Promise<Loaded> {
  const clock = systemClock()
  const definitions = await readDefinitions(settings)
  const opened = await openServingEngineOver(definitions, settings, { observe: () => {}, clock })
  // The bytes that a warehouse would read from a partitioned table depend on the time.
  const now = new Date(clock.nowMs()).toISOString()
  const { isLocal } = ENGINES[settings.engine]
  return closing(opened, async engine => {
    const check = isLocal ? constantsChecker(engine) : engine.check.bind(engine)
    const { isWanted, mistakes: pathMistakes } = await filterPaths(settings.endpointsDir, withManifests(only))
    const hints: Diagnostic[] = []
    const onCompiled = (compiled: CompiledManifest): void => {
      if (!isWanted(compiled.source.file)) return
      if (showsHints) hints.push(...narrowingHints(compiled))
      if (explainsRefresh) hints.push(...refreshHints(compiled, engine))
    }
    const loaded = await loadManifests(
      settings,
      engine,
      (sql, types, values) => check(sql, types, { ...values, now }),
      { maxBytes, checkExample, isWanted, onCompiled },
    )
    const diagnostics = [
      ...loaded.diagnostics,
      ...hints.sort(compareDiagnostics),
      ...pathMistakes,
      ...(await testMistakes(settings.endpointsDir, only, engine.tables(), loaded)),
      ...(isLocal ? unreadableColumns(settings, engine.tables()) : []),
      ...(isLocal && settings.database === null ? unreadFileWarnings(settings, engine.tables()) : []),
      ...(isLocal ? await unfitTables(settings, definitions.tables, engine) : []),
    ]
    return withCauses({ ...loaded, diagnostics }, definitions.mistakes)
  })
}
