/**
 * Google's client, with our transport below it: the client knows paths, parameters, pages and resources, the transport
 * signals, time limits, retries and connections. README.md tells what goes through it, and what does not.
 */
import { BigQuery, type common } from '@google-cloud/bigquery'
import type { RestJobReference } from './rest/messages.js'
import type { Sender, SendLimits } from './rest/retry.js'

export interface ClientLimits extends SendLimits {
  /** Ends the call; what the server does with its request is not known then. */
  readonly signal: AbortSignal
}

/** A client for calls within these limits. Its methods reject with what `Sender.send` throws. */
export type ClientWithin = (limits: ClientLimits) => BigQuery

type Requests = BigQuery['makeAuthenticatedRequest']
type Answered = (error: Error | null, body?: unknown) => void

export function clientOver(sender: Sender, project: string): ClientWithin {
  return ({ signal, ...limits }) => {
    const client = new BigQuery({ projectId: project })
    // The transport knows the address, also where BIGQUERY_EMULATOR_HOST, which the client reads by itself, has no scheme.
    client.baseUrl = ''
    const send = ({ method, uri, qs, json }: common.DecorateRequestOptions, answered: Answered): void => {
      const call = {
        method: method === 'POST' || method === 'DELETE' ? method : 'GET',
        path: uri.replace(/^\//, ''),
        query: texts(qs),
        signal,
      } as const
      sender
        .send(json === undefined ? call : { ...call, body: json }, limits)
        .then(body => answered(null, readableByClient(body as Resource)))
        .catch(answered)
    }
    client.makeAuthenticatedRequest = Object.assign(send, client.makeAuthenticatedRequest) as Requests
    return client
  }
}

interface Resource {
  readonly status?: { readonly errors?: unknown }
}

/**
 * `createJob` reads members of these two objects where no `catch` reaches: an answer without them would end the process. It
 * also takes warnings, which stand in `errors` beside a success, for a failure; `errorResult` tells that.
 */
function readableByClient({ status, ...rest }: Resource): object {
  const { errors: _warnings, ...facts } = status ?? {}
  return { jobReference: {}, ...rest, status: facts }
}

/** The job of this reference, to be asked about or cancelled. */
export const jobOf = (
  client: BigQuery,
  { projectId, jobId, location }: RestJobReference,
): ReturnType<BigQuery['job']> => client.job(jobId, { projectId, ...(location !== undefined && { location }) })

/** `autoPaginate` is the client's own. */
function texts(query: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  const given = Object.entries(query).filter(([name, value]) => name !== 'autoPaginate' && value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
