/** Loads endpoints with their contracts, for commands such as `client` that generate files from them. */
import { hashDefinitions } from '../../runner/manifest/definitions.js'
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import { systemClock } from '../../runner/platform/clock.js'
import { refuseErrors } from '../../runner/serve/endpoint-registry.js'
import { openServingEngineOver, soundDefinitions } from '../../runner/serve/engine.js'
import { loadManifests } from '../../runner/serve/manifests.js'
import type { Settings } from '../../runner/settings/settings.js'
import { closing } from '../terminal/closing.js'

/**
 * The endpoints of the settings: nothing is run, and test files and examples are not read.
 * @throws LoadError when a manifest has errors; SetupError.
 */
export async function loadAllEndpoints(settings: Settings): Promise<readonly LoadedEndpoint[]> {
  const definitions = await soundDefinitions(settings)
  const opened = await openServingEngineOver(definitions, settings, { observe: () => {}, clock: systemClock() })
  return closing(opened, async engine => {
    const loaded = await loadManifests(settings, engine, (sql, types) => engine.compile(sql, types), {
      definitions: hashDefinitions(definitions),
    })
    refuseErrors(loaded.diagnostics)
    return loaded.loadedEndpoints
  })
}
