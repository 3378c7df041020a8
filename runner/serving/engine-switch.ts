/** An engine whose implementation can be replaced while queries run, without losing any of them. */
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
  readonly knowsDataChanges: boolean
  /** Called when an engine fails to close. */
  readonly onFailure: (cause: unknown) => void
}

/** What was served from one reload to the next; several may share an engine. */
interface Era<E> {
  readonly engine: E
  readonly revisions: ReadonlySet<string>
  /** The number of calls that began in it, and of running queries of its revisions. */
  uses: number
}

export function createEngineRelay<E extends Engine>(deps: RelayDeps): EngineRelay<E> {
  /** Newest first: the current one, and those that running calls still use. */
  let eras: readonly Era<E>[] = []
  const closing = new Set<Promise<void>>()

  function eraOf(revision: string | undefined): Era<E> {
    const era = revision === undefined ? eras[0] : eras.find(one => one.revisions.has(revision))
    if (era === undefined) throw new RunnerError('ENGINE_UNAVAILABLE')
    return era
  }

  async function use<T>(revision: string | undefined, ask: (engine: E) => Promise<T>): Promise<T> {
    const era = eraOf(revision)
    const leave = enter(era)
    try {
      return await ask(era.engine)
    } finally {
      leave()
    }
  }

  function enter(era: Era<E>): () => void {
    era.uses += 1
    return () => {
      era.uses -= 1
      endUnused(era)
    }
  }

  /** Closes an older engine after its last call, when no call can ask for its revisions any more. */
  function endUnused(era: Era<E>): void {
    if (era === eras[0] || era.uses > 0 || !eras.includes(era)) return
    eras = eras.filter(one => one !== era)
    if (eras.every(({ engine }) => engine !== era.engine)) closeEngine(era.engine).catch(deps.onFailure)
  }

  function closeEngine(engine: E): Promise<void> {
    const closed: Promise<void> = engine.close().finally(() => closing.delete(closed))
    closing.add(closed)
    return closed
  }

  async function close(): Promise<void> {
    const engines = new Set(eras.map(era => era.engine))
    eras = []
    await Promise.all([...closing, ...[...engines].map(closeEngine)])
  }

  const engine: Engine = {
    name: deps.name,
    run: (query, options: RunOptions) => use(options.job?.revision, one => one.run(query, options)),
    check: (sql, types, values) => use(undefined, one => one.check(sql, types, values)),
    explain: query => use(undefined, one => one.explain(query)),
    dryRun: query => use(undefined, one => one.dryRun(query)),
    ping: () => use(undefined, one => one.ping()),
    close,
    ...(deps.knowsDataChanges && {
      dataState: (query: Query) => eras[0]?.engine.dataState?.(query) ?? null,
      dataCopy: () => eras[0]?.engine.dataCopy?.() ?? '',
    }),
  }

  return {
    engine,
    current: () => eras[0]?.engine ?? null,
    serve(engine, revisions) {
      const before = eras[0]
      eras = [{ engine, revisions: new Set(revisions), uses: 0 }, ...eras]
      if (before) endUnused(before)
    },
    begin() {
      const era = eras[0]
      return era ? enter(era) : () => {}
    },
    close,
  }
}
