/** What `sluice mcp` serves: the endpoints and tables of this machine, to a caller without a token. */
import { unrestrictedCaller } from '../../runner/auth/tokens.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import type { Observer } from '../../runner/model/events.js'
import { NO_TOKENS, openRunner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { placeFailuresBelow } from '../call/place-failure.js'
import { tableResource } from '../data/table-resource.js'

/** Manifests and table schemas are read again when they change. The caller closes it. @throws LoadError, SetupError. */
export async function openAgentDeps(given: Settings, observe: Observer) {
  // Without the servers' shared store and tokens, so that a mistake in those stops no author.
  const settings: Settings = { ...given, engine: 'duckdb', watch: true, redisUrl: null }
  const options = { observe, placeFailure: placeFailuresBelow(settings.endpointsDir) }
  const { runner, deps, tables } = await openRunner(settings, options, NO_TOKENS)
  return {
    caller: unrestrictedCaller('stdio'),
    deps,
    engine: deps.engine,
    tables: {
      catalogue: tables,
      async resources() {
        const loaded = await loadTableSchemas(settings.tablesDir)
        return new Map(loaded.tables.map(({ name, declared }) => [name, tableResource(declared)]))
      },
    },
    maxBytes: settings.mcpMaxBytes,
    close: runner.close,
  }
}
