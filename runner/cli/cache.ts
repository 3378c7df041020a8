/** `sluice cache purge [NAME]`. */
import { purgeShared } from '../compose.js'
import { SetupError, UsageError } from '../model/errors.js'
import { readSettings } from '../settings.js'
import { EXIT, type Io } from './io.js'

/** A server that has not answered by then has hung. */
const ANSWER_MS = 30_000

/**
 * Forgets the stored results of an endpoint, undefined for of all: over HTTP where `url` is given, else in the Redis that
 * the replicas share.
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
    if (settings.token === null) throw new UsageError(['SLUICE_TOKEN must hold a token that may purge'])
    await purgeOverHttp(url, settings.token, name)
  } else if (settings.redisUrl !== null) await purgeShared(settings, name ?? null)
  else throw new UsageError(['name a server with --url http://host:port, or a shared store with REDIS_URL'])
  io.print(`purged ${name ?? 'all endpoints'}\n`)
  return EXIT.clean
}

async function purgeOverHttp(url: string, token: string, name: string | undefined): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError(['--url must be an address like http://localhost:8080'])
  const names = name === undefined ? await endpointNames(url, token) : [name]
  for (const one of names) await ask(url, token, 'POST', `/api/endpoints/${encodeURIComponent(one)}/purge`)
}

/** Those that the token may call. */
async function endpointNames(url: string, token: string): Promise<readonly string[]> {
  const { endpoints } = (await ask(url, token, 'GET', '/api/endpoints')) as { endpoints: readonly { name: string }[] }
  return endpoints.map(({ name }) => name)
}

async function ask(url: string, token: string, method: string, path: string): Promise<unknown> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    response = await fetch(new URL(path, url), { method, headers: { 'X-API-KEY': token }, signal })
  } catch (cause) {
    throw new SetupError(`${url} does not answer`, { cause })
  }
  const body = (await response.json().catch(() => ({}))) as { detail?: string }
  if (!response.ok) throw new SetupError(`${url} answered ${response.status}: ${body.detail ?? response.statusText}`)
  return body
}
