/** Conducts the loading of manifests: discover → parse → check → compile. Reports all mistakes of all files, sorted. */

import type { TableCatalogue } from '../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { BrokenEndpoint, Endpoint, Variant } from '../model/endpoint.js'
import type { Manifest } from '../model/manifest.js'
import { didYouMean } from '../model/suggest.js'
import { type Claim, claimsOf, DuplicateFinder } from './check/duplicates.js'
import { withoutKnockOns } from './check/knock-ons.js'
import { checkOnce } from './check/memoize-check.js'
import { checkRules, MANIFEST_RULES, SQL_RULES, TEMPLATE_RULES } from './check/rules.js'
import { findSchemaMistakes, schemaDiagnostics, withoutUnknownKeys } from './check/schema.js'
import { type CheckSql, checkSqlTexts } from './check/sql.js'
import { type CompileInput, type CompileOptions, compileEndpoint } from './compile.js'
import { discover, isManifest, type SourceText } from './discover.js'
import { exampledName, exampleFile, exampleRows } from './example-rows.js'
import { expandSql } from './expand-sql.js'
import type { LoadCache } from './load-cache.js'
import { type LoadedPartials, loadPartials } from './load-partials.js'
import { diagnosticOf } from './report.js'
import type { ManifestSource } from './source.js'
import { writtenIdentity } from './written-identity.js'
import { parseManifest } from './yaml/parse.js'

export interface LoadOptions extends CompileOptions {
  /** They may come later, as from an engine that is being opened. */
  readonly tables: TableCatalogue | Promise<TableCatalogue>
  readonly checkSql: CheckSql
  /** The most bytes that a warehouse may read for a variant; more is an error. @default null: no limit */
  readonly maxBytes?: number | null
  /** The cache of earlier loads with the same options and engine. @default no cache */
  readonly cache?: LoadCache<FaultlessManifest>
  /** Examples of results, each beside the manifest of its endpoint. @default none */
  readonly examples?: readonly SourceText[]
  /** Checks an example against the contract of its endpoint. @default examples are taken as they are */
  readonly checkExample?: (endpoint: Endpoint, example: SourceText) => readonly Diagnostic[]
  /** Called for each endpoint with what it was compiled from. */
  readonly onCompiled?: (compiled: CompiledManifest) => void
  /** The files whose manifests and diagnostics are in the result. Ids and names are compared among all. @default all */
  readonly isWanted?: (file: string) => boolean
  /** Awaited between manifests, so that the event loop can do other work. */
  readonly yieldToEventLoop?: () => Promise<void>
}

/** An endpoint with what it was compiled from, which is then dropped. */
export interface CompiledManifest extends Omit<CompileInput, 'partials' | 'example'> {
  readonly endpoint: Endpoint
  readonly source: ManifestSource
}

export interface LoadedEndpoint {
  readonly endpoint: Endpoint
  readonly file: string
  /** All variants, for `validate` and `--coverage`. */
  readonly variants: readonly Variant[]
  /** The row names of lookup tables, by the parameter that picks them. */
  readonly lookupRows: Readonly<Record<string, readonly string[]>>
}

/** A manifest without errors and warnings, with the id and name that it claims. */
export interface FaultlessManifest {
  readonly loadedEndpoint: LoadedEndpoint
  readonly variants: number
  readonly claims: readonly Claim[]
  /** The text of its example; null where it has none. */
  readonly exampleText: string | null
}

export interface Loaded {
  /** The endpoints of manifests without errors, in the order of their files. */
  readonly endpoints: readonly Endpoint[]
  /** The same endpoints with their files, variants and lookup rows. */
  readonly loadedEndpoints: readonly LoadedEndpoint[]
  /** The manifests with errors, in the order of their files. */
  readonly broken: readonly BrokenEndpoint[]
  readonly diagnostics: readonly Diagnostic[]
  /** The paths of all manifests found, sound or not. */
  readonly files: readonly string[]
  /** The number of manifests found, and of variants rendered and compiled. */
  readonly manifests: number
  readonly variants: number
}

/** Loads every manifest below `dir`. */
export async function loadEndpoints(options: LoadOptions & { readonly dir: string }): Promise<Loaded> {
  const { dir, isWanted = () => true } = options
  const { manifests, partials, examples, diagnostics } = await discover(dir)
  const loaded = await loadSources(manifests, partials, { ...options, examples })
  // A folder that cannot be read is always reported.
  const unread = diagnostics.filter(({ file }) => file === dir || isWanted(file))
  return {
    ...loaded,
    broken: [...loaded.broken, ...unreadableManifests(unread, dir)],
    diagnostics: [...loaded.diagnostics, ...unread].sort(compareDiagnostics),
  }
}

/** Manifests that could not be read at all. */
function unreadableManifests(diagnostics: readonly Diagnostic[], dir: string): readonly BrokenEndpoint[] {
  return diagnostics
    .filter(({ severity, file }) => severity === 'error' && file !== dir && isManifest(file))
    .map(diagnostic => ({ file: diagnostic.file, name: null, id: null, diagnostics: [diagnostic] }))
}

