/** The OpenAPI document without a server: of all endpoints, or of those of a token that is described. */
import { namePattern } from '../../runner/auth/tokens.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { type OpenApiDocument, openApiDocument, revisionOf } from '../../runner/openapi/document.js'
import type { Version } from '../../runner/openapi/parameters.js'
import { mayRun } from '../../runner/request/authorize.js'
import type { Settings } from '../../runner/settings/settings.js'
import { loadContracts } from '../client/contracts.js'
import { tokenWarnings } from '../token/check-token.js'

/** The token that the document is for. */
export interface DescribedToken {
  /** Patterns of endpoint names. */
  readonly allow: readonly string[]
  readonly pin: Readonly<Record<string, string>>
}

export interface DocumentRequest extends DescribedToken {
  readonly version: Version
  readonly serverUrl: string
}

/** The document, and what is odd about the token. @throws LoadError when a manifest has errors; SetupError. */
export async function describeEndpoints(
  settings: Settings,
  { allow, pin, version, serverUrl }: DocumentRequest,
): Promise<{ readonly document: OpenApiDocument; readonly warnings: readonly string[] }> {
  const details = await loadContracts(settings)
  const all = details.map(({ endpoint }) => endpoint).sort((a, b) => (a.name < b.name ? -1 : 1))
  const visible = all.filter(endpoint => isDescribed(endpoint, { allow, pin }))
  const options = { version, serverUrl, engine: settings.engine, allFormats: false } as const
  const document = openApiDocument(visible, { ...options, pinned: Object.keys(pin), revision: revisionOf(all) })
  return { document, warnings: await tokenWarnings(settings, { name: 'openapi', allow, pin, allTenants: true }) }
}

/** Whether this token may call the endpoint. */
export function isDescribed(endpoint: Endpoint, { allow, pin }: DescribedToken): boolean {
  const mayCall = (name: string): boolean => allow.some(pattern => namePattern(pattern).test(name))
  return mayRun({ mayCall, pinned: pin, allTenants: true }, endpoint)
}
