/** Random walks over the pages of endpoints, while rows are inserted, changed and deleted. */
import { expect } from 'chai'

/** A row of the table `walks.rows`; all that a result shows of it comes from these two numbers. */
export interface WalkedRow {
  readonly id: number
  readonly version: number
}

/** What is walked over. */
export interface WalkedService {
  /** Calls a path below /api/endpoints/query/, on any of the replicas. */
  call(path: string, init?: RequestInit): Promise<Response>
  /** Replaces the rows of the table. */
  write(rows: readonly WalkedRow[]): Promise<void> | void
  /** Drops the results of all endpoints. */
  forget(): Promise<void>
  /** Whether a result may be lost at any time, as where Redis is too slow on a busy machine. */
  readonly mayLose?: boolean
}

const IDS = '6c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a'
const ORDERS = ['', 'ORDER BY id DESC']
const CACHES = ['disabled', '{ ttl_seconds: 300 }']
const MAX_ROWS = [20, 1000]

interface WalkedEndpoint {
  readonly name: string
  readonly isOrdered: boolean
  readonly isCached: boolean
  readonly maxRows: number
  readonly manifest: string
}

/** Ordered and not, cached and not, cut and not; with nested rows, decimals and a time. */
export const WALKED: readonly WalkedEndpoint[] = ORDERS.flatMap((order, o) =>
  CACHES.flatMap((cache, c) =>
    MAX_ROWS.map((maxRows, m) => {
      const number = 4 * o + 2 * c + m
      return {
        name: `walks.rows-${number}`,
        isOrdered: order !== '',
        isCached: c === 1,
        maxRows,
        manifest: `id: ${IDS}0${number}
name: walks.rows-${number}
description: Rows of a table that changes.
parameters:
  step: { type: int64, default: 1, minimum: 1 }
settings: { max_rows: ${maxRows}, cache: ${cache}, pages: { max_size: 100 } }
sql: |
  SELECT id, CAST(FORMAT('%d.25', version) AS NUMERIC) AS price, STRUCT(FORMAT('é "%d"', version) AS name, [id, version] AS parts) AS owner
  FROM walks.rows WHERE MOD(id, @step) = 0 AND @now IS NOT NULL ${order}
`,
      }
    }),
  ),
)

export const WALKED_FIELDS = [
  { name: 'id', type: 'INT64' },
  { name: 'version', type: 'INT64' },
]

/** The row as JSON has it. */
const shownRow = ({ id, version }: WalkedRow) => ({
  id,
  price: `${version}.25`,
  owner: { name: `é "${version}"`, parts: [id, version] },
})

/** Numbers from 0 to `below` - 1, the same for the same seed. */
export function numbersOf(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Makes so many walks, and returns how many of them were refused because the data had changed. */
export async function makeWalks(count: number, seed: number, service: WalkedService) {
  const random = numbersOf(seed)
  let rows: readonly WalkedRow[] = Array.from({ length: 60 }, (_, id) => ({ id, version: 0 }))
  const states = [rows]
  await service.write(rows)

  async function change(): Promise<void> {
    const [id, version] = [random(90), states.length]
    const others = rows.filter(row => row.id !== id)
    rows = random(3) === 0 ? others : random(2) === 0 ? [...others, { id, version }] : [{ id, version }, ...others]
    states.push(rows)
    await service.write(rows)
  }

  let [gone, pages] = [0, 0]
  for (let walk = 0; walk < count; walk++) {
    const endpoint = WALKED[random(WALKED.length)]!
    const step = [1, 2, 7, 1_000][random(4)]!
    const isPost = random(4) === 0
    const format = ['json', 'json', 'ndjson', 'table'][random(4)]!
    const began = states.length - 1
    let isForgotten = false
    const found: unknown[] = []
    let [query, cursor, total] = ['', '', '']
    for (;;) {
      const size = 1 + random(30)
      const own = [`step=${step}`, `page_size=${size}`, cursor && `cursor=${cursor}`].filter(Boolean).join('&')
      const isFollowed = query !== '' && !isPost && random(2) === 0
      const path = `${endpoint.name}?format=${format}`
      const form = { method: 'POST', body: new URLSearchParams(own) }
      const response = await (isPost
        ? service.call(path, form)
        : service.call(isFollowed ? `${endpoint.name}?${query}` : `${path}&${own}`))
      const text = await response.text()
      const about = `seed ${seed}, walk ${walk}: ${path}&${own}: ${text.slice(0, 300)}`
      if (response.status === 410 && (isForgotten || service.mayLose)) {
        gone += 1
        found.length = 0
        break
      }
      expect(response.status, about).to.equal(200)
      const given = rowsIn(format, text)
      expect(response.headers.get('x-row-count'), about).to.equal(String(given.length))
      if (!isFollowed && cursor === '') total = response.headers.get('x-total-rows')!
      expect(response.headers.get('x-total-rows'), about).to.equal(total)
      found.push(...given)
      pages += 1
      const link = response.headers.get('link')
      if (link === null) break
      expect(isFollowed || given.length === size, about).to.equal(true)
      query = /\?(.*)>; rel="next"$/.exec(link)![1]!
      cursor = new URLSearchParams(query).get('cursor')!
      if (format !== 'ndjson') expect(JSON.parse(text).next, about).to.equal(cursor)
      if (random(6) === 0) await change()
      if (random(30) === 0) {
        isForgotten = true
        await service.forget()
      }
    }
    if (found.length > 0 || total === '0')
      expectState(endpoint, step, found, states, began, `seed ${seed}, walk ${walk}`)
    if (random(6) === 0) await change()
  }
  return { gone, pages }
}

function rowsIn(format: string, text: string): unknown[] {
  if (format === 'ndjson')
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  if (format === 'json') return JSON.parse(text).result
  const { columns, rows } = JSON.parse(text) as { columns: { name: string }[]; rows: unknown[][] }
  return rows.map(row => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))
}

/** The rows are those of one moment, each once: of the first page's, or of an earlier one if they were cached. */
function expectState(
  { isOrdered, isCached, maxRows, name }: WalkedEndpoint,
  step: number,
  found: readonly unknown[],
  states: readonly (readonly WalkedRow[])[],
  began: number,
  about: string,
): void {
  const texts = found.map(row => JSON.stringify(row))
  expect(new Set(texts).size, `${about}: a row was given twice`).to.equal(texts.length)
  const isOf = (state: readonly WalkedRow[]): boolean => {
    const all = state.filter(({ id }) => id % step === 0).sort((a, b) => b.id - a.id)
    const expected = all.map(row => JSON.stringify(shownRow(row)))
    if (texts.length !== Math.min(maxRows, expected.length)) return false
    if (isOrdered) return texts.every((text, i) => text === expected[i])
    return texts.every(text => expected.includes(text))
  }
  const possible = isCached ? states.slice(0, began + 1).reverse() : [states[began]!]
  expect(possible.some(isOf), `${about} over ${name}: rows of no single moment: ${texts.join()}`).to.equal(true)
}
