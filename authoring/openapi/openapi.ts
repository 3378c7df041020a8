/** `sluice openapi`: prints the OpenAPI document, of all endpoints, or of those that a token with `--allow` and `--pin` may call. */
import { stringifyExact } from '../../runner/model/exact-json.js'
import { openApiDocument, revisionOf } from '../../runner/openapi/document.js'
import { mayRun } from '../../runner/request/authorize.js'
import type { Settings } from '../../runner/settings/settings.js'
import { writeExamples } from '../call/examples.js'
import { loadAllEndpoints } from '../client/load-all-endpoints.js'
import { assignments, timeArgument } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { confinementOf, tokenWarnings } from '../token/check-token.js'

export interface OpenApiFlags {
  readonly allow?: readonly string[]
  readonly pin?: readonly string[]
  readonly version: '3.1' | '3.0'
  readonly examples?: boolean
  /** An ISO 8601 time. */
  readonly now?: string
}

/** @throws LoadError when a manifest has errors; UsageError, SetupError. */
export async function printOpenApi(
  settings: Settings,
  { allow = ['*'], pin = [], version, examples, now }: OpenApiFlags,
  io: Io,
): Promise<number> {
  const token = { name: 'openapi', allow, pin: assignments('--pin', pin), allTenants: true }
  const clock = now === undefined ? {} : { nowMicros: timeArgument('--now', now) }
  const exitCode = examples ? await writeExamples(settings, token, clock, io) : EXIT.clean
  const loadedEndpoints = await loadAllEndpoints(settings)
  const endpoints = loadedEndpoints.map(({ endpoint }) => endpoint).sort((a, b) => (a.name < b.name ? -1 : 1))
  const document = openApiDocument(
    endpoints.filter(endpoint => mayRun(confinementOf(token), endpoint)),
    {
      version,
      serverUrl: settings.publicUrl ?? `http://${settings.host}:${settings.port}`,
      engine: settings.engine,
      allFormats: false,
      pinned: Object.keys(token.pin),
      revision: revisionOf(endpoints),
    },
  )
  for (const warning of await tokenWarnings(settings, token)) io.printError(`warning: ${warning}\n`)
  io.print(`${stringifyExact(document, 2)}\n`)
  return exitCode
}
