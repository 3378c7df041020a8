/** Says where in the manifest an endpoint's query has failed: `division by zero` becomes `endpoints/shop.funnel.yaml:41:12: division by zero`. */
import { QueryFault } from '../../runner/model/query-fault.js'
import type { PlaceFailure } from '../../runner/serve/served-engine.js'
import { locateFailure } from './locate-failure.js'
import { placeInManifest } from './place-in-manifest.js'

/** Places failures in the manifests below `dir`. A failing query may be run several times more to find the place. */
export function placeFailuresBelow(dir: string): PlaceFailure {
  return async ({ failure, query, options, file, engine }) => {
    const { cause } = failure
    const offset = await locateFailure(engine, query, options, cause)
    if (offset === null) return null
    const inManifest = await placeInManifest({ file, dir }, { sql: query.sql, offset }).catch(() => null)
    if (inManifest === null) return null
    // The place in the rendered SQL is left out, since the author reads the manifest.
    return new QueryFault(`${inManifest.place}: ${cause.unplaced}${inManifest.inclusion}`, {
      cause: cause.cause,
      offset,
    })
  }
}
