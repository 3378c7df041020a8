/** The SQL that a call would run, with the cursor in it: loops, partials and lookups are written out. */

import { namesOf } from '../../../runner/manifest/expand-sql.js'
import type { Manifest } from '../../../runner/model/manifest.js'
import { expandTemplate } from '../../../runner/template/expand.js'
import { parseTemplate } from '../../../runner/template/parse.js'
import type { RenderedSql } from '../../../runner/template/render.js'
import { MAX_VARIANTS, renderVariants, variantSpace } from '../../../runner/template/variants.js'
import type { DocumentView } from '../document-view.js'
import { withoutTags } from './template-tags.js'

/** Maps an offset in the view's template to SQL and the offset there. Never throws: if the template has mistakes, tags are blanked. */
export function sqlAt(view: DocumentView, offset: number) {
  try {
    const rendered = variantAt(view, offset)
    if (rendered !== null) return rendered
  } catch {
    // A manifest with mistakes may hold anything.
  }
  return { sql: withoutTags(view.sql!.template), offset }
}

/** Uses the variant with the most arguments among those that contain the offset; null without one, or if the template has mistakes. */
function variantAt({ manifest: owner, sql, partial, workspace }: DocumentView, offset: number) {
  const root = partial === null ? sql!.template : (owner?.sql?.template ?? '')
  const parsed = parseTemplate(root)
  if (parsed.problems.length > 0) return null
  const manifest = { ...owner?.names, sql: root } as unknown as Manifest
  const { pieces } = expandTemplate(parsed.nodes, namesOf(manifest), workspace.partials())
  const { lookups = {} } = manifest
  const space = variantSpace(pieces, lookups)
  if (space.size > MAX_VARIANTS) return null
  // Later variants are those with more arguments given.
  for (const { rendered } of renderVariants(pieces, space, lookups).toReversed()) {
    const cursor = offsetIn(rendered, partial, offset)
    if (cursor !== null) return { sql: rendered.sql, offset: cursor }
  }
  return null
}

/** The offset in the SQL of an offset in the template; null where this variant leaves the place out. */
function offsetIn({ sql, segments }: RenderedSql, partial: string | null, offset: number): number | null {
  for (const [i, { start, place, isVerbatim }] of segments.entries()) {
    if (!isVerbatim || place.origin.partial !== partial) continue
    const length = (segments[i + 1]?.start ?? sql.length) - start
    if (place.offset <= offset && offset <= place.offset + length) return start + offset - place.offset
  }
  return null
}
