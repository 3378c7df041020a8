/** Who calls BigQuery: credentials as Google's libraries find them, or none for an emulator. */
import { BigQuery } from '@google-cloud/bigquery'
import type { GoogleAuth } from 'google-auth-library'
import { SetupError } from '../../../model/errors.js'
import { checkKeyFile, keyFileOrigin } from './key-file.js'

export interface Access {
  /** `https://bigquery.googleapis.com/bigquery/v2` */
  readonly baseUrl: string
  readonly project: string
  /** The headers that say who calls this address. @throws whatever Google's library does when there are none. */
  readonly credentials: (url: string) => Promise<Readonly<Record<string, string>>>
  /** BigQuery has refused these headers: the next ones are made of credentials that are read anew. */
  readonly forget?: (headers: Readonly<Record<string, string>>) => void
  /** Where the credentials come from, for messages; absent where Google's libraries look for them. */
  readonly origin?: string
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
export async function openAccess({ project, credentialsFile, emulatorHost }: AccessOptions): Promise<Access> {
  if (emulatorHost !== null) {
    if (project === null) throw noProject()
    return { baseUrl: emulatorUrl(emulatorHost), project, credentials: async () => ({}) }
  }
  if (credentialsFile !== null) await checkKeyFile(credentialsFile)
  const options = {
    ...(project !== null && { projectId: project }),
    ...(credentialsFile !== null && { keyFilename: credentialsFile }),
  }
  const newAuth = (): GoogleAuth => new BigQuery(options).authClient
  const auth = newAuth()
  try {
    return {
      baseUrl: GOOGLE,
      project: project ?? (await auth.getProjectId()),
      ...renewable(auth, newAuth),
      ...(credentialsFile !== null && { origin: keyFileOrigin(credentialsFile) }),
    }
  } catch (cause) {
    throw noProject(cause)
  }
}

/** Gives the headers for an address: the part of Google's `GoogleAuth` that is used here. */
export interface HeaderSource {
  readonly getRequestHeaders: (url: string) => Promise<Iterable<readonly [string, string]>>
}

/** The headers of one source until they are refused; then those of the next, made once for all refused calls. */
export function renewable(
  first: HeaderSource,
  next: () => HeaderSource,
): Required<Pick<Access, 'credentials' | 'forget'>> {
  let source = first
  const madeBy = new WeakMap<object, HeaderSource>()
  return {
    async credentials(url) {
      const from = source
      const headers: Readonly<Record<string, string>> = Object.fromEntries(await from.getRequestHeaders(url))
      madeBy.set(headers, from)
      return headers
    },
    forget(headers) {
      if (madeBy.get(headers) === source) source = next()
    },
  }
}

function noProject(cause?: unknown): SetupError {
  return new SetupError('no BigQuery project: give --project or GOOGLE_CLOUD_PROJECT', { cause })
}

/** `host:port`, or an address with or without the path of the REST interface. */
function emulatorUrl(host: string): string {
  const text = /^https?:\/\//i.test(host) ? host : `http://${host}`
  if (!URL.canParse(text)) throw new SetupError('BIGQUERY_EMULATOR_HOST is no address')
  const url = new URL(text)
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? REST_PATH : path}`
}
