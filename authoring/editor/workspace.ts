/** One folder with endpoints: it finds the diagnostics of `validate` after every change, from texts that may be unsaved. */
import { relative, sep } from 'node:path'
import { setImmediate as yieldOnce } from 'node:timers/promises'
import type { FunctionSources, TableCatalogue } from '../../googlesql/index.js'
import type { CheckSql } from '../../runner/manifest/check/sql.js'
import { withCauses } from '../../runner/manifest/definitions.js'
import type { SourceText } from '../../runner/manifest/discover.js'
import { functionDiagnostics, readFunctions } from '../../runner/manifest/functions/load.js'
import { type FaultlessManifest, type Loaded, type LoadOptions, loadSources } from '../../runner/manifest/load.js'
import { LoadCache } from '../../runner/manifest/load-cache.js'
import { loadPartials, type Partial as SqlPartial } from '../../runner/manifest/load-partials.js'
import { type LoadedTable, tableOf } from '../../runner/manifest/tables/load.js'
import { createSchemaCache } from '../../runner/manifest/tables/schema-cache.js'
import { BoundedMap } from '../../runner/model/bounded-map.js'
import { compareDiagnostics, type Diagnostic } from '../../runner/model/diagnostic.js'
import { systemClock } from '../../runner/platform/clock.js'
import { definitionOf, openServingEngineOver, type ServingEngine } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { constantsChecker } from '../check/constants.js'
import { findEndpoint } from '../test/files/find-endpoint.js'
import { type ReadTests, readTests } from '../test/files/load.js'
import { DiagnosticPublisher, type SendDiagnostics } from './diagnostic-publisher.js'
import type { FileKind, Folders } from './folders.js'
import { SourceTexts } from './source-texts.js'

export interface WorkspaceDeps {
  /** An editor asks at each keystroke, so the embedded engine checks SQL, whatever engine these name. */
  readonly settings: Settings
  readonly folders: Folders
  /** Takes the diagnostics of a file; an empty list clears the earlier ones. */
  readonly send: SendDiagnostics
  /** Tells the author of a failure that is not a mistake in a file. */
  readonly tellFailure: (failure: unknown) => void
}

/** The wait for further edits, in milliseconds: a paste or a rename arrives as several changes. */
const SETTLED_AFTER_MS = 10
/** The wait after an edit of a table schema or a function, in milliseconds: each needs another engine. */
const TABLES_SETTLED_AFTER_MS = 300
/** How long a check may block the event loop, in milliseconds. */
const SLICE_MS = 8
/** If more manifests than this are not checked yet, the open ones are checked first. */
const FEW_MANIFESTS = 20
const MAX_KEPT_CHECKS = 20_000

/** The engine that checks SQL, over one state of the table schemas and the functions; it knows tables without a schema, too. */
interface Checker {
  /** Identifies the state of the schemas and functions. */
  readonly key: string
  readonly engine: ServingEngine
  /** Computes the constants, too. */
  readonly check: ServingEngine['check']
}

/** A newer edit makes this check useless. */
class SupersededError extends Error {
  override readonly name = 'SupersededError'
}

