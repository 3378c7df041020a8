/** What the manifests of the settings are, errors included. */

import { type Loaded, type LoadOptions, loadEndpoints } from '../manifest/load.js'
import type { Engine } from '../model/ports.js'
import { systemClock } from '../process/clock.js'
import type { Settings } from '../settings/settings.js'
import { openServingEngine, type ServingEngine } from './engine.js'

/** What else a result depends on: the same SQL means other data elsewhere. */
function engineIdentity(settings: Settings): string {
  const { engine, project, location, defaultDataset, emulatorHost } = settings
  return JSON.stringify(engine === 'duckdb' ? [engine] : [engine, project, location, defaultDataset, emulatorHost])
}

/** What the manifests of the settings are, errors included. */
export function loadManifests(
  settings: Settings,
  engine: ServingEngine,
  checkSql: Engine['check'],
  only: readonly string[] = [],
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  return loadEndpoints({
    dir: settings.endpointsDir,
    schemaTextHash: engineIdentity(settings),
    knowsDataChanges: engine.dataState !== undefined,
    tables: engine.tables(),
    checkSql,
    ...more,
    ...(only.length > 0 && { only }),
  })
}

export interface CheckLimits {
  /** A query that BigQuery would read more bytes for is a mistake; null for no limit. @default null */
  readonly maxBytes?: number | null
}

/**
 * Checks every manifest with every variant of its query on the engine; nothing stays open. `only` keeps what is found in
 * these files and folders; none keeps all.
 * @throws LoadError when table schemas hold errors, for then every query would; SetupError.
 */
export async function checkManifests(
  settings: Settings,
  only: readonly string[],
  limits: CheckLimits = {},
): Promise<Loaded> {
  const clock = systemClock()
  const engine = await openServingEngine(settings, { observe: () => {}, clock })
  // What a warehouse would read of a partitioned table depends on the time.
  const now = new Date(clock.nowMs()).toISOString()
  try {
    return await loadManifests(
      settings,
      engine,
      (sql, types, values) => engine.check(sql, types, { ...values, now }),
      only,
      limits,
    )
  } finally {
    await engine.close()
  }
}
