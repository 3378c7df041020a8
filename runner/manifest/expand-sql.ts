/** Renders every SQL text that a manifest's template can produce, with the place of each character in its file. */

import { orMistake, SqlError, type Token, tokenize } from '../../googlesql/index.js'
import type { Diagnostic } from '../model/diagnostic.js'
import type { Manifest } from '../model/manifest.js'
import { type Expansion, expandTemplate } from '../template/expand.js'
import { parseTemplate } from '../template/parse.js'
import type { TemplatePlace } from '../template/program.js'
import { placeInTemplate, type RenderedSql } from '../template/render.js'
import type { TemplateNames } from '../template/resolve.js'
import {
  MAX_VARIANTS,
  type RenderedVariant,
  renderVariants,
  type VariantSpace,
  variantSpace,
} from '../template/variants.js'
import type { ArgumentName, DistinctSql, PlaceInText } from './check/rule.js'
import type { Partial } from './load-partials.js'
import { diagnosticAt } from './report.js'
import type { FilePlace, ManifestSource } from './source.js'

export interface ExpandedSql {
  readonly expansion: Expansion
  readonly space: VariantSpace
  readonly variants: readonly RenderedVariant[]
  readonly texts: readonly DistinctSql[]
  readonly diagnostics: readonly Diagnostic[]
  /** A place in the template, in its own file. */
  placeAt(at: TemplatePlace): FilePlace
}

/** Expands and renders the template. When there are diagnostics, there are no variants. */
export function expandSql(manifest: Manifest, source: ManifestSource, partials: ReadonlyMap<string, Partial>) {
  const parsed = parseTemplate(manifest.sql)
  const { lookups = {} } = manifest
  const expansion = expandTemplate(parsed.nodes, namesOf(manifest), partials)
  const place = (at: TemplatePlace): FilePlace =>
    at.origin.partial === null ? source.sqlAt(at.offset) : partials.get(at.origin.partial)!.placeAt(at.offset)
  const inclusion = (at: TemplatePlace): string => inclusionOf(at, place)
  const root = { partial: null, includedAt: null }
  const problems = [...parsed.problems.map(problem => ({ ...problem, origin: root })), ...expansion.problems]
  const diagnostics = problems.map(problem => {
    const { rule, message, more } = problem
    return diagnosticAt(place(problem), rule, message, { ...more, hint: (more?.hint ?? '') + inclusion(problem) })
  })
  const space = variantSpace(expansion.pieces, lookups)
  if (space.size > MAX_VARIANTS) {
    const message = `the template has ${space.size} variants, more than ${MAX_VARIANTS}; ask about fewer optional parameters, or bind them: (@x IS NULL OR c = @x)`
    diagnostics.push(diagnosticAt(source.keyAt(['sql']), 'template/too-many-variants', message))
  }
  // A broken partial was reported already; the SQL that includes it would only give misleading errors.
  const isBroken = [...expansion.partials].some(name => partials.get(name)!.template.nodes.length === 0)
  const variants = diagnostics.length > 0 || isBroken ? [] : renderVariants(expansion.pieces, space, lookups)
  const placeOf = (rendered: RenderedSql, offset: number): PlaceInText => {
    const at = placeInTemplate(rendered, offset)
    return at === null ? { ...source.valueAt(['sql']), inclusion: '' } : { ...place(at), inclusion: inclusion(at) }
  }
  return { expansion, space, variants, texts: distinctTexts(variants, space, placeOf), diagnostics, placeAt: place }
}

function inclusionOf(at: TemplatePlace, place: (at: TemplatePlace) => FilePlace): string {
  let includer = at.origin.includedAt
  if (includer === null) return ''
  while (includer.origin.includedAt !== null) includer = includer.origin.includedAt
  const { file, line } = place(includer)
  return ` (included by ${file}:${line})`
}

/** The names that the template may use. */
export function namesOf(manifest: Manifest): TemplateNames {
  const parameters = Object.entries(manifest.parameters ?? {})
  const lookups = Object.entries(manifest.lookups ?? {})
  return {
    parameters: new Set(parameters.map(([name]) => name)),
    optional: new Set(
      parameters.filter(([, { required, default: value }]) => !required && value === undefined).map(([name]) => name),
    ),
    lookups: new Map(lookups.map(([name, { rows }]) => [name, new Set(Object.values(rows).flatMap(Object.keys))])),
    constants: new Map(Object.entries(manifest.constants ?? {})),
  }
}

function distinctTexts(
  variants: readonly RenderedVariant[],
  { axes }: VariantSpace,
  placeOf: (rendered: RenderedSql, offset: number) => PlaceInText,
): readonly DistinctSql[] {
  const optional = axes.flatMap(axis => (axis.kind === 'given' ? [axis.parameter] : []))
  const bySql = new Map<string, { variant: RenderedVariant; share: number; absent: ReadonlySet<string> }>()
  for (const variant of variants) {
    const earlier = bySql.get(variant.sql)
    const absent = (earlier ? [...earlier.absent] : optional).filter(name => !variant.choice.given.has(name))
    bySql.set(variant.sql, { variant, ...earlier, share: (earlier?.share ?? 0) + 1, absent: new Set(absent) })
  }
  return [...bySql].map(([sql, { variant, share, absent }]) => {
    const tokenized = orMistake(() => tokenize(sql))
    const tokens = tokenized instanceof SqlError ? null : tokenized
    const placeAt = (offset: number): PlaceInText => placeOf(variant.rendered, offset)
    return { sql, variant, share, absent, tokens, argumentNames: tokens && argumentNames(tokens, placeAt), placeAt }
  })
}

/** All parameter references `@name`. */
function argumentNames(tokens: readonly Token[], placeOf: (offset: number) => FilePlace): readonly ArgumentName[] {
  return tokens.flatMap(({ term, at }, i) => {
    const name = tokens[i + 1]
    const isName = term === '@' && (name?.kind === 'identifier' || name?.kind === 'quoted')
    return isName ? [{ name: name.text, place: () => placeOf(at) }] : []
  })
}
