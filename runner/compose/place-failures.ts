/** Puts the place in the manifest before the reason why a query has failed. */
import type { LoadedEndpoint } from '../manifest/load.js'
import { RunnerError } from '../model/errors.js'
import type { Engine } from '../model/ports.js'
import { QueryFault } from '../model/query-fault.js'

export interface ManifestFiles {
  /** The folder of manifests. */
  readonly dir: string
  /** The endpoints with their files. */
  readonly details: () => readonly LoadedEndpoint[]
}

/** Wraps an engine: `division by zero` becomes `endpoints/shop.funnel.yaml:41:12: division by zero`. */
export function placeFailures<E extends Pick<Engine, 'run'>>(engine: E, { dir, details }: ManifestFiles): E {
  return {
    ...engine,
    async run(query, options) {
      try {
        return await engine.run(query, options)
      } catch (thrown) {
        const file = details().find(({ endpoint }) => endpoint.name === options.endpoint)?.file
        if (file === undefined || !(thrown instanceof RunnerError)) throw thrown
        throw await placed(thrown, { file, dir }, query.sql)
      }
    },
  }
}

/** The error itself where its place is not known. */
async function placed(
  error: RunnerError,
  files: { readonly file: string; readonly dir: string },
  sql: string,
): Promise<RunnerError> {
  const { cause } = error
  if (!(cause instanceof QueryFault) || cause.offset === null) return error
  // Loaded here: few queries fail.
  const { placeInManifest } = await import('../manifest/place-in-manifest.js')
  const found = await placeInManifest(files, { sql, offset: cause.offset }).catch(() => null)
  if (found === null) return error
  // The author reads the manifest, not the rendered SQL, so its place there would mislead.
  const reason = cause.message.replace(/(?<!\s)\s*\bat \[\d+:\d+\]/g, '')
  const message = `${found.place}: ${reason}${found.inclusion}`
  return error.withCause(new QueryFault(message, { cause: cause.cause, offset: cause.offset }))
}
