/** One engine to those who run queries, while another may take its place behind it without losing one of them. */
import { RunnerError } from '../model/errors.js'
import type { Engine, RunOptions } from '../model/ports.js'
import type { Query } from '../model/query.js'

export interface EngineRelay<E extends Engine> {
  /**
   * For good. A query runs on an engine that knows its endpoint's revision, the newest of them; what nothing knows any more
   * is refused: it could only be a refresh in the background that comes late.
   */
  readonly engine: Engine
  /** The present one; null before there is one. */
  current(): E | null
  /**
   * From now on this is the present one, and knows these revisions of endpoints too. The one before is closed once no call
   * that began with it and no query is left.
   */
  serve(engine: E, revisions: Iterable<string>): void
  /** A call begins; returns what to call, once, when it ends. */
  begin(): () => void
  close(): Promise<void>
}

export interface RelayDeps {
  readonly name: Engine['name']
  readonly knowsDataChanges: boolean
  /** Told of an engine that failed to close. */
  readonly onFailure: (cause: unknown) => void
}

/** What was served from one reload to the next; several may share an engine. */
interface Era<E> {
  readonly engine: E
  readonly revisions: ReadonlySet<string>
  /** Calls that began in it, and queries of its revisions that run. */
  uses: number
}

export function createEngineRelay<E extends Engine>(deps: RelayDeps): EngineRelay<E> {
  /** Newest first: the present one, and those that somebody may still ask for. */
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

  /** What was before ends with its last call: nobody is left that could ask for its revisions. */
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
