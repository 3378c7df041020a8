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

interface Place<E> {
  readonly engine: E
  readonly revisions: Set<string>
  /** Calls that began with it, and what it is asked for now. */
  uses: number
  isClosed: boolean
}

export function createEngineRelay<E extends Engine>(deps: RelayDeps): EngineRelay<E> {
  /** Newest first. */
  let places: readonly Place<E>[] = []
  const closing = new Set<Promise<void>>()

  function placeFor(revision: string | undefined): Place<E> {
    const place = revision === undefined ? places[0] : places.find(one => one.revisions.has(revision))
    if (place === undefined) throw new RunnerError('ENGINE_UNAVAILABLE')
    return place
  }

  async function use<T>(revision: string | undefined, ask: (engine: E) => Promise<T>): Promise<T> {
    const leave = enter(placeFor(revision))
    try {
      return await ask(leave.engine)
    } finally {
      leave.end()
    }
  }

  function enter(place: Place<E>): { readonly engine: E; readonly end: () => void } {
    place.uses += 1
    const end = (): void => {
      place.uses -= 1
      closeUnused(place)
    }
    return { engine: place.engine, end }
  }

  function closeUnused(place: Place<E>): void {
    if (place !== places[0] && place.uses === 0 && !place.isClosed) closePlace(place).catch(deps.onFailure)
  }

  function closePlace(place: Place<E>): Promise<void> {
    place.isClosed = true
    places = places.filter(one => one !== place)
    const closed: Promise<void> = place.engine.close().finally(() => closing.delete(closed))
    closing.add(closed)
    return closed
  }

  async function close(): Promise<void> {
    const ends = [...closing, ...places.map(closePlace)]
    await Promise.all(ends)
  }

  const engine: Engine = {
    name: deps.name,
    run: (query, options: RunOptions) => use(options.job?.revision, one => one.run(query, options)),
    check: (sql, types, values) => use(undefined, one => one.check(sql, types, values)),
    explain: query => use(undefined, one => one.explain(query)),
    ping: () => use(undefined, one => one.ping()),
    close,
    ...(deps.knowsDataChanges && { dataState: (query: Query) => places[0]?.engine.dataState?.(query) ?? null }),
  }

  return {
    engine,
    current: () => places[0]?.engine ?? null,
    serve(next, revisions) {
      const before = places[0]
      if (before?.engine !== next) {
        places = [{ engine: next, revisions: new Set(), uses: 0, isClosed: false }, ...places]
      }
      const place = places[0]!
      // No call is left that could ask for what was before.
      if (place.uses === 0) place.revisions.clear()
      for (const revision of revisions) place.revisions.add(revision)
      if (before) closeUnused(before)
    },
    begin() {
      const place = places[0]
      return place ? enter(place).end : () => {}
    },
    close,
  }
}
