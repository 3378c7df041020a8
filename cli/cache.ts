/** `sluice cache purge [NAME]`. */

import { EXIT, type Io } from '../authoring/terminal/io.js'
import { listed } from '../authoring/terminal/plural.js'
import { askServer, serverBase } from '../authoring/terminal/server.js'
import { UsageError } from '../runner/model/errors.js'
import { purgeShared } from '../runner/serve/stores.js'
import { readSettings } from '../runner/settings/settings.js'

/** The most endpoints that a line names. */
const MAX_NAMED = 20

/**
 * Purges the stored results of one endpoint, or of all when `name` is undefined: over HTTP where `url` is given, else in the
 * Redis that the replicas share. Prints what was purged; over HTTP, "all" means the endpoints that the token may call.
 * @throws UsageError when neither is known; SetupError when it did not happen everywhere.
 */
export async function purgeCache(
  name: string | undefined,
  url: string | undefined,
  flags: Readonly<Record<string, string | undefined>>,
  io: Io,
): Promise<number> {
  const settings = readSettings(flags, io.environment)
  if (url !== undefined) {
    const base = serverBase(url)
    if (settings.token === null) throw new UsageError(['SLUICE_TOKEN must hold a token that may purge'])
    return purgeOverHttp(base, settings.token, name, io)
  }
  if (settings.redisUrl === null) {
    throw new UsageError(['name a server with --url http://host:port, or a shared store with REDIS_URL'])
  }
  await purgeShared(settings, name ?? null)
  io.print(`purged ${name ?? 'all endpoints'}\n`)
  return EXIT.clean
}

async function purgeOverHttp(base: string, token: string, name: string | undefined, io: Io): Promise<number> {
  const names = name === undefined ? await endpointNames(base, token) : [name]
  if (names.length === 0) {
    io.printError('sluice: nothing was purged: the token may call no endpoint\n')
    return EXIT.problems
  }
  const purged: string[] = []
  for (const one of names) {
    try {
      await askServer(base, token, 'POST', `/api/endpoints/${encodeURIComponent(one)}/purge`)
    } catch (thrown) {
      if (purged.length > 0) io.printError(`sluice: purged only ${listed(purged, MAX_NAMED)}\n`)
      throw thrown
    }
    purged.push(one)
  }
  // The server lists only endpoints that the token may call, so more may exist.
  const what = names.length === 1 ? 'the one endpoint' : `the ${names.length} endpoints`
  io.print(
    name === undefined ? `purged ${what} that the token may call: ${listed(names, MAX_NAMED)}\n` : `purged ${name}\n`,
  )
  return EXIT.clean
}

/** The names of the endpoints that the token may call. */
async function endpointNames(base: string, token: string): Promise<readonly string[]> {
  const { endpoints } = (await askServer(base, token, 'GET', '/api/endpoints')) as {
    endpoints: readonly { name: string }[]
  }
  return endpoints.map(({ name }) => name)
}
