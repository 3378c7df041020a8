/** The endpoints that a client is written for: those of the manifests here, or of a server. */

import { compilePinnedAs } from '../../runner/manifest/pinned-as.js'
import { SetupError, UsageError } from '../../runner/model/errors.js'
import { type Access, mayRun } from '../../runner/request/authorize.js'
import { describeEndpoint } from '../../runner/request/describe.js'
import type { Settings } from '../../runner/settings/settings.js'
import { askServer, serverBase } from '../terminal/server.js'
import { confinementOf } from '../token/check-token.js'
import type { NewToken } from '../token/token-writer.js'
import { type ClientEndpoint, readEndpoints } from './contract.js'
import { loadAllEndpoints } from './load-all-endpoints.js'

/**
 * The endpoints that a token for all tenants with these patterns and pins could call, sorted by name, each without the pinned
 * parameters. With `url`, they are the endpoints that a server lists for the token of the settings, otherwise those of the manifests.
 * @throws UsageError, LoadError, SetupError.
 */
export async function clientEndpoints(
  settings: Settings,
  url: string | undefined,
  { allow, pin = {} }: Pick<NewToken, 'allow' | 'pin'>,
): Promise<readonly ClientEndpoint[]> {
  const endpoints = url === undefined ? await fromManifests(settings) : await fromServer(settings, url)
  const token = confinementOf({ allow, pin, allTenants: true })
  return endpoints
    .filter(endpoint => mayRun(token, accessOf(endpoint)))
    .map(endpoint => {
      const parameters = endpoint.parameters.filter(({ name }) => !Object.hasOwn(pin, name))
      return { ...endpoint, parameters }
    })
}

async function fromManifests(settings: Settings): Promise<readonly ClientEndpoint[]> {
  const loadedEndpoints = await loadAllEndpoints(settings)
  return readEndpoints({
    endpoints: loadedEndpoints.map(({ endpoint }) => describeEndpoint(endpoint, { pinned: {} })),
  })!
}

async function fromServer({ token }: Settings, url: string): Promise<readonly ClientEndpoint[]> {
  const base = serverBase(url)
  if (token === null) throw new UsageError(['SLUICE_TOKEN must hold a token for the server'])
  const endpoints = readEndpoints(await askServer(base, token, 'GET', '/api/endpoints'))
  if (endpoints === null) throw new SetupError(`${base} answered no list of endpoints that this version can read`)
  return endpoints
}

/** What decides whether a token may call the endpoint. */
const accessOf = ({ name, parameters }: ClientEndpoint): Access => ({
  name,
  tenant: null,
  parameters: parameters.map(parameter => {
    const { format, pinned_as: pinnedAs, type, description } = parameter
    return {
      ...{ name: parameter.name, type, description, isRequired: parameter.required, examples: [] },
      ...(format && { format }),
      ...(pinnedAs !== undefined && { pinnedAs: compilePinnedAs(pinnedAs) }),
    }
  }),
})
