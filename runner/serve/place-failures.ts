/** Says where an endpoint's query has failed: to authors the place in the manifest, to the log of a server the variant. */
import type { LoadedEndpoint } from '../manifest/load.js'
import { RunnerError } from '../model/errors.js'
import type { Engine } from '../model/ports.js'
import type { Query } from '../model/query.js'
import { QueryFault } from '../model/query-fault.js'

export interface ManifestFiles {
  /** The folder of manifests. */
  readonly dir: string
  /** The endpoints with their files. */
  readonly details: () => readonly LoadedEndpoint[]
}

type RunningEngine = Pick<Engine, 'run' | 'locate'>

/**
 * Wraps an engine for authors: `division by zero` becomes `endpoints/shop.funnel.yaml:41:12: division by zero`. A failing query
 * is run several times more to find the place.
 */
export function placeFailures<E extends RunningEngine>(engine: E, { dir, details }: ManifestFiles): E {
  return wrap(engine, details, async (failure, { file }, query, locate) => {
    const { cause } = failure
    const offset = cause.offset ?? (await locate())
    if (offset === null) return null
    // Loaded here: few queries fail.
    const { placeInManifest } = await import('../manifest/place-in-manifest.js')
    const found = await placeInManifest({ file, dir }, { sql: query.sql, offset }).catch(() => null)
    if (found === null) return null
    // The author reads the manifest, not the rendered SQL, so its place there would mislead.
    return new QueryFault(`${found.place}: ${cause.unplaced}${found.inclusion}`, { cause: cause.cause, offset })
  })
}

/** Wraps an engine for servers: `division by zero` becomes `division by zero (variant interval=1day)`. No query is run again. */
export function nameVariants<E extends RunningEngine>(engine: E, details: ManifestFiles['details']): E {
  return wrap(engine, details, async ({ cause }, { variants }, { sql }) => {
    const label = variants.find(variant => variant.sql === sql)?.label ?? ''
    return label === '' ? null : new QueryFault(`${cause.message} (variant ${label})`, { cause: cause.cause })
  })
}

type Failed = RunnerError & { readonly cause: QueryFault }

function wrap<E extends RunningEngine>(
  engine: E,
  details: ManifestFiles['details'],
  /** The fault to report instead; null to report the fault as it is. */
  faultOf: (
    failure: Failed,
    endpoint: LoadedEndpoint,
    query: Query,
    locate: () => Promise<number | null>,
  ) => Promise<QueryFault | null>,
): E {
  return {
    ...engine,
    async run(query, options) {
      try {
        return await engine.run(query, options)
      } catch (thrown) {
        const detail = details().find(({ endpoint }) => endpoint.name === options.endpoint)
        if (detail === undefined || !isFailed(thrown)) throw thrown
        const locate = async (): Promise<number | null> => (await engine.locate?.(query, options, thrown)) ?? null
        const fault = await faultOf(thrown, detail, query, locate)
        throw fault === null ? thrown : thrown.withCause(fault)
      }
    },
  }
}

const isFailed = (thrown: unknown): thrown is Failed =>
  thrown instanceof RunnerError && thrown.cause instanceof QueryFault