/** Loads manifests from texts in memory, without reading files. */
export const loadSources = (manifests: readonly SourceText[], partials: readonly SourceText[], options: LoadOptions) =>
  new Loading(loadPartials(partials), options).all(manifests)

/** The number of manifests loaded at a time: while the engine checks some, others are parsed. */
const LOADED_AT_ONCE = 64

interface Outcome {
  readonly source: SourceText
  /** Null where it has errors. */
  readonly loadedEndpoint: LoadedEndpoint | null
  readonly diagnostics: readonly Diagnostic[]
  readonly variants: number
  /** The files of the partials that a broken manifest includes. */
  readonly partials: readonly string[]
}

/** One load of all manifests. */
class Loading {
  readonly #options: LoadOptions
  readonly #partials: LoadedPartials
  /** By their files. */
  readonly #examples: ReadonlyMap<string, SourceText>
  readonly #checkSql: CheckSql
  readonly #duplicates = new DuplicateFinder()

  constructor(partials: LoadedPartials, options: LoadOptions) {
    this.#options = options
    this.#partials = partials
    this.#examples = new Map(options.examples?.map(example => [example.file, example]))
    this.#checkSql = checkOnce(options.checkSql)
  }

  async all(manifests: readonly SourceText[]): Promise<Loaded> {
    const { isWanted = () => true, checkExample } = this.#options
    const outcomes = await this.#outcomes(manifests)
    const shared = this.#duplicates.diagnostics()
    const sharing = new Set(shared.filter(({ severity }) => severity === 'error').map(({ file }) => file))
    const isSound = ({ loadedEndpoint, source }: Outcome): boolean =>
      loadedEndpoint !== null && !sharing.has(source.file)
    const diagnostics = [...this.#partials.diagnostics, ...outcomes.flatMap(outcome => outcome.diagnostics), ...shared]
    if (checkExample && outcomes.every(isSound)) diagnostics.push(...this.#strayExamples(outcomes))
    const wanted = outcomes.filter(({ source }) => isWanted(source.file))
    const loadedEndpoints = wanted.filter(isSound).map(({ loadedEndpoint }) => loadedEndpoint!)
    return {
      endpoints: loadedEndpoints.map(({ endpoint }) => endpoint),
      loadedEndpoints,
      broken: wanted.filter(outcome => !isSound(outcome)).map(outcome => this.#broken(outcome, shared)),
      diagnostics: diagnostics.filter(({ file }) => isWanted(file)).sort(compareDiagnostics),
      files: wanted.map(({ source }) => source.file),
      manifests: wanted.length,
      variants: wanted.reduce((sum, outcome) => sum + outcome.variants, 0),
    }
  }

  async #outcomes(manifests: readonly SourceText[]): Promise<readonly Outcome[]> {
    const { cache, tables, yieldToEventLoop } = this.#options
    await cache?.begin(tables, manifests)
    const outcomes: Promise<Outcome>[] = []
    for (const source of manifests) {
      await yieldToEventLoop?.()
      await outcomes.at(-LOADED_AT_ONCE)
      // Ids and names are claimed in the order of the files, before any waiting.
      const outcome = this.#load(source)
      outcome.catch(() => {}) // A failure is thrown where it is awaited.
      outcomes.push(outcome)
    }
    return Promise.all(outcomes)
  }

  /** @param shared diagnostics of all files; those in the endpoint's file, or in a partial that it includes, belong to it too. */
  #broken({ source, diagnostics, partials }: Outcome, shared: readonly Diagnostic[]): BrokenEndpoint {
    const files = new Set([source.file, ...partials])
    const ofFiles = [...shared, ...this.#partials.diagnostics].filter(({ file }) => files.has(file))
    const all = [...diagnostics, ...ofFiles].sort(compareDiagnostics)
    return { file: source.file, ...writtenIdentity(source.text), diagnostics: all }
  }

  /** Warnings about examples without an endpoint of their name in the same folder. All manifests must have loaded. */
  #strayExamples(outcomes: readonly Outcome[]): readonly Diagnostic[] {
    const loadedEndpoints = outcomes.map(({ loadedEndpoint }) => loadedEndpoint!)
    const exampleFiles = new Set(loadedEndpoints.map(({ endpoint, file }) => exampleFile(file, endpoint.name)))
    const names = loadedEndpoints.map(({ endpoint }) => endpoint.name)
    return [...this.#examples.keys()]
      .filter(file => !exampleFiles.has(file))
      .map(file => {
        const name = exampledName(file)
        const message = `no manifest in this folder has the name "${name}"`
        const more = { severity: 'warning', ...didYouMean(name, names) } as const
        return diagnosticOf(file, 'example/no-endpoint', message, more)
      })
  }

  async #load(source: SourceText): Promise<Outcome> {
    return this.#recall(source) ?? this.#check(source)
  }

  /** The cached result for this manifest; null where it must be loaded. */
  #recall(source: SourceText): Outcome | null {
    const entry = this.#options.cache?.find(source, this.#partials.byName)
    if (entry === undefined) return null
    const { loadedEndpoint, variants, claims, exampleText } = entry
    const example = this.#examples.get(exampleFile(source.file, loadedEndpoint.endpoint.name))
    if ((example?.text ?? null) !== exampleText) return null
    this.#duplicates.add(claims)
    return { source, loadedEndpoint, diagnostics: [], variants, partials: [] }
  }

