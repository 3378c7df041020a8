/** Where a parameter is named: its key, `@name` and `given.name` in SQL, `by` and `tenant`, and the arguments of its tests. */

import { basename } from 'node:path'
import { lineStartsOf } from '../../../runner/model/line-starts.js'
import { readTestArguments } from '../../test/files/argument-places.js'
import { testFileOf } from '../../test/files/load.js'
import { type DocumentView, includersOf, type ManifestView } from '../document-view.js'
import { lenientTokens } from '../sql/lenient-tokens.js'
import { tagsOf, withoutTags } from '../sql/template-tags.js'
import { partialSql, type SqlBlock } from '../sql-block.js'
import type { Workspace } from '../workspace.js'

/** A place that names the parameter, with the offsets of its beginning and its end. */
export interface ParameterUse {
  readonly file: string
  readonly from: number
  readonly to: number
}

/** The parameter whose name is at the document's offset; null if no parameter's name is there. */
export function parameterAt(view: DocumentView, offset: number): (ParameterUse & { readonly name: string }) | null {
  const { manifest } = view
  if (manifest === null) return null
  for (const name of Object.keys(manifest.names.parameters)) {
    const here = usesIn(view.workspace, manifest, name).find(
      use => use.file === view.file && use.from - 1 <= offset && offset <= use.to,
    )
    if (here) return { ...here, name }
  }
  return null
}

/** All uses that a rename changes. */
export function usesIn(workspace: Workspace, manifest: ManifestView, name: string): readonly ParameterUse[] {
  return [
    ...keysIn(manifest, name),
    ...(manifest.sql ? sqlUses(manifest.file, manifest.sql, name) : []),
    ...partialsOf(workspace, manifest).flatMap(({ file, text }) => sqlUses(file, partialSql(text), name)),
    ...testUses(workspace, manifest, name),
  ]
}

/** A partial that reads the parameter and that other manifests include too; null without one. */
export function sharedPartial(workspace: Workspace, manifest: ManifestView, name: string): string | null {
  const shared = partialsOf(workspace, manifest).find(
    ({ file, text }) =>
      sqlUses(file, partialSql(text), name).length > 0 && includersOf(workspace, basename(file, '.sql')).length > 1,
  )
  return shared?.file ?? null
}

const partialsOf = (workspace: Workspace, manifest: ManifestView) =>
  workspace.texts
    .all('partial')
    .filter(({ file }) =>
      includersOf(workspace, basename(file, '.sql')).some(includer => includer.file === manifest.file),
    )

/** The key under `parameters`, and the members that name the parameter. */
function keysIn({ file, text, source, value, names }: ManifestView, name: string): readonly ParameterUse[] {
  if (source === null) return []
  const offsetOf = offsetReader(text)
  const usesAt = (place: { line: number; column: number }): ParameterUse[] => {
    const from = offsetOf(place) + (/["']/.test(text[offsetOf(place)] ?? '') ? 1 : 0)
    return text.startsWith(name, from) ? [{ file, from, to: from + name.length }] : []
  }
  const lookups = Object.entries(names.lookups).filter(([, { by }]) => by === name)
  return [
    ...usesAt(source.keyAt(['parameters', name])),
    ...tenantPaths(value['tenant'], name).flatMap(path => usesAt(source.valueAt(path))),
    ...lookups.flatMap(([lookup]) => usesAt(source.valueAt(['lookups', lookup, 'by']))),
  ]
}

/** Where `tenant` names the parameter: its value, or its member `parameter`. */
function tenantPaths(tenant: unknown, name: string): readonly (readonly string[])[] {
  if (tenant === name) return [['tenant']]
  const isMap = typeof tenant === 'object' && tenant !== null
  return isMap && (tenant as { readonly parameter?: unknown }).parameter === name ? [['tenant', 'parameter']] : []
}

function sqlUses(file: string, sql: SqlBlock, name: string): readonly ParameterUse[] {
  const { template } = sql
  const useAt = (at: number): ParameterUse => {
    const from = sql.toDocument(at)
    return { file, from, to: from + name.length }
  }
  const tokens = lenientTokens(withoutTags(template))
  // BigQuery does not tell @Project from @project.
  const sqlTokens = tokens.filter(
    ({ text }, i) => text.toLowerCase() === name.toLowerCase() && tokens[i - 1]?.term === '@',
  )
  const givenOffsets = tagsOf(template).flatMap(({ content, contentAt }) =>
    [...content.matchAll(/\bgiven\.(\w+)/g)]
      .filter(([, parameter]) => parameter === name)
      .map(({ index }) => contentAt + index + 'given.'.length),
  )
  return [...sqlTokens.map(({ at }) => at), ...givenOffsets].sort((a, b) => a - b).map(useAt)
}

function testUses(workspace: Workspace, manifest: ManifestView, name: string): readonly ParameterUse[] {
  const tests = workspace.texts.find(testFileOf(manifest.file))
  if (tests === undefined) return []
  return readTestArguments(tests, name).map(from => ({ file: tests.file, from, to: from + name.length }))
}

/** A function from a 1-based place to its offset. */
function offsetReader(text: string): (place: { line: number; column: number }) => number {
  const starts = lineStartsOf(text)
  return ({ line, column }) => (starts[line - 1] ?? text.length) + column - 1
}
