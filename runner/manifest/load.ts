/** Conducts the loading of manifests: discover → parse → check → compile. Reports all mistakes of all files, sorted. */
import { existsSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { nearest, type TableCatalogue } from '../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { BrokenEndpoint, Endpoint, Variant } from '../model/endpoint.js'
import type { Manifest } from '../model/manifest.js'
import { type Claim, claimsOf, DuplicateFinder } from './check/duplicates.js'
import { withoutKnockOns } from './check/knock-ons.js'
import { checkOnce } from './check/memoize-check.js'
import { checkSchema } from './check/recover.js'
import type { CheckedSql } from './check/rule.js'
import { checkRules, HINT_RULES, MANIFEST_RULES, SQL_RULES, TEMPLATE_RULES } from './check/rules.js'
import { type CheckSql, checkSqlTexts } from './check/sql.js'
import { compileEndpoint } from './compile.js'
import { discover, isManifest, noSuchPath, type SourceText } from './discover.js'
import { exampledName, exampleFile, exampleRows } from './example-rows.js'
import type { LoadCache } from './load-cache.js'
import { loadPartials, type Partial } from './load-partials.js'
import { InTurn } from './ordered-concurrency.js'
import { diagnosticAt, didYouMean } from './report.js'
import { type ExpandedSql, expandSql } from './variants/expand-sql.js'
import type { TemplateCoverage } from './variants/template-coverage.js'
import { writtenIdentity } from './written-identity.js'
import { parseManifest } from './yaml/parse.js'

export interface LoadOptions {
  readonly tables: TableCatalogue
  /** Identifies the engine and its data, as part of every revision. @default '' */
  readonly engineIdentity?: string
  /** The hash of the tables and functions that queries may name, as part of every revision. @default '' */
  readonly definitions?: string
  readonly checkSql: CheckSql
  /** What happens to undeclared arguments where a manifest does not say. @default ignore */
  readonly unknownArguments?: 'ignore' | 'reject'
  /** The most characters of an argument of `format: re2`. @default 1024 */
  readonly maxRegexpLength?: number
  /** Whether the engine can tell that the data of a query has changed. @default true */
  readonly knowsDataChanges?: boolean
  /** The most bytes that a warehouse may read for a variant; more is an error. @default null: no limit */
  readonly maxBytes?: number | null
  /** Whether hints are reported too. @default false */
  readonly hasHints?: boolean
  /** The cache of earlier loads with the same options and engine. @default no cache */
  readonly cache?: LoadCache<FaultlessManifest>
  /** Examples of results, each beside the manifest of its endpoint. @default none */
  readonly examples?: readonly SourceText[]
  /** Checks an example against the contract of its endpoint. @default examples are taken as they are */
  readonly checkExample?: (endpoint: Endpoint, example: SourceText) => readonly Diagnostic[]
  /** Called for each endpoint with what `sluice test --coverage` needs of its template. */
  readonly onTemplate?: (endpoint: Endpoint, template: TemplateCoverage) => void
  /** Called for each endpoint with what it was compiled from. */
  readonly onCompiled?: (compiled: CompiledManifest) => void
  /** Awaited between manifests, so that the event loop can do other work. */
  readonly yieldToEventLoop?: () => Promise<void>
}

/** An endpoint with what is dropped once it is compiled. */
export interface CompiledManifest {
  readonly endpoint: Endpoint
  readonly manifest: Manifest
  readonly expanded: ExpandedSql
  readonly checked: readonly CheckedSql[]
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
  readonly detail: LoadedEndpoint
  readonly variants: number
  readonly claims: readonly Claim[]
  /** The text of its example; null where it has none. */
  readonly exampleText: string | null
}

export interface Loaded {
  /** The endpoints of manifests without errors, in the order of their files. */
  readonly endpoints: readonly Endpoint[]
  /** The same endpoints with their files, variants and lookup rows. */
  readonly details: readonly LoadedEndpoint[]
  /** The manifests with errors, in the order of their files. */
  readonly broken: readonly BrokenEndpoint[]
  readonly diagnostics: readonly Diagnostic[]
  /** The paths of all manifests found, sound or not. */
  readonly files: readonly string[]
  /** The number of manifests found, and of variants rendered and compiled. */
  readonly manifests: number
  readonly variants: number
}

/**
 * Loads every manifest below `dir`. `only` limits the result to these files and folders; a path that is not below `dir` is an
 * error. Ids and names are compared among all manifests in any case.
 */
export async function loadEndpoints(
  options: LoadOptions & { readonly dir: string; readonly only?: readonly string[] },
): Promise<Loaded> {
  const found = await discover(options.dir)
  /** The number of variants of each file, including broken manifests. */
  const counts = new Map<string, number>()
  const onLoaded = (file: string, variants: number): void => void counts.set(file, variants)
  const { examples } = found
  const loaded = await loadSources(found.manifests, found.partials, { ...options, examples }, onLoaded)
  const all = [...found.diagnostics, ...loaded.diagnostics].sort(compareDiagnostics)
  const broken = [...loaded.broken, ...unreadableManifests(found.diagnostics, options.dir)]
  const { dir, only } = options
  if (only === undefined) return { ...loaded, broken, diagnostics: all }
  // A folder that cannot be read is always reported.
  const isWanted = (file: string): boolean => file === dir || only.some(path => isWithin(path, file))
  const outside = only.filter(path => !isWithin(path, dir) && !found.paths.some(file => isWithin(path, file)))
  const details = loaded.details.filter(({ file }) => isWanted(file))
  return {
    endpoints: details.map(({ endpoint }) => endpoint),
    details,
    broken: broken.filter(({ file }) => isWanted(file)),
    files: loaded.files.filter(isWanted),
    diagnostics: [
      ...all.filter(({ file }) => isWanted(file)),
      ...outside.map(file => notBelow(dir, file, found.paths)),
    ],
    manifests: found.manifests.filter(({ file }) => isWanted(file)).length,
    variants: [...counts].reduce((sum, [file, variants]) => (isWanted(file) ? sum + variants : sum), 0),
  }
}

/** Manifests that could not be read at all. */
function unreadableManifests(diagnostics: readonly Diagnostic[], dir: string): readonly BrokenEndpoint[] {
  return diagnostics
    .filter(({ severity, file }) => severity === 'error' && file !== dir && isManifest(file))
    .map(diagnostic => ({ file: diagnostic.file, name: null, id: null, diagnostics: [diagnostic] }))
}

async function counted(
  loading: LoadedOne | Promise<LoadedOne>,
  file: string,
  onLoaded: (file: string, variants: number) => void,
): Promise<LoadedOne> {
  const loaded = await loading
  onLoaded(file, loaded.variants)
  return loaded
}

/** Whether the file is this path, or is inside the folder that the path names. */
function isWithin(path: string, file: string): boolean {
  const [outer, inner] = [resolve(path), resolve(file)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

/** For a path that is not among those below the folder of manifests. */
function notBelow(dir: string, path: string, among: readonly string[]): Diagnostic {
  if (existsSync(path)) {
    const message = `is not below ${dir}, the folder of manifests that --endpoints or SLUICE_ENDPOINTS names`
    return diagnosticAt({ file: path, line: 1, column: 1 }, 'manifest/unreadable', message)
  }
  // The name of an endpoint, or of a file without its folder, leads to its manifest too.
  const manifests = new Map(among.filter(isManifest).map(file => [basename(file, '.yaml'), file]))
  const meant = nearest(path, among) ?? manifests.get(nearest(basename(path, '.yaml'), manifests.keys()) ?? '')
  return noSuchPath(path, meant === undefined ? ` below ${dir}` : `; did you mean "${meant}"?`)
}

/** Loads manifests from texts in memory, without reading files. */
export async function loadSources(
  manifests: readonly SourceText[],
  partialTexts: readonly SourceText[],
  options: LoadOptions,
  onLoaded: (file: string, variants: number) => void = () => undefined,
): Promise<Loaded> {
  const partials = loadPartials(partialTexts)
  const duplicates = new DuplicateFinder()
  const examples = new Map(options.examples?.map(example => [example.file, example]))
  const once = { ...options, checkSql: checkOnce(options.checkSql) }
  const outcomes: LoadedOne[] = []
  const add = (loaded: LoadedOne): void => void outcomes.push(loaded)
  options.cache?.begin(options.tables)
  const loading = new InTurn<LoadedOne>(LOADED_AT_ONCE, add)
  for (const source of manifests) {
    await options.yieldToEventLoop?.()
    // Ids and names are claimed in file order, before any waiting.
    const known = recall(source, partials.byName, examples, duplicates, options)
    const one = known ?? loadOne(source, partials.byName, examples, duplicates, once)
    await loading.add(counted(one, source.file, onLoaded))
  }
  await loading.end()
  const shared = duplicates.diagnostics()
  const sharing = new Set(shared.filter(({ severity }) => severity === 'error').map(({ file }) => file))
  const isSound = ({ detail, source }: LoadedOne): boolean => detail !== null && !sharing.has(source.file)
  const details = outcomes.filter(isSound).map(({ detail }) => detail!)
  const diagnostics = [...partials.diagnostics, ...outcomes.flatMap(one => one.diagnostics), ...shared]
  if (options.checkExample && details.length === manifests.length) diagnostics.push(...strayExamples(examples, details))
  return {
    endpoints: details.map(({ endpoint }) => endpoint),
    details,
    broken: outcomes.filter(one => !isSound(one)).map(one => brokenEndpoint(one, [...shared, ...partials.diagnostics])),
    diagnostics: diagnostics.sort(compareDiagnostics),
    files: manifests.map(({ file }) => file),
    manifests: manifests.length,
    variants: outcomes.reduce((sum, one) => sum + one.variants, 0),
  }
}

/** @param shared diagnostics of all files; those in its own file, or in a partial that it includes, are the endpoint's too. */
function brokenEndpoint({ source, diagnostics, partials }: LoadedOne, shared: readonly Diagnostic[]): BrokenEndpoint {
  const files = new Set([source.file, ...partials])
  const all = [...diagnostics, ...shared.filter(({ file }) => files.has(file))].sort(compareDiagnostics)
  return { file: source.file, ...writtenIdentity(source.text), diagnostics: all }
}

/** Warnings about examples without an endpoint of their name in the same folder. All manifests must have loaded. */
function strayExamples(
  examples: ReadonlyMap<string, SourceText>,
  details: readonly LoadedEndpoint[],
): readonly Diagnostic[] {
  const taken = new Set(details.map(({ endpoint, file }) => exampleFile(file, endpoint.name)))
  const names = details.map(({ endpoint }) => endpoint.name)
  return [...examples.keys()]
    .filter(file => !taken.has(file))
    .map(file => {
      const name = exampledName(file)
      const message = `no manifest in this folder has the name "${name}"`
      const more = { severity: 'warning', ...didYouMean(name, names) } as const
      return diagnosticAt({ file, line: 1, column: 1 }, 'example/no-endpoint', message, more)
    })
}

/** The cached result for this manifest; null where it must be loaded. */
function recall(
  source: SourceText,
  partials: ReadonlyMap<string, Partial>,
  examples: ReadonlyMap<string, SourceText>,
  duplicates: DuplicateFinder,
  { cache }: LoadOptions,
): LoadedOne | null {
  const known = cache?.find(source, partials)
  if (known === undefined) return null
  const example = examples.get(exampleFile(source.file, known.detail.endpoint.name))
  if ((example?.text ?? null) !== known.exampleText) return null
  const { detail, variants, claims } = known
  duplicates.add(claims)
  return { source, detail, diagnostics: [], variants, partials: [] }
}

/** The number of manifests loaded at a time: while the engine checks some, others are parsed. */
const LOADED_AT_ONCE = 64

interface LoadedOne {
  readonly source: SourceText
  /** Null where it has errors. */
  readonly detail: LoadedEndpoint | null
  readonly diagnostics: readonly Diagnostic[]
  readonly variants: number
  /** The files of the partials that a broken manifest includes. */
  readonly partials: readonly string[]
}

async function loadOne(
  sourceText: SourceText,
  partials: ReadonlyMap<string, Partial>,
  examples: ReadonlyMap<string, SourceText>,
  duplicates: DuplicateFinder,
  options: LoadOptions,
): Promise<LoadedOne> {
  const { file, text } = sourceText
  const parsed = parseManifest(file, text)
  const diagnostics: Diagnostic[] = [...parsed.diagnostics]
  let hasGuessedTypes = false
  const failed = (included: readonly string[] = [], variants = 0): LoadedOne => ({
    source: sourceText,
    detail: null,
    diagnostics: withoutKnockOns(diagnostics, hasGuessedTypes),
    variants,
    partials: included,
  })
  if (parsed.source === null || parsed.diagnostics.length > 0) return failed()

  const claims = claimsOf(parsed.value, parsed.source)
  duplicates.add(claims)
  const { diagnostics: ofSchema, recovered } = checkSchema(parsed.value, parsed.source)
  diagnostics.push(...ofSchema)
  if (recovered === null) return failed()
  const { manifest, source } = recovered
  hasGuessedTypes = recovered.hasGuessedTypes
  const { knowsDataChanges = true } = options

  diagnostics.push(...checkRules(MANIFEST_RULES, { manifest, source, knowsDataChanges }))
  if (diagnostics.some(({ rule }) => BLOCKS_TEMPLATE.test(rule))) return failed()

  const expanded = expandSql(manifest, source, partials)
  diagnostics.push(...expanded.diagnostics)
  const included = [...expanded.expansion.partials].map(name => partials.get(name)!.file)
  if (expanded.texts.length === 0) return failed(included)

  const facts = { manifest, source, knowsDataChanges, expansion: expanded.expansion, texts: expanded.texts }
  const ruled = checkRules(TEMPLATE_RULES, facts)
  diagnostics.push(...ruled)
  if (recovered.hasGuessedTypes) return failed(included)

  const reported = new Set(ruled.map(at => `${at.file}:${at.line}:${at.column}`))
  const { maxBytes = null } = options
  const sql = await checkSqlTexts(manifest, expanded, options.checkSql, reported, { maxBytes })
  const sqlFacts = { ...facts, checked: sql.checked, tables: options.tables }
  diagnostics.push(...sql.diagnostics, ...checkRules(SQL_RULES, sqlFacts))
  const variants = expanded.variants.length
  if (diagnostics.some(({ severity }) => severity === 'error')) return failed(included, variants)
  if (options.hasHints) diagnostics.push(...checkRules(HINT_RULES, sqlFacts))

  const { engineIdentity = '', definitions = '', checkExample, unknownArguments = 'ignore', maxRegexpLength } = options
  const example = examples.get(exampleFile(file, manifest.name))
  const endpoint = compileEndpoint({
    manifest,
    expanded,
    checked: sql.checked,
    partials,
    engineIdentity,
    definitions,
    unknownArguments,
    maxRegexpLength,
    ...(example && { example: exampleRows(example) }),
  })
  if (example && checkExample) diagnostics.push(...checkExample(endpoint, example))
  // The maps from SQL back to the template are dropped here: a thousand manifests would keep megabytes of them.
  const readBy = new Map(sql.checked.map(one => [one.text.sql, one.reads]))
  const plain = expanded.variants.map(({ label, sql }) => {
    const reads = readBy.get(sql)
    return { label, sql, ...(reads && { reads }) }
  })
  options.onCompiled?.({ endpoint, manifest, expanded, checked: sql.checked })
  if (options.onTemplate) options.onTemplate(endpoint, await coverageOf(expanded, endpoint))
  const detail = { endpoint, file, variants: plain, lookupRows: lookupRows(manifest) }
  if (diagnostics.length === 0) {
    options.cache?.keep(sourceText, partials, expanded.expansion.partials, {
      detail,
      variants,
      claims,
      exampleText: example?.text ?? null,
    })
  }
  return { source: sourceText, detail, diagnostics, variants, partials: included }
}

/** Loaded when a command asks for it: a server has no use for it. */
async function coverageOf(expanded: ExpandedSql, { parameters }: Endpoint): Promise<TemplateCoverage> {
  const { templateCoverage } = await import('./variants/template-coverage.js')
  return templateCoverage(expanded, parameters)
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