  async #check(sourceText: SourceText): Promise<Outcome> {
    const { maxBytes = null } = this.#options
    const partials = this.#partials.byName
    const diagnostics: Diagnostic[] = []
    const failed = (included: readonly string[] = [], variants = 0): Outcome => ({
      source: sourceText,
      loadedEndpoint: null,
      diagnostics: withoutKnockOns(diagnostics),
      variants,
      partials: included,
    })
    const { source, value, diagnostics: ofYaml } = parseManifest(sourceText.file, sourceText.text)
    diagnostics.push(...ofYaml)
    if (source === null || ofYaml.length > 0) return failed()

    const claims = claimsOf(value, source)
    this.#duplicates.add(claims)
    const mistakes = findSchemaMistakes(value)
    diagnostics.push(...schemaDiagnostics(mistakes, source))
    const manifest = withoutUnknownKeys(value, mistakes)
    if (manifest === null) return failed()

    diagnostics.push(...checkRules(MANIFEST_RULES, { manifest, source }))
    if (diagnostics.some(({ rule }) => BLOCKS_TEMPLATE.test(rule))) return failed()

    const expanded = expandSql(manifest, source, partials)
    diagnostics.push(...expanded.diagnostics)
    const included = [...expanded.expansion.partials].map(name => partials.get(name)!.file)
    if (expanded.texts.length === 0) return failed(included)

    const facts = { manifest, source, expansion: expanded.expansion, texts: expanded.texts }
    const ruled = checkRules(TEMPLATE_RULES, facts)
    const reported = new Set(ruled.map(at => `${at.file}:${at.line}:${at.column}`))
    const sql = await checkSqlTexts(manifest, expanded, this.#checkSql, reported, maxBytes)
    const tables = await this.#options.tables
    const sqlFacts = { ...facts, checked: sql.checked, tables }
    diagnostics.push(...ruled, ...sql.diagnostics, ...checkRules(SQL_RULES, sqlFacts))
    const variants = expanded.variants.length
    if (diagnostics.some(({ severity }) => severity === 'error')) return failed(included, variants)
    return this.#compiled(sourceText, { manifest, source, expanded, checked: sql.checked, claims, tables }, diagnostics)
  }

  #compiled(
    source: SourceText,
    {
      claims,
      tables,
      ...parts
    }: Omit<CompiledManifest, 'endpoint'> & { readonly claims: readonly Claim[]; readonly tables: TableCatalogue },
    diagnostics: Diagnostic[],
  ): Outcome {
    const { cache, checkExample, onCompiled } = this.#options
    const { manifest, expanded } = parts
    const partials = this.#partials.byName
    const example = this.#examples.get(exampleFile(source.file, manifest.name))
    const rows = example ? exampleRows(example) : null
    const endpoint = compileEndpoint({ ...parts, partials, example: rows }, this.#options)
    if (example && checkExample) diagnostics.push(...checkExample(endpoint, example))
    onCompiled?.({ endpoint, ...parts })
    const loadedEndpoint = {
      endpoint,
      file: source.file,
      variants: variantsOf(parts),
      lookupRows: lookupRows(manifest),
    }
    const variants = expanded.variants.length
    if (diagnostics.length === 0) {
      const entry = { loadedEndpoint, variants, claims, exampleText: example?.text ?? null }
      const included = [...expanded.expansion.partials].map(name => [name, partials.get(name)!.text] as const)
      cache?.keep(source, included, tables, entry)
    }
    return { source, loadedEndpoint, diagnostics, variants, partials: [] }
  }
}

/** The variants without the maps from their SQL back to the template: a thousand manifests would keep megabytes of them. */
function variantsOf({ expanded, checked }: Pick<CompiledManifest, 'expanded' | 'checked'>): readonly Variant[] {
  const readBy = new Map(checked.map(({ text, reads }) => [text.sql, reads]))
  return expanded.variants.map(({ label, sql }) => {
    const reads = readBy.get(sql)
    return { label, sql, ...(reads && { reads }) }
  })
}

function lookupRows({ lookups = {} }: Manifest): LoadedEndpoint['lookupRows'] {
  const rows: Record<string, readonly string[]> = {}
  for (const lookup of Object.values(lookups)) {
    rows[lookup.by] = [...new Set([...(rows[lookup.by] ?? []), ...Object.keys(lookup.rows)])]
  }
  return rows
}

/** Mistakes after which rendering the template would fail or give misleading errors. */
const BLOCKS_TEMPLATE = /^(lookup\/(unequal-rows|value-form|reserved-name)|constants\/|manifest\/sql-block)/
