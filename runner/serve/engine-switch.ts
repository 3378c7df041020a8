/** An engine whose implementation can be replaced while queries run, without losing any of them. */
import { ENGINES } from '../model/engines.js'
import { RunnerError } from '../model/errors.js'
import type { Engine, RunOptions } from '../model/ports.js'
import type { Query } from '../model/query.js'

export interface EngineRelay<E extends Engine> {
  /**
   * The engine that callers keep. A query runs on the newest engine that knows its endpoint's revision. A query whose
   * revision no engine knows any more is refused: it can only be a late background refresh.
   */
  readonly engine: Engine
  /** The current engine; null before the first. */
  current(): E | null
  /**
   * Makes this the current engine, which also knows these revisions. The previous engine is closed once its calls and queries
   * have ended.
   */
  serve(engine: E, revisions: Iterable<string>): void
  /** Registers the begin of a call; returns a function to call once, at its end. */
  begin(): () => void
  close(): Promise<void>
}

export interface RelayDeps {
  readonly name: Engine['name']
  /** Called when an engine fails to close. */
  readonly onFailure: (cause: unknown) => void
}

/** What was served from one reload to the next; several may share an engine. */
interface Generation<E> {
  readonly engine: E
  readonly revisions: ReadonlySet<string>
  /** The number of calls that began in it, and of running queries of its revisions. */
  uses: number
}

export function createEngineRelay<E extends Engine>(deps: RelayDeps): EngineRelay<E> {
  /** Newest first: the current one, and those that running calls still use. */
  let generations: readonly Generation<E>[] = []
  const closing = new Set<Promise<void>>()

  function generationOf(revision: string | undefined): Generation<E> {
    const generation = revision === undefined ? generations[0] : generations.find(one => one.revisions.has(revision))
    if (generation === undefined) throw new RunnerError('ENGINE_UNAVAILABLE')
    return generation
  }

  async function use<T>(revision: string | undefined, ask: (engine: E) => Promise<T>): Promise<T> {
    const generation = generationOf(revision)
    const leave = enter(generation)
    try {
      return await ask(generation.engine)
    } finally {
      leave()
    }
  }

  function enter(generation: Generation<E>): () => void {
    generation.uses += 1
    return () => {
      generation.uses -= 1
      closeUnused(generation)
    }
  }

  /** Closes an older engine after its last call, when no call can ask for its revisions any more. */
  function closeUnused(generation: Generation<E>): void {
    if (generation === generations[0] || generation.uses > 0 || !generations.includes(generation)) return
    generations = generations.filter(one => one !== generation)
    if (generations.every(({ engine }) => engine !== generation.engine))
      closeEngine(generation.engine).catch(deps.onFailure)
  }

  function closeEngine(engine: E): Promise<void> {
    const closed: Promise<void> = engine.close().finally(() => closing.delete(closed))
    closing.add(closed)
    return closed
  }

  async function close(): Promise<void> {
    const engines = new Set(generations.map(generation => generation.engine))
    generations = []
    await Promise.all([...closing, ...[...engines].map(closeEngine)])
  }

  const engine: Engine = {
    name: deps.name,
    run: (query, options: RunOptions) => use(options.job?.revision, one => one.run(query, options)),
    check: (sql, types, values) => use(undefined, one => one.check(sql, types, values)),
    explain: query => use(undefined, one => one.explain(query)),
    locate: (query, options, failure) =>
      use(options.job?.revision, async one => (await one.locate?.(query, options, failure)) ?? null),
    dryRun: query => use(undefined, one => one.dryRun(query)),
    ping: () => use(undefined, one => one.ping()),
    close,
    ...(ENGINES[deps.name].knowsWhenDataChanged && {
      dataState: (query: Query) => generations[0]?.engine.dataState?.(query) ?? null,
      dataCopy: () => generations[0]?.engine.dataCopy?.() ?? '',
    }),
  }

  return {
    engine,
    current: () => generations[0]?.engine ?? null,
    serve(engine, revisions) {
      const before = generations[0]
      generations = [{ engine, revisions: new Set(revisions), uses: 0 }, ...generations]
      if (before) closeUnused(before)
    },
    begin() {
      const generation = generations[0]
      return generation ? enter(generation) : () => {}
    },
    close,
  }
}
