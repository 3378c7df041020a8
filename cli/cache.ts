/** `sluice cache purge`: purges the results of one endpoint, of all that read a table or a partition of it, or of all endpoints. */

import { EXIT, type Io } from '../authoring/terminal/io.js'
import { listNames, plural } from '../authoring/terminal/plural.js'
import { askServer, serverBase } from '../authoring/terminal/server.js'
import { discover } from '../runner/manifest/discover.js'
import { parseManifest } from '../runner/manifest/yaml/parse.js'
import { SetupError, UsageError } from '../runner/model/errors.js'
import { isRecord } from '../runner/model/is-record.js'
import { keyPrefix } from '../runner/model/result-key.js'
import { isUuid } from '../runner/model/typed-value.js'
import { systemClock } from '../runner/platform/clock.js'
import { redisModules } from '../runner/serve/stores.js'
import type { Settings } from '../runner/settings/settings.js'

/** The most endpoints that a line names. */
const MAX_NAMED = 20

/** The results to purge: those of an endpoint, of all endpoints that read a table, or of all endpoints. */
interface PurgeTarget {
  readonly name: string | undefined
  readonly table: string | undefined
  readonly partition: string | undefined
}

/**
 * Purges stored results: over HTTP where `url` is given, otherwise in the Redis that the replicas share. Prints what was purged;
 * over HTTP, "all" means the endpoints that the token may call.
 * @throws UsageError when neither a URL nor a Redis is given; SetupError when not all results were purged.
 */
export async function purgeCache(
  { name, table, partition }: PurgeTarget,
  url: string | undefined,
  settings: Settings,
  io: Io,
): Promise<number> {
  if (table !== undefined && (name !== undefined || url === undefined)) {
    throw new UsageError(['--table needs --url, and no name of an endpoint'])
  }
  if (partition !== undefined && table === undefined) throw new UsageError(['--partition needs --table'])
  if (url !== undefined) {
    const base = serverBase(url)
    if (settings.token === null) throw new UsageError(['SLUICE_TOKEN must hold a token that may purge'])
    if (table !== undefined) return purgeReaders(base, settings.token, { table, partition }, io)
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
  for (const name of names) {
    try {
      await askServer(base, token, 'POST', `/api/endpoints/${encodeURIComponent(name)}/purge`)
    } catch (thrown) {
      if (purged.length > 0) io.printError(`sluice: purged only ${listNames(purged, MAX_NAMED)}\n`)
      throw thrown
    }
    purged.push(name)
  }
  // The server lists only endpoints that the token may call, so more may exist.
  const all = names.length === 1 ? 'the one endpoint' : `the ${names.length} endpoints`
  io.print(
    name === undefined ? `purged ${all} that the token may call: ${listNames(names, MAX_NAMED)}\n` : `purged ${name}\n`,
  )
  return EXIT.clean
}

async function purgeReaders(
  base: string,
  token: string,
  { table, partition }: { readonly table: string; readonly partition: string | undefined },
  io: Io,
): Promise<number> {
  const query = partition === undefined ? '' : `?partition=${encodeURIComponent(partition)}`
  const answer = await askServer(base, token, 'POST', `/api/tables/${encodeURIComponent(table)}/purge${query}`)
  const { purged, refused = [] } = answer as {
    readonly purged: readonly string[]
    readonly refused?: readonly string[]
  }
  if (purged.length > 0) {
    io.print(`purged ${plural(purged.length, 'endpoint')}: ${listNames(purged, MAX_NAMED)}\n`)
    if (refused.length === 0) return EXIT.clean
    const why = 'because the purge would reach results of other callers'
    io.printError(`sluice: not ${plural(refused.length, 'endpoint')}, ${why}: ${listNames(refused, MAX_NAMED)}\n`)
    return EXIT.problems
  }
  io.printError(`sluice: nothing was purged: no endpoint that the token may call reads ${table}\n`)
  return EXIT.problems
}

/** The names of the endpoints that the token may call. */
async function endpointNames(base: string, token: string): Promise<readonly string[]> {
  const answer = await askServer(base, token, 'GET', '/api/endpoints')
  return (answer as { endpoints: readonly { name: string }[] }).endpoints.map(({ name }) => name)
}

/** The timeout of Redis commands in milliseconds: only the command line waits for them. */
const COMMAND_TIMEOUT_MS = 5_000

/**
 * Purges the results of one endpoint, by name or id, or of all endpoints: from Redis and from the memory of every replica.
 * @throws UsageError when no manifest has this name; SetupError when Redis cannot be reached or the purge fails.
 */
async function purgeShared(settings: Settings, ref: string | null): Promise<void> {
  const { redisUrl, redisPrefix, redisKey } = settings
  if (redisUrl === null) throw new UsageError(['REDIS_URL names no Redis'])
  const prefix = ref === null ? '' : keyPrefix(await findEndpointId(settings.endpointsDir, ref))
  const clock = systemClock()
  const { RedisLink, RedisStore } = await redisModules()
  const link = new RedisLink({ url: redisUrl, clock, random: Math.random, commandMs: COMMAND_TIMEOUT_MS })
  try {
    const store = new RedisStore({ link, prefix: redisPrefix, clock, key: redisKey, onTrouble: () => {} })
    await link.open()
    await store.purge(prefix)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause
    throw new SetupError(`nothing, or not all, was purged: ${reason}`, { cause })
  } finally {
    await link.close()
  }
}

/** The id in lower case. @throws UsageError when no readable manifest below the folder has the name. */
async function findEndpointId(endpointsDir: string, ref: string): Promise<string> {
  if (isUuid(ref)) return ref.toLowerCase()
  const { manifests } = await discover(endpointsDir)
  for (const { file, text } of manifests) {
    const { value } = parseManifest(file, text)
    const { name, id } = isRecord(value) ? value : {}
    if (name === ref && typeof id === 'string') return id.toLowerCase()
  }
  throw new UsageError([`no manifest in ${endpointsDir} has the name "${ref}"`])
}
