/** `sluice cache purge [NAME]`. */
import { purgeShared } from '../compose/stores.js'
import { SetupError, UsageError } from '../model/errors.js'
import { readSettings } from '../settings/settings.js'
import { EXIT, type Io } from './io.js'

/** The time after which a server that has not answered counts as hung. */
const ANSWER_MS = 30_000

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
    const base = baseOf(url)
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

/** The base of every address, without a slash at its end. Errors do not quote the address, since it may hold a password. */
function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isPlain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash
  if (!isPlain || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError([
      '--url must be an http or https address like http://localhost:8080, without user and password',
    ])
  }
  return parsed.href.replace(/\/+$/, '')
}

async function purgeOverHttp(base: string, token: string, name: string | undefined, io: Io): Promise<number> {
  const names = name === undefined ? await endpointNames(base, token) : [name]
  if (names.length === 0) {
    io.complain('sluice: nothing was purged: the token may call no endpoint\n')
    return EXIT.problems
  }
  const purged: string[] = []
  for (const one of names) {
    try {
      await ask(base, token, 'POST', `/api/endpoints/${encodeURIComponent(one)}/purge`)
    } catch (thrown) {
      if (purged.length > 0) io.complain(`sluice: purged only ${listed(purged)}\n`)
      throw thrown
    }
    purged.push(one)
  }
  // The server lists only endpoints that the token may call, so more may exist.
  const what = names.length === 1 ? 'the one endpoint' : `the ${names.length} endpoints`
  io.print(name === undefined ? `purged ${what} that the token may call: ${listed(names)}\n` : `purged ${name}\n`)
  return EXIT.clean
}

function listed(names: readonly string[]): string {
  const left = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (left > 0 ? ` and ${left} more` : '')
}

/** The names of the endpoints that the token may call. */
async function endpointNames(base: string, token: string): Promise<readonly string[]> {
  const { endpoints } = (await ask(base, token, 'GET', '/api/endpoints')) as { endpoints: readonly { name: string }[] }
  return endpoints.map(({ name }) => name)
}

async function ask(base: string, token: string, method: string, path: string): Promise<unknown> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    response = await fetch(base + path, { method, headers: { 'X-API-KEY': token }, signal })
  } catch (cause) {
    throw new SetupError(`${base} does not answer`, { cause })
  }
  const body = (await response.json().catch(() => ({}))) as { detail?: string }
  if (!response.ok) throw new SetupError(`${base} answered ${response.status}: ${body.detail ?? response.statusText}`)
  return body
}
