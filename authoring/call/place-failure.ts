/** Says where in the manifest a query has failed: `division by zero` becomes `endpoints/shop.funnel.yaml:41:12: division by zero`. */
import { findSchemaMistakes } from '../../runner/manifest/check/schema.js'
import { discoverPartials, readOne } from '../../runner/manifest/discover.js'
import { expandSql } from '../../runner/manifest/expand-sql.js'
import { loadPartials } from '../../runner/manifest/load-partials.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import type { Manifest } from '../../runner/model/manifest.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import type { PlaceFailure } from '../../runner/serve/served-engine.js'
import { findFailureOffset } from './failure-offset.js'

/** Places failures in the manifests below `dir`. A failing query may be run several times more to find the place. */
export function placeFailuresBelow(dir: string): PlaceFailure {
  return async ({ failure, query, options, file, engine }) => {
    const { cause } = failure
    const offset = await findFailureOffset(engine, query, options, cause)
    if (offset === null) return null
    const inManifest = await placeInManifest(file, dir, query.sql, offset).catch(() => null)
    if (inManifest === null) return null
    // The place in the rendered SQL is left out, since the author reads the manifest.
    return new QueryFault(`${inManifest.place}: ${cause.unplaced}${inManifest.inclusion}`, {
      cause: cause.cause,
      offset,
    })
  }
}

/**
 * `endpoints/shop.funnel.yaml:41:12`, and for a place in a partial also the manifest that includes it. The files are read again, because a
 * server keeps no map of its texts. Null where they no longer give this SQL.
 */
async function placeInManifest(file: string, dir: string, sql: string, offset: number) {
  const manifest = await readOne(file, file, [])
  const parsed = manifest && parseManifest(file, manifest.text)
  if (!parsed?.source || parsed.diagnostics.length > 0) return null
  if (findSchemaMistakes(parsed.value).length > 0) return null
  const partials = loadPartials(await discoverPartials(dir)).byName
  const { texts } = expandSql(parsed.value as Manifest, parsed.source, partials)
  const text = texts.find(text => text.sql === sql)
  if (!text) return null
  const place = text.placeAt(offset)
  return { place: `${place.file}:${place.line}:${place.column}`, inclusion: place.inclusion }
}
