/** Loads the endpoints for what is written from their contracts. */
import type { LoadedEndpoint } from '../manifest/load.js'
import { systemClock } from '../process/clock.js'
import { refuseErrors } from '../serving/endpoint-registry.js'
import type { Settings } from '../settings/settings.js'
import { openServingEngine } from './engine.js'
import { loadManifests } from './manifests.js'

/**
 * The endpoints of the settings: nothing is run, and test files and examples are not read.
 * @throws LoadError when a manifest has errors; SetupError.
 */
export async function loadContracts(settings: Settings): Promise<readonly LoadedEndpoint[]> {
  const engine = await openServingEngine(settings, { observe: () => {}, clock: systemClock() })
  try {
    const loaded = await loadManifests(settings, engine, engine.compile, [], { checksImplied: false })
    refuseErrors(loaded.diagnostics)
    return loaded.details
  } finally {
    await engine.close()
  }
}
