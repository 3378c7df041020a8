/** Finds the place in the manifest, or in its partial, that an offset in the SQL of a call comes from. */

import { findSchemaMistakes } from '../../runner/manifest/check/schema.js'
import { discoverPartials, readOne } from '../../runner/manifest/discover.js'
import { loadPartials } from '../../runner/manifest/load-partials.js'
import { expandSql } from '../../runner/manifest/variants/expand-sql.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import type { Manifest } from '../../runner/model/manifest.js'

/**
 * `endpoints/shop.funnel.yaml:41:12`, and for a place in a partial also who includes it. The files are read again, since a
 * server keeps no map of its texts. Null where they no longer give this SQL.
 */
export async function placeInManifest(
  { file, dir }: { readonly file: string; readonly dir: string },
  { sql, offset }: { readonly sql: string; readonly offset: number },
): Promise<{ readonly place: string; readonly inclusion: string } | null> {
  const manifest = await readOne(file, file, [])
  const parsed = manifest && parseManifest(file, manifest.text)
  if (!parsed?.source || parsed.diagnostics.length > 0) return null
  if (findSchemaMistakes(parsed.value).length > 0) return null
  const partials = loadPartials(await discoverPartials(dir)).byName
  const { texts } = expandSql(parsed.value as Manifest, parsed.source, partials)
  const text = texts.find(text => text.sql === sql)
  if (!text) return null
  const at = text.placeAt(offset)
  return { place: `${at.file}:${at.line}:${at.column}`, inclusion: at.inclusion }
}
