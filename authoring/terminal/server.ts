/** A running server that a command asks over HTTP. */
import { SetupError, UsageError } from '../../runner/model/errors.js'

/** The time after which a server that has not answered counts as hung. */
const ANSWER_TIMEOUT_MS = 30_000

/** The base of every address, without a slash at its end. Errors do not quote the address, since it may hold a password. */
export function serverBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isPlain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash
  if (!isPlain || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError([
      '--url must be an http or https address like http://localhost:8080, without user and password',
    ])
  }
  return parsed.href.replace(/\/+$/, '')
}

/** The JSON that the server answers; `{}` if the answer is not JSON. @throws SetupError for any other status than 2xx. */
export async function askServer(base: string, token: string, method: string, path: string): Promise<unknown> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    response = await fetch(base + path, { method, headers: { 'X-API-KEY': token }, signal })
  } catch (cause) {
    throw new SetupError(`${base} does not answer`, { cause })
  }
  const body = (await response.json().catch(() => ({}))) as { detail?: string }
  if (!response.ok) throw new SetupError(`${base} answered ${response.status}: ${body.detail ?? response.statusText}`)
  return body
}
