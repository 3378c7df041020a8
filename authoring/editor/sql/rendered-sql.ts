/** The SQL that a call would run, with the cursor in it: loops, partials and lookups are written out. */

import { namesOf } from '../../../runner/manifest/variants/expand-sql.js'
import type { Manifest } from '../../../runner/model/manifest.js'
import { expandTemplate } from '../../../runner/template/expand.js'
import { parseTemplate } from '../../../runner/template/parse.js'
import type { RenderedSql } from '../../../runner/template/render.js'
import { MAX_VARIANTS, renderVariants, variantSpace } from '../../../runner/template/variants.js'
import type { DocumentView } from '../document-view.js'
import { withoutTags } from './template-tags.js'

/** SQL and the cursor's offset in it. */
export interface SqlAt {
  readonly sql: string
  readonly offset: number
}

/** The most variants among which the longest that holds the cursor is chosen. */
const MAX_TRIED = 64

/** At an offset of the view's template. Never throws: where the template cannot be written out, its tags are blanked. */
export function sqlAt(view: DocumentView, offset: number): SqlAt {
  try {
    const longest = longestWith(view, offset)
    if (longest !== null) return longest
  } catch {
    // A manifest with mistakes may hold anything.
  }
  return { sql: withoutTags(view.sql!.template), offset }
}

function longestWith({ manifest: owner, sql, partial, workspace }: DocumentView, offset: number): SqlAt | null {
  const root = partial === null ? sql!.template : (owner?.sql?.template ?? '')
  const parsed = parseTemplate(root)
  if (parsed.problems.length > 0) return null
  const manifest = { ...owner?.names, sql: root } as unknown as Manifest
  const { pieces } = expandTemplate(parsed.nodes, namesOf(manifest), workspace.partials())
  const { lookups = {} } = manifest
  const space = variantSpace(pieces, lookups)
  if (space.size > MAX_VARIANTS) return null
  let best: SqlAt | null = null
  // Later variants are those with more arguments given.
  for (const { rendered } of renderVariants(pieces, space, lookups).slice(-MAX_TRIED)) {
    const cursor = offsetIn(rendered, partial, offset)
    if (cursor !== null && rendered.sql.length > (best?.sql.length ?? -1)) best = { sql: rendered.sql, offset: cursor }
  }
  return best
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