export class Workspace {
  readonly texts: SourceTexts
  readonly folders: Folders
  readonly publisher: DiagnosticPublisher
  readonly #deps: WorkspaceDeps
  readonly #cache = new LoadCache<FaultlessManifest>()
  readonly #readSchema = createSchemaCache()
  readonly #checks = new BoundedMap<string, Awaited<ReturnType<CheckSql>>>(MAX_KEPT_CHECKS)
  readonly #tests = new Map<
    string,
    { readonly text: string; readonly tables: TableCatalogue; readonly result: ReadTests }
  >()
  /** The last sound definition of each table. */
  #tables: ReadonlyMap<string, LoadedTable> = new Map()
  #checker: Checker | null = null
  #requestCount = 0
  #mustRead = true
  #running: Promise<void> | null = null
  #pauseMs = SETTLED_AFTER_MS
  #isClosed = false
  #catalogue: TableCatalogue | undefined
  #setReady = (): void => {}
  /** Resolves when the files and the tables have been read for the first time, or could not be. */
  readonly ready = new Promise<void>(resolve => {
    this.#setReady = resolve
  })

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps
    this.folders = deps.folders
    this.texts = new SourceTexts(deps.folders)
    this.publisher = new DiagnosticPublisher(deps.folders.root, this.texts, deps.send)
  }

  /** A document was opened, edited or closed. */
  documentChanged(kind: FileKind): void {
    this.#request(kind === 'table' || kind === 'function' ? TABLES_SETTLED_AFTER_MS : SETTLED_AFTER_MS)
  }

  /** Files on the disk may have changed. */
  rescan(): void {
    this.#mustRead = true
    this.#request(SETTLED_AFTER_MS)
  }

  /** Resolves when no check is under way or waiting. */
  async whenSettled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /** The tables that have a schema, by name. */
  get tables(): ReadonlyMap<string, LoadedTable> {
    return this.#tables
  }

  /** All tables that queries can name, as the last engine had them; undefined until the first one is open. */
  get catalogue(): TableCatalogue | undefined {
    return this.#checker?.engine.tables() ?? this.#catalogue
  }

  /** The partials by name. */
  partials(): ReadonlyMap<string, SqlPartial> {
    return loadPartials(this.texts.all('partial')).byName
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#requestCount += 1
    await this.whenSettled()
    this.#setReady()
    await this.#checker?.engine.close()
  }

  #request(pauseMs: number): void {
    this.#requestCount += 1
    this.#pauseMs = Math.max(this.#running ? 0 : SETTLED_AFTER_MS, pauseMs)
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
  }

  async #run(): Promise<void> {
    for (let checkedCount = -1; checkedCount !== this.#requestCount && !this.#isClosed; ) {
      const seenCount = this.#requestCount
      await new Promise(resolve => setTimeout(resolve, this.#pauseMs))
      if (seenCount !== this.#requestCount && this.#pauseMs === TABLES_SETTLED_AFTER_MS) continue
      checkedCount = this.#requestCount
      this.#pauseMs = SETTLED_AFTER_MS
      try {
        await this.#check(() => checkedCount !== this.#requestCount)
      } catch (thrown) {
        if (!(thrown instanceof SupersededError)) this.#deps.tellFailure(thrown)
      } finally {
        this.#setReady()
      }
    }
  }

  async #check(isSuperseded: () => boolean): Promise<void> {
    if (this.#mustRead) {
      this.#mustRead = false
      await this.texts.read()
    }
    const schemas = this.#readSchemas()
    const { functions, diagnostics: functionMistakes } = readFunctions(
      relative(this.folders.root, this.folders.functions).split(sep).join('/'),
      this.texts.all('function'),
    )
    // While a schema has mistakes, its last sound state stays in use.
    const broken = schemas.filter(({ file }) => !this.#tables.has(tableOf(file)))
    const mistakes = [...broken, ...functionMistakes]
    const checker = await this.#checkerFor([...this.#tables.values()], functions, mistakes)
    this.#setReady()
    const manifests = this.texts.all('manifest')
    const open = manifests.filter(({ file }) => this.texts.open.has(file))
    if (open.length > 0 && manifests.length - this.#cache.size > FEW_MANIFESTS) {
      const first = await this.#load(open, checker, {})
      this.publisher.update(
        withCauses(first, mistakes).diagnostics,
        open.map(({ file }) => file),
      )
    }
    const { checkExample } = await import('../check/example.js')
    const loaded = await this.#load(manifests, checker, {
      cache: this.#cache,
      examples: this.texts.all('example'),
      checkExample,
      yieldToEventLoop: yieldBetween(isSuperseded),
    })
    const tests = this.texts.all('tests').flatMap(source => this.#testMistakes(source, checker.engine.tables(), loaded))
    const mistakesOfAll = [...functionDiagnostics(checker.engine.tables()), ...loaded.diagnostics, ...tests]
    const { diagnostics } = withCauses({ ...loaded, diagnostics: mistakesOfAll }, mistakes)
    const edited = schemas.filter(schema => !broken.includes(schema))
    const all = [...this.texts.unreadable, ...edited, ...diagnostics].sort(compareDiagnostics)
    this.publisher.update(all, null)
  }

  #readSchemas(): readonly Diagnostic[] {
    const diagnostics: Diagnostic[] = []
    const tables = new Map<string, LoadedTable>()
    for (const source of this.texts.all('table')) {
      const { table, diagnostics: mistakes } = this.#readSchema(source)
      diagnostics.push(...mistakes)
      const sound = table ?? this.#tables.get(tableOf(source.file))
      if (sound) tables.set(sound.name, sound)
    }
    this.#tables = tables
    return diagnostics
  }

  async #checkerFor(
    tables: readonly LoadedTable[],
    functions: FunctionSources,
    mistakes: readonly Diagnostic[],
  ): Promise<Checker> {
    const schemas = tables.map(({ name, columns, required, layout }) => [name, columns, required, layout])
    const key = JSON.stringify([schemas, functions, mistakes])
    if (this.#checker?.key === key) return this.#checker
    this.#catalogue = this.catalogue
    await this.#checker?.engine.close()
    this.#checker = null
    this.#checks.clear()
    const definitions = { tables: tables.map(definitionOf), functions, mistakes }
    const settings: Settings = { ...this.#deps.settings, engine: 'duckdb', dataDir: this.folders.data }
    const engine = await openServingEngineOver(definitions, settings, { observe: () => {}, clock: systemClock() })
    this.#checker = { key, engine, check: constantsChecker(engine) }
    return this.#checker
  }

  #load(manifests: readonly SourceText[], checker: Checker, options: Partial<LoadOptions>): Promise<Loaded> {
    const checkSql: CheckSql = async (sql, types, values) => {
      const key = `${JSON.stringify(types)} ${sql}`
      const cached = this.#checks.get(key)
      const result = cached ?? (await checker.check(sql, types, values))
      this.#checks.set(key, result)
      return result
    }
    return loadSources(manifests, this.texts.all('partial'), {
      tables: checker.engine.tables(),
      checkSql,
      ...options,
    })
  }

  #testMistakes(source: SourceText, tables: TableCatalogue, loaded: Loaded): readonly Diagnostic[] {
    const cached = this.#tests.get(source.file)
    const isCurrent = cached?.text === source.text && cached.tables === tables
    const result = isCurrent ? cached.result : readTests(source, tables)
    this.#tests.set(source.file, { text: source.text, tables, result })
    return result.tests === null
      ? result.diagnostics
      : [...result.diagnostics, ...findEndpoint(result.tests, loaded).diagnostics]
  }
}

/** Lets other work go on every few milliseconds. @throws SupersededError in the returned function's promise */
function yieldBetween(isSuperseded: () => boolean): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < SLICE_MS) return
    await yieldOnce()
    if (isSuperseded()) throw new SupersededError()
    last = performance.now()
  }
}
