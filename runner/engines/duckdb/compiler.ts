/** Translates queries, and keeps the translations until the tables change. */

import { rootOf, SqlError, typeName } from '../../../googlesql/index.js'
import type { Delay, GenerateOptions, TranslatedQuery, translate } from '../../../googlesql-duckdb/index.js'
import { BoundedMap, memo } from '../../model/bounded-map.js'
import { nextTurn } from '../../model/in-turns.js'
import { typesOf } from '../../model/parameter-types.js'
import type { Query } from '../../model/query.js'
import type { Catalogue, TableView } from './catalogue.js'
import { CompiledQuery, type SourceQuery } from './compiled-query.js'
import type { EngineProcesses } from './engine-processes.js'
import type { BoundQuery, Statement } from './process/messages.js'
import { RequestFailure } from './process/request-queue.js'
import { dataFolderFault } from './tables/data-folder.js'
import { wireParameters } from './values/parameter-values.js'

export interface CompilerDeps {
  readonly catalogue: Catalogue
  readonly translate: typeof translate
  readonly processes: Pick<EngineProcesses, 'discover'>
  readonly dataDir: string | null
}

const MAX_TRANSLATIONS = 1_000

export class Compiler {
  readonly #deps: CompilerDeps
  /** Translations of ad-hoc queries, and the second and third translations of queries that fail. Endpoints keep their own CompiledQuery. */
  readonly #translations = new BoundedMap<string, TranslatedQuery>(MAX_TRANSLATIONS)
  /** SQL that failed since it limits rows early: it would probably fail again. */
  readonly #cutShort = new BoundedMap<string, true>(MAX_TRANSLATIONS)

  constructor(deps: CompilerDeps) {
    this.#deps = deps
  }

  /** The translation, from the cache or new. @throws SqlError */
  translate(source: SourceQuery, options: GenerateOptions = { limitsEarly: true }): TranslatedQuery {
    const { sql, types, view } = source
    const names = Object.keys(types).sort()
    const typed = names.map(name => [name, typeName(types[name]!)])
    const key = JSON.stringify([this.#deps.catalogue.revision, view.key, typed, options, sql])
    return memo(this.#translations, key, () => this.translateOnce(source, options))
  }

  /** Translates without keeping the translation. @throws SqlError */
  translateOnce({ sql, types, view }: SourceQuery, options: GenerateOptions): TranslatedQuery {
    return this.#deps.translate(sql, view.tables(), types, options)
  }

  /** Translates. If a table is missing, looks for new files and translates again. @throws SqlError */
  async withNewFiles(sql: string, translateNow: () => TranslatedQuery): Promise<TranslatedQuery> {
    try {
      return translateNow()
    } catch (error) {
      if (!(error instanceof SqlError) || rootOf(error.mistake)?.code !== 'unknown-table') throw error
      const { catalogue, processes, dataDir } = this.#deps
      const before = catalogue.revision
      await processes.discover()
      if (catalogue.revision !== before) return translateNow()
      const fault = dataFolderFault(dataDir)
      throw fault === null ? error : new SqlError(`${error.reason}; ${fault}`, sql, error.offset, error.mistake)
    }
  }

  /** @throws SqlError */
  async compile(source: SourceQuery, more: Pick<GenerateOptions, 'tellsConstants'> = {}): Promise<CompiledQuery> {
    const options = { limitsEarly: true, ...more }
    const translation = await this.withNewFiles(source.sql, () => this.translate(source, options))
    return new CompiledQuery(source, translation, this.#deps.catalogue.revision)
  }

  /** The compiled query that a caller has kept, renewed where the tables have changed. @throws SqlError */
  async compiledOf(query: Query, view: TableView): Promise<CompiledQuery> {
    const { catalogue } = this.#deps
    const kept = view === catalogue.view && query.compiled instanceof CompiledQuery ? query.compiled : null
    if (kept?.revision === catalogue.revision) return kept
    const compiled = await this.compile(sourceOf(query, view))
    return kept ? Object.assign(kept, compiled) : compiled
  }

  /** The names of the tables that the query reads. @throws SqlError */
  tablesOf(query: Query): readonly string[] {
    const { catalogue } = this.#deps
    const { compiled } = query
    const isCurrent = compiled instanceof CompiledQuery && compiled.revision === catalogue.revision
    return (isCurrent ? compiled.translation : this.translate(sourceOf(query, catalogue.view))).tables
  }

  /**
   * Runs the query. If it fails and limits rows early, runs it again without the early limit. If it fails again and contains constants
   * that can fail, runs it with these constants evaluated per row: DuckDB computes constants even if no row reaches them.
   */
  async runRetrying<T>(
    compiled: CompiledQuery,
    delay: Delay,
    run: (translation: TranslatedQuery) => Promise<T>,
    translation = compiled.translation,
  ): Promise<T> {
    const { source } = compiled
    const withoutEarlyLimit = (): TranslatedQuery => this.translate(source, {})
    if (this.#cutShort.has(translation.sql)) return this.runRetrying(compiled, delay, run, withoutEarlyLimit())
    try {
      return await run(translation)
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query' || error.isBegun) throw error
      if (error.failure.isShortOfRoom) throw error // It would be short of room again.
      // Each translation has a turn of its own: it may take 20 ms.
      await nextTurn()
      const fullQuery = withoutEarlyLimit()
      if (fullQuery.sql !== translation.sql) {
        const answer = await this.runRetrying(compiled, delay, run, fullQuery)
        this.#cutShort.set(translation.sql, true)
        return answer
      }
      await nextTurn()
      const delayedQuery = this.translate(source, { delay })
      if (delayedQuery.sql === translation.sql) throw error
      return await run(delayedQuery).catch((delayedError: unknown) => {
        // DuckDB requires some arguments to be constant; an error about a delayed constant does not concern the query.
        throw delayedError instanceof RequestFailure && delayedError.failure.kind === 'engine' ? error : delayedError
      })
    }
  }
}

export const sourceOf = ({ sql, parameters }: Query, view: TableView): SourceQuery => ({
  sql,
  types: typesOf(parameters),
  view,
})

/** The query for the engine's processes, with its parameters. @throws RunnerError */
export const bind = (translation: TranslatedQuery, { parameters }: Query): BoundQuery => ({
  ...statementOf(translation),
  parameters: wireParameters(translation.parameters, parameters),
})

/** The members of a translation that the processes need. */
export const statementOf = ({ sql, tables, runsJavaScript, shardReads }: TranslatedQuery): Statement => ({
  sql,
  tables,
  runsJavaScript,
  shardReads,
})
