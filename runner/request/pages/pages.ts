/** Pages: slices of one stored result, which is kept while its caller goes on from page to page. */
import { argumentsDigest, pageKey, revisionDigest, walkKey } from '../../cache/key.js'
import type { CacheAnswer, CacheRequest } from '../../cache/request.js'
import type { ResultCache } from '../../cache/result-cache.js'
import { rowOffsets } from '../../formats/rows.js'
import type { Endpoint } from '../../model/endpoint.js'
import { RunnerError } from '../../model/errors.js'
import { type FairQueueLimits, FairTurns, type Share } from '../../model/fair-queue.js'
import { joinInTurns } from '../../model/in-turns.js'
import type { StoredResult } from '../../model/ports.js'
import type { ArgumentMap } from '../../model/query.js'
import { RESULT_HEAD } from '../../result/body.js'
import type { Cursor, Cursors } from './cursor.js'
import type { AskedPage } from './page-arguments.js'

/** A page that is asked for, of a result that may still have to be computed. */
export interface PagePlan {
  /** The key of the call's results, whatever their `@now` is. */
  readonly key: string
  /** How long the result is kept from now on, in milliseconds. */
  readonly keepMs: number
  /** Null for the first page. */
  readonly cursor: Cursor | null
  readonly size: number
  /** The cursor of the page of this result that begins with this row. */
  readonly cursorAt: (result: Pick<StoredResult, 'now' | 'etag'>, from: number) => string
}

export interface CutPage {
  readonly page: StoredResult
  readonly key: string | null
}

/** A page is a copy of its rows. One token's pages are cut two at a time, since it may ask for hundreds of large ones at once. */
const CUT_LIMITS: FairQueueLimits = { maxRunning: 8, maxOfCaller: 2, maxOfEndpoint: 2 }

export class Pages {
  readonly cursors: Cursors
  readonly #results: ResultCache
  readonly #turns = new FairTurns(CUT_LIMITS)

  constructor(results: ResultCache, cursors: Cursors) {
    this.#results = results
    this.cursors = cursors
  }

  /**
   * The page of a call with these arguments, whose results have this key. Null where its cursor was given for other arguments.
   * @throws RunnerError PAGE_GONE where the endpoint has changed since.
   */
  plan({ size, cursor }: AskedPage, endpoint: Endpoint, args: ArgumentMap, key: string): PagePlan | null {
    const digests = { revision: revisionDigest(endpoint), args: argumentsDigest(endpoint, args) }
    if (cursor !== null && cursor.revision !== digests.revision) throw pageGone('The endpoint has changed')
    if (cursor !== null && cursor.args !== digests.args) return null
    const cursorAt: PagePlan['cursorAt'] = ({ now, etag }, from) =>
      this.cursors.seal(endpoint.id, { ...digests, now, etag, from, size })
    return { key, keepMs: endpoint.pages!.keepMs, cursor, size, cursorAt }
  }

  /** The page, where it has been cut and its result stays for long enough; otherwise undefined. */
  find(plan: PagePlan, cached: CacheRequest): StoredResult | undefined {
    const result = this.#results.entry(cached)
    if (!result || !isOfCursor(plan, result)) return undefined
    const page = this.#results.page(keyOf(plan, result))
    const isKept = isWhole(plan, result) || this.#results.isKept(walkKey(plan.key, result.now), plan.keepMs)
    return isKept ? page : undefined
  }

  /**
   * Keeps the answer's result for the pages that follow; false where it is not stored.
   * @throws RunnerError PAGE_GONE where it is not the result that the cursor belongs to.
   */
  async keep(plan: PagePlan, { result, outcome, isStored }: CacheAnswer, cached: CacheRequest): Promise<boolean> {
    if (!isOfCursor(plan, result)) throw pageGone('The data has changed')
    // If the result is not stored, the next page computes it again, as has just worked for this page.
    if (plan.cursor !== null || isWhole(plan, result)) return true
    const key = walkKey(plan.key, result.now)
    // A request for pages has stored its result under this key itself.
    const isForPages = cached.keepMs !== undefined
    const isStoredNow = isStored || outcome !== 'miss'
    const isKept = isForPages ? isStoredNow : await this.#results.keep(result, cached.key, key, plan.keepMs)
    // The next page may be asked of another replica.
    await this.#results.shared(key)
    return isKept
  }

  /** The page, and the key under which it is stored; null where the store has no room for it. */
  async cut(plan: PagePlan, result: StoredResult, share: Share): Promise<CutPage> {
    const offsets = await rowOffsets(result)
    return this.#turns.run(share, () => this.#cut(plan, result, offsets))
  }

  async #cut(plan: PagePlan, result: StoredResult, offsets: Uint32Array): Promise<CutPage> {
    const key = keyOf(plan, result)
    const existing = this.#results.page(key)
    if (existing) return { page: existing, key }
    const { body, rowCount: totalRows, etag, now, columns, isTruncated, storedAt, freshUntil, dataState } = result
    const { from, to } = rangeOf(plan, result)
    const next = to < totalRows ? plan.cursorAt(result, to) : null
    const rows = from < to ? body.subarray(offsets[from], offsets[to]! - 1) : new Uint8Array()
    const page: StoredResult = {
      ...{ columns, isTruncated, now, storedAt, freshUntil, ...(dataState !== undefined && { dataState }) },
      body: await joinInTurns([Buffer.from(RESULT_HEAD), rows, Buffer.from(`],"next":${JSON.stringify(next)}}`)]),
      rowCount: to - from,
      etag: `${etag.slice(0, -1)}.${this.cursors.stamp(now)}.${from}-${to}"`,
      page: { next, totalRows },
    }
    return { page, key: (await this.#results.keepPage(key, page, plan.keepMs)) ? key : null }
  }
}

/** The rows of the page: from `from` up to, but not including, `to`. */
function rangeOf({ cursor, size }: PagePlan, { rowCount }: StoredResult) {
  const from = Math.min(cursor?.from ?? 0, rowCount)
  return { from, to: Math.min(from + size, rowCount) }
}

const keyOf = (plan: PagePlan, result: StoredResult): string => {
  const { from, to } = rangeOf(plan, result)
  return pageKey(plan.key, result.now, from, to)
}

const isOfCursor = ({ cursor }: PagePlan, { etag }: StoredResult): boolean => cursor === null || cursor.etag === etag

/** Whether all rows are on the first page. */
const isWhole = ({ cursor, size }: PagePlan, { rowCount }: StoredResult): boolean => cursor === null && rowCount <= size

export const pageGone = (why: string): RunnerError =>
  new RunnerError('PAGE_GONE', { detail: `${why} since the first page was given; begin again without cursor.` })
