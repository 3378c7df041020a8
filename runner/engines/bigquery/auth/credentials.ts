/** Opens the access to BigQuery: with the credentials that Google's libraries find, or to an emulator without credentials. */
import { BigQuery } from '@google-cloud/bigquery'
import { PassThroughClient } from 'google-auth-library'
import { SetupError } from '../../../model/errors.js'
import { checkKeyFile, keyFileOrigin } from './key-file.js'

export interface Access {
  /** `https://bigquery.googleapis.com/bigquery/v2` */
  readonly baseUrl: string
  readonly project: string
  /** The headers that identify the caller to this address. @throws what Google's library throws where it finds no credentials. */
  readonly credentials: (url: string) => Promise<Readonly<Record<string, string>>>
  /** To be called when BigQuery has refused these headers: the next headers come from credentials that are read anew. */
  readonly forget?: (headers: Readonly<Record<string, string>>) => void
  /** Where the credentials come from, for messages; absent where Google's libraries look for them. */
  readonly origin?: string
}

export interface OpenedAccess extends Access {
  /** Google's client, for everything but queries: ../README.md says why. */
  readonly client: BigQuery
}

export interface AccessOptions {
  /** Null: the project that the credentials belong to. */
  readonly project: string | null
  /** A file of credentials; null: as Google's libraries find them. */
  readonly credentialsFile: string | null
  /** An emulator's address; null for Google's. */
  readonly emulatorHost: string | null
}

const GOOGLE = 'https://bigquery.googleapis.com/bigquery/v2'
const REST_PATH = '/bigquery/v2'

/** @throws SetupError when the file holds no credentials, no project is known, or the emulator's address cannot be read. */
export async function openAccess({ project, credentialsFile, emulatorHost }: AccessOptions): Promise<OpenedAccess> {
  if (emulatorHost !== null) {
    if (project === null) return throwNoProject()
    const baseUrl = emulatorUrl(emulatorHost)
    const authClient = new PassThroughClient()
    const client = new BigQuery({ projectId: project, authClient, apiEndpoint: new URL(baseUrl).origin })
    // The client reads BIGQUERY_EMULATOR_HOST by itself, also where it has no scheme or path.
    client.baseUrl = baseUrl
    return { baseUrl, project, credentials: async () => ({}), client }
  }
  if (credentialsFile !== null) await checkKeyFile(credentialsFile)
  const options = {
    ...(project !== null && { projectId: project }),
    ...(credentialsFile !== null && { keyFilename: credentialsFile }),
  }
  const client = new BigQuery(options)
  const ownProject = project ?? (await client.getProjectId().catch(throwNoProject))
  return {
    baseUrl: GOOGLE,
    project: ownProject,
    ...renewable(client.authClient, () => new BigQuery(options).authClient),
    client,
    ...(credentialsFile !== null && { origin: keyFileOrigin(credentialsFile) }),
  }
}

/** The status and the text of a failure of Google's client. The text never quotes a file of credentials. */
export function clientFailure(thrown: unknown): { readonly status: number | null; readonly text: string } {
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: string }
  const text = thrown instanceof SyntaxError ? 'a file of credentials is not JSON' : (message ?? String(thrown))
  return { status: typeof code === 'number' ? code : null, text }
}

/** Gives the headers for an address: the part of Google's `GoogleAuth` that is used here. */
export interface HeaderSource {
  readonly getRequestHeaders: (url: string) => Promise<Iterable<readonly [string, string]>>
}

/** Takes headers from one source until BigQuery refuses them, and then from a new source. However many calls are refused, one new source is made. */
export function renewable(
  first: HeaderSource,
  next: () => HeaderSource,
): Required<Pick<Access, 'credentials' | 'forget'>> {
  let source = first
  const sourceOf = new WeakMap<object, HeaderSource>()
  return {
    async credentials(url) {
      const from = source
      const headers: Readonly<Record<string, string>> = Object.fromEntries(await from.getRequestHeaders(url))
      sourceOf.set(headers, from)
      return headers
    },
    forget(headers) {
      if (sourceOf.get(headers) === source) source = next()
    },
  }
}

function throwNoProject(cause?: unknown): never {
  throw new SetupError('no BigQuery project: give --project or GOOGLE_CLOUD_PROJECT', { cause })
}

/** `host:port`, or an address with or without the path of the REST interface. */
function emulatorUrl(host: string): string {
  const text = /^https?:\/\//i.test(host) ? host : `http://${host}`
  if (!URL.canParse(text)) throw new SetupError('BIGQUERY_EMULATOR_HOST is not an address')
  const url = new URL(text)
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? REST_PATH : path}`
}
