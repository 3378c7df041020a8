/** Sends a request with exactly the given headers, and returns the whole answer unchanged. */
import { type IncomingHttpHeaders, request } from 'node:http'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type RawHeaders = Readonly<Record<string, string | readonly string[]>>

export function rawRequest(address: string, method: string, headers: RawHeaders, body?: string): Promise<RawAnswer> {
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
  return new Promise((resolve, reject) => {
    const sent = request(address, { method, headers: given, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
