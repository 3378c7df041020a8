/** What the features read of one document: its manifest as far as it can be read, and its SQL. */
import { basename } from 'node:path'
import type { ManifestSource } from '../../runner/manifest/source.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import { isRecord, recordOf } from '../../runner/model/is-record.js'
import type { Lookup, Manifest } from '../../runner/model/manifest.js'
import { kindOf } from './folders.js'
import { manifestSql, partialSql, type SqlBlock } from './sql-block.js'
import type { Workspace } from './workspace.js'

/** The parts of a manifest that its SQL can name. Each is there even where the manifest breaks its schema. */
export interface DeclaredNames {
  readonly parameters: Readonly<Record<string, NonNullable<Manifest['parameters']>[string]>>
  readonly lookups: Readonly<Record<string, Lookup>>
  readonly constants: Readonly<Record<string, unknown>>
}

export interface DocumentView {
  readonly workspace: Workspace
  readonly file: string
  readonly text: string
  /** The document's own manifest, or for a partial the first manifest that includes it; null without a manifest. */
  readonly manifest: ManifestView | null
  /** Null where the document has no SQL. */
  readonly sql: SqlBlock | null
  /** The name of the partial that the document is. */
  readonly partial: string | null
}

export interface ManifestView {
  readonly file: string
  readonly text: string
  readonly source: ManifestSource | null
  readonly names: DeclaredNames
  /** The value as it stands in the file, which may break the schema. */
  readonly value: Readonly<Record<string, unknown>>
  readonly sql: SqlBlock | null
}

/** Parses documents, and remembers the last sound state of each while it is being edited. */
export class DocumentViews {
  readonly #views = new Map<string, ManifestView>()

  /** @returns null for a file that Sluice does not read. */
  viewOf(workspace: Workspace, file: string): DocumentView | null {
    const source = workspace.texts.find(file)
    const kind = kindOf(file, workspace.folders)
    if (source === undefined || kind === null) return null
    const { text } = source
    const common = { workspace, file, text }
    if (kind === 'manifest') {
      const manifest = this.manifest(file, text)
      return { ...common, manifest, sql: manifest.sql, partial: null }
    }
    if (kind !== 'partial') return { ...common, manifest: null, sql: null, partial: null }
    const partial = basename(file, '.sql')
    const includer = includersOf(workspace, partial)[0]
    const manifest = includer ? this.manifest(includer.file, includer.text) : null
    return { ...common, manifest, sql: partialSql(text), partial }
  }

  manifest(file: string, text: string): ManifestView {
    const earlier = this.#views.get(file)
    if (earlier?.text === text) return earlier
    const { source, value } = parseManifest(file, text)
    const sound = isRecord(value) ? value : (earlier?.value ?? {})
    const view = { file, text, source, value: sound, names: namesOf(sound), sql: manifestSql(text) }
    this.#views.set(file, view)
    return view
  }
}

/** The manifests that include a partial, directly or through another. */
export function includersOf(workspace: Workspace, partial: string) {
  const names = new Set([partial])
  const partials = workspace.texts.all('partial')
  for (let size = 0; size !== names.size; ) {
    size = names.size
    for (const { file, text } of partials)
      if (partialsIn(text).some(name => names.has(name))) names.add(basename(file, '.sql'))
  }
  return workspace.texts.all('manifest').filter(({ text }) => partialsIn(text).some(name => names.has(name)))
}

/** The names of the partials that a template includes. */
const partialsIn = (text: string): readonly string[] =>
  text.includes('{{') ? [...text.matchAll(/\{\{~?>\s*([^\s}~]+)/g)].map(([, name]) => name!) : []

function namesOf(value: Readonly<Record<string, unknown>>): DeclaredNames {
  const section = (key: string): Readonly<Record<string, unknown>> => recordOf(value[key])
  const records = <T>(members: Readonly<Record<string, unknown>>): Record<string, T> =>
    Object.fromEntries(Object.entries(members).filter(([, member]) => isRecord(member))) as Record<string, T>
  const lookups = records<Lookup>(section('lookups'))
  return {
    parameters: records(section('parameters')),
    lookups: Object.fromEntries(
      Object.entries(lookups).map(([name, lookup]) => [name, { ...lookup, rows: records(recordOf(lookup.rows)) }]),
    ),
    constants: section('constants'),
  }
}
