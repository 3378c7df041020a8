import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { addToken } from '../../authoring/token/token-writer.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from '../cache/stores/redis/redis-server.js'
import { startServe } from '../cli/command.js'
import { makePipe } from '../pipe.js'
import { itInAll, sampleOf, sampleSize } from '../sample-size.js'
import { pause, until } from '../until.js'
import { makeWalks, numbersOf, WALKED, WALKED_FIELDS, type WalkedRow, type WalkedService } from './page-walks.js'
import { foldersOf, openReplica, purge, queries, type Replica, settingsOf, TOKEN } from './shop.js'

/** An endpoint with tenants, and one whose result is larger than the cache takes. */
const MORE = {
  'walks.owned': `id: 7c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a01
name: walks.owned
description: Rows of tenants.
parameters:
  owner: { type: string }
  n: { type: int64, default: 10 }
tenant: owner
tenant_free: [walks.rows]
settings: { pages: { max_size: 100, keep_seconds: 1 } }
sql: |
  SELECT id, @owner AS owner FROM walks.rows WHERE id < @n AND @owner IS NOT NULL ORDER BY id
`,
  'walks.brief': `id: 7c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a03
name: walks.brief
description: Rows that are kept for long, and their pages briefly.
settings: { cache: { ttl_seconds: 3600 }, pages: { keep_seconds: 1 } }
sql: |
  SELECT id FROM walks.rows ORDER BY id
`,
  'walks.slow': `id: 7c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a04
name: walks.slow
description: Takes a second.
settings: { pages: {} }
sql: |
  SELECT id, (SELECT SUM(MOD(i * j, 1009)) FROM UNNEST(GENERATE_ARRAY(1, 3000)) AS i, UNNEST(GENERATE_ARRAY(1, 3000)) AS j) AS n
  FROM walks.rows ORDER BY id
`,
  'walks.large': `id: 7c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a02
name: walks.large
description: A large result.
parameters:
  n: { type: int64, default: 10 }
settings: { max_rows: 100000, pages: {} }
sql: |
  SELECT REPEAT('x', 1000) AS text FROM UNNEST(GENERATE_ARRAY(1, @n))
`,
  'walks.dense': `id: 7c9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a05
name: walks.dense
description: A result that takes long to compress.
settings: { cache: { ttl_seconds: 300 }, pages: {} }
sql: |
  SELECT (SELECT STRING_AGG(TO_BASE64(SHA512(FORMAT('%d %d', i, j)))) FROM UNNEST(GENERATE_ARRAY(1, 16)) AS j) AS text
  FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS i
`,
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pages-'))
  for (const name of ['endpoints', 'tables', 'data/walks']) mkdirSync(join(folder, name), { recursive: true })
  for (const { name, manifest } of WALKED) writeFileSync(join(folder, `endpoints/${name}.yaml`), manifest)
  for (const [name, text] of Object.entries(MORE)) writeFileSync(join(folder, `endpoints/${name}.yaml`), text)
  writeFileSync(join(folder, 'tables/walks.rows.json'), JSON.stringify(WALKED_FIELDS))
  return folder
}

/** The new rows are there at once: no reader sees a part of them. */
function writeRows(folder: string, rows: readonly WalkedRow[]): void {
  const path = join(folder, 'data/walks/rows.ndjson')
  writeFileSync(`${path}.tmp`, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  renameSync(`${path}.tmp`, path)
}

const call = ({ server }: Replica, path: string, init: RequestInit = {}, token = TOKEN): Promise<Response> =>
  fetch(`${server.url}/api/endpoints/query/${path}`, { ...init, headers: { 'X-API-KEY': token, ...init.headers } })

const ROWS = Array.from({ length: 60 }, (_, id) => ({ id, version: 0 }))

const close = async ({ server, runner }: Replica): Promise<void> => {
  await server.close()
  await runner.close()
}

interface Answer {
  readonly result?: { readonly id: number; readonly owner: string }[]
  readonly next?: string | null
  readonly code?: string
  readonly detail?: string
  readonly errors?: readonly { readonly parameter: string }[]
}

async function page(replica: Replica, path: string, token = TOKEN) {
  const response = await call(replica, path, {}, token)
  const { result = [], next = null, ...rest } = (await response.json()) as Answer
  return {
    status: response.status,
    rows: result as { id: number; owner: string }[],
    next: next as string,
    response,
    rest,
  }
}

describe('pages', function () {
  this.timeout(600_000)
  let folder = ''
  let replica: Replica

  before(async () => {
    folder = makeFolder()
    writeRows(
      folder,
      Array.from({ length: 60 }, (_, id) => ({ id, version: 0 })),
    )
    replica = await openReplica(settingsOf(folder, { SLUICE_CACHE_MEMORY: '8' }))
  })
  beforeEach(async () => {
    writeRows(folder, ROWS)
  })
  after(async () => {
    await close(replica)
    rmSync(folder, { recursive: true, force: true })
  })

  it('that one token asks for at once are bounded in memory, until they have been compressed: further ones are a 503', async () => {
    const small = await openReplica(settingsOf(folder, { SLUICE_CACHE_MEMORY: '128', SLUICE_MAX_UNSENT: '2' }))
    try {
      const headers = { 'Accept-Encoding': 'br' }
      const statusOf = async (size: number): Promise<number> =>
        (await call(small, `walks.dense?page_size=${size}`, { method: 'HEAD', headers })).status
      expect(await statusOf(999)).to.equal(200)
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => statusOf(900 + i)))
      expect([...new Set(statuses)].sort()).to.deep.equal([200, 503])
      expect(await statusOf(850)).to.equal(200)
    } finally {
      await close(small)
    }
  })

  itInAll('give each row of the first page’s moment once, in 1,400 random walks while the rows change', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const service: WalkedService = {
      call: (path, init) => call(replica, path, init),
      write: rows => writeRows(folder, rows),
      async forget() {
        for (const { name } of WALKED) expect((await purge(replica, name)).status).to.equal(200)
      },
    }
    const { gone, pages } = await makeWalks(1_400, seed, service)
    expect(pages, `seed ${seed}`).to.be.greaterThan(2_500)
    expect(gone, `seed ${seed}`).to.be.greaterThan(0)
  })

  it('run one query for a walk, also of an endpoint that is not cached', async () => {
    const before = queries(replica)
    let { next, rows } = await page(replica, 'walks.owned?owner=a&page_size=3')
    while (next) {
      const more = await page(replica, `walks.owned?owner=a&page_size=3&cursor=${next}`)
      rows = [...rows, ...more.rows]
      next = more.next
    }
    expect([rows.length, queries(replica) - before]).to.deep.equal([10, 1])
  })

  it('go on after a restart, with the key that is kept beside the tokens file', async () => {
    const { next } = await page(replica, 'walks.owned?owner=a&page_size=3')
    expect(statSync(join(folder, 'data/cursor.key')).mode & 0o777).to.equal(0o600)
    const again = await openReplica(settingsOf(folder, {}))
    try {
      const second = await page(again, `walks.owned?owner=a&cursor=${next}`)
      expect([second.status, second.rows.map(({ id }) => id)]).to.deep.equal([200, [3, 4, 5]])
      expect(second.response.headers.get('cache-status')).to.equal('sluice; fwd=miss; stored')
      expect((await page(again, `walks.owned?owner=a&cursor=${next}`)).response.headers.get('cache-status')).to.equal(
        'sluice; hit; ttl=0',
      )
    } finally {
      await close(again)
    }
  })

  const UNUSABLE: readonly (readonly [what: string, why: string, make: (path: string) => () => void])[] = [
    [
      'is too short',
      'it holds fewer than 32 characters',
      path => {
        writeFileSync(path, 'short')
        return () => rmSync(path)
      },
    ],
    ['is a pipe', 'it is not an ordinary file', path => makePipe(path, 'k'.repeat(40))],
  ]
  for (const [what, why, make] of sampleOf(UNUSABLE)) {
    it(`have cursors of one process alone where the key ${what}, which the log says`, async () => {
      const path = join(folder, 'cursor.key')
      const remove = make(path)
      const alone = await openReplica({ ...settingsOf(folder, {}), tokensFile: join(folder, 'tokens.json') })
      try {
        const { next } = await page(alone, 'walks.owned?owner=a&page_size=3')
        expect((await page(alone, `walks.owned?owner=a&cursor=${next}`)).status).to.equal(200)
        expect((await page(replica, `walks.owned?owner=a&cursor=${next}`)).status).to.equal(400)
        expect(alone.events.filter(({ kind }) => kind === 'cursors.key-not-kept')).to.deep.equal([
          { kind: 'cursors.key-not-kept', reason: `${path}: ${why}` },
        ])
      } finally {
        await close(alone)
        remove()
      }
    })
  }

  it('are refused for a cursor that was changed, or that is of other arguments, pins or endpoints: 500 of each seed', async () => {
    const [a, b] = [
      await addToken(settingsOf(folder, {}), { name: 'a', allow: ['walks.*'], pin: { owner: 'a' } }),
      await addToken(settingsOf(folder, {}), { name: 'b', allow: ['walks.*'], pin: { owner: 'b' } }),
    ]
    const seed = Math.floor(Math.random() * 2 ** 31)
    const random = numbersOf(seed)
    const next = (await page(replica, 'walks.owned?page_size=3', a)).next!
    const ofB = (await page(replica, 'walks.owned?page_size=3', b)).next!
    expect((await page(replica, `walks.owned?cursor=${next}`, a)).rows[0]).to.deep.equal({ id: 3, owner: 'a' })
    const alphabet = 'ABab01_-.'
    const parts = [next.split('.'), ofB.split('.')]
    const altered = (): string => {
      const at = random(next.length)
      switch (random(5)) {
        case 0:
          return next.slice(0, at) + alphabet[random(alphabet.length)] + next.slice(at + 1)
        case 1:
          return next.slice(0, at)
        case 2:
          return next + alphabet[random(alphabet.length)]
        case 3:
          return ofB.slice(0, at) + next.slice(at)
        default:
          return parts[0]!.map((part, i) => (random(2) === 0 ? part : parts[1]![i])).join('.')
      }
    }
    for (let i = 0; i < sampleSize(500); i++) {
      const cursor = altered()
      if (cursor === next || cursor === '') continue
      const { status, rest } = await page(replica, `walks.owned?cursor=${encodeURIComponent(cursor)}`, a)
      expect([status, rest.code, rest.errors?.map(({ parameter }) => parameter)], cursor).to.deep.equal([
        400,
        'ARGUMENT_INVALID',
        ['cursor'],
      ])
    }
    for (const [path, token] of [
      [`walks.owned?cursor=${next}`, b],
      [`walks.owned?cursor=${next}&n=11`, a],
      [`walks.rows-0?cursor=${next}`, TOKEN],
      [`walks.owned?cursor=${next}&cursor=${next}`, a],
      [`walks.owned?cursor=${'a'.repeat(30_000)}`, a],
    ] as const) {
      const { status, rest } = await page(replica, path, token)
      expect([status, rest.code], path.slice(0, 100)).to.deep.equal([
        path.length > 16_384 ? 414 : 400,
        path.length > 16_384 ? 'URI_TOO_LONG' : 'ARGUMENT_INVALID',
      ])
    }
    // The pinned value may also be sent by a token without pins: that is the same call.
    expect((await page(replica, `walks.owned?owner=a&cursor=${next}`)).rows[0]).to.deep.equal({ id: 3, owner: 'a' })
  })

  it('are gone where the data has changed since, and the result is not kept any more', async () => {
    const { next } = await page(replica, 'walks.rows-4?page_size=3')
    writeRows(folder, [{ id: 1, version: 9 }])
    expect((await page(replica, `walks.rows-4?cursor=${next}`)).status).to.equal(200)
    expect((await purge(replica, 'walks.rows-4')).status).to.equal(200)
    const { status, rest } = await page(replica, `walks.rows-4?cursor=${next}`)
    expect([status, rest.code, rest.detail]).to.deep.equal([
      410,
      'PAGE_GONE',
      'The data has changed since the first page was given; begin again without cursor.',
    ])
  })

  it('go on although a caller asks for a new result beside a cursor', async () => {
    const fresh = await addToken(settingsOf(folder, {}), { name: 'fresh', allow: ['walks.*'], fresh: '100/min' })
    const path = 'walks.rows-6?page_size=3&step=1'
    // The random walks have left a result of other rows.
    await purge(replica, 'walks.rows-6')
    const { next } = await page(replica, path, fresh)
    writeRows(folder, ROWS.slice(1))
    const before = queries(replica)
    const asked = await call(replica, `${path}&cursor=${next}`, { headers: { 'Cache-Control': 'no-cache' } }, fresh)
    expect([asked.status, asked.headers.get('cache-status')?.slice(0, 11)]).to.deep.equal([200, 'sluice; hit'])
    expect((await page(replica, `${path}&cursor=${next}`)).rows[0]!.id).to.equal(56)
    expect(queries(replica)).to.equal(before)
  })

  it('can be begun again after a cursor is gone, and cost one query then', async () => {
    const path = 'walks.brief?page_size=3'
    const { next } = await page(replica, path)
    writeRows(folder, ROWS.slice(1))
    await pause(2_500)
    expect((await page(replica, `${path}&cursor=${next}`)).status).to.equal(410)
    const before = queries(replica)
    expect((await page(replica, `${path}&cursor=${next}`)).status).to.equal(410)
    for (let i = 0; i < 3; i++) {
      const again = await page(replica, path)
      expect((await page(replica, `${path}&cursor=${again.next}`)).status).to.equal(200)
    }
    expect(queries(replica)).to.equal(before)
  })

  it('are given of a result whose endpoint is purged or reloaded while the query runs', async () => {
    for (const disturb of [
      () => purge(replica, 'walks.slow'),
      () => {
        const path = join(folder, 'endpoints/walks.slow.yaml')
        writeFileSync(path, MORE['walks.slow'].replace('Takes', 'It takes'))
        return replica.runner.reload()
      },
    ]) {
      const before = queries(replica)
      const asked = page(replica, 'walks.slow?page_size=1')
      await until(() => queries(replica) > before, 'the query has begun')
      await disturb()
      const { status, rest, rows } = await asked
      // A caller whose endpoint has changed begins again.
      expect([status, rest.code ?? rows.length]).to.be.deep.oneOf([
        [200, 1],
        [410, 'PAGE_GONE'],
      ])
    }
  })

  it('leave other results where they are', async () => {
    expect((await call(replica, 'walks.rows-7?step=3')).status).to.equal(200)
    for (let i = 0; i < 30; i++) await call(replica, `walks.large?n=${900 + i}&page_size=1`)
    expect((await call(replica, 'walks.rows-7?step=3')).headers.get('cache-status')).to.contain('hit')
  })

  it('are gone where the endpoint has changed since', async () => {
    const { next } = await page(replica, 'walks.owned?owner=a&page_size=1')
    writeFileSync(join(folder, 'endpoints/walks.owned.yaml'), MORE['walks.owned'].replace('Rows of', 'The rows of'))
    await replica.runner.reload()
    const { status, rest } = await page(replica, `walks.owned?owner=a&cursor=${next}`)
    expect([status, rest.code]).to.deep.equal([410, 'PAGE_GONE'])
  })

  it('of a result that is too large to be kept are a 502 that says so; a page that holds all of it is not', async () => {
    const before = queries(replica)
    const { status, rest } = await page(replica, 'walks.large?n=5000&page_size=10')
    expect([status, rest.code, queries(replica) - before]).to.deep.equal([502, 'RESULT_TOO_LARGE', 1])
    const whole = await page(replica, 'walks.large?n=900&page_size=1000')
    expect([whole.status, whole.rows.length, whole.next]).to.deep.equal([200, 900, null])
    const causes = replica.events.flatMap(event => (event.kind === 'request.done' ? String(event.error?.cause) : []))
    expect(causes.join('\n')).to.match(/5000 rows of 50\d{5} bytes; see --cache-memory/)
  })

  it('have a tag, a 304, HEAD and the headers of a result', async () => {
    const path = 'walks.rows-7?page_size=2'
    writeRows(
      folder,
      Array.from({ length: 5 }, (_, id) => ({ id, version: 0 })),
    )
    await purge(replica, 'walks.rows-7')
    const first = await call(replica, path)
    const body = await first.text()
    expect(
      Object.fromEntries(['x-row-count', 'x-total-rows', 'cache-control'].map(name => [name, first.headers.get(name)])),
    ).to.deep.equal({
      'x-row-count': '2',
      'x-total-rows': '5',
      'cache-control': 'private, max-age=300',
    })
    const etag = first.headers.get('etag')!
    const head = await call(replica, path, { method: 'HEAD' })
    expect([head.headers.get('etag'), head.headers.get('content-length')]).to.deep.equal([
      etag,
      String(Buffer.byteLength(body)),
    ])
    const same = await call(replica, path, { headers: { 'If-None-Match': etag } })
    expect([same.status, same.headers.get('link')]).to.deep.equal([304, first.headers.get('link')])
    const csv = await call(replica, `${path}&format=csv`)
    expect(csv.headers.get('etag')).to.equal(`${etag.slice(0, -1)}.csv"`)
    expect((await csv.text()).split('\r\n').length).to.equal(4)
  })

  it('leave calls without pages as they were, and name every bad argument', async () => {
    const whole = await call(replica, 'walks.rows-7')
    expect([whole.headers.get('x-total-rows'), whole.headers.get('link')]).to.deep.equal([null, null])
    expect(Object.keys((await whole.json()) as object)).to.deep.equal(['result'])
    const { rest } = await page(replica, 'walks.rows-7?page_size=101&cursor=x&step=0')
    expect(rest.errors?.map(({ parameter }) => parameter)).to.deep.equal(['page_size', 'cursor', 'step'])
    for (const size of ['0', '-1', '1.5', 'ten', '1e2', '9999999999', '1&page_size=2']) {
      expect((await page(replica, `walks.rows-7?page_size=${size}`)).status, size).to.equal(400)
    }
  })

  it('write addresses of next pages that hold whatever the caller’s address held', async () => {
    const odd = await call(replica, 'walks.rows-7?page_size=1&x=a%20b&y=%3E%22&%63ursor=&cursor=&z="<>')
    const link = odd.headers.get('link')!
    expect(link).to.match(
      /^<\/api\/endpoints\/query\/walks\.rows-7\?page_size=1&x=a%20b&y=%3E%22&z=%22%3C%3E&cursor=[\w.-]+>; rel="next"$/,
    )
  })
})

describe('pages from replicas that share a Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  let folder = ''
  let redis: RedisServer
  const key = { SLUICE_TOKEN: TOKEN, SLUICE_CURSOR_KEY: 'a-key-of-cursors-of-32-characters' }

  before(async () => {
    folder = makeFolder()
    redis = await openRedisServer()
  })
  after(async () => {
    await redis.close()
    rmSync(folder, { recursive: true, force: true })
  })

  itInAll('answer in turns, also while one of them is killed and another begins', async () => {
    const flags = Object.entries(foldersOf(folder)).flatMap(([name, path]) => [`--${name}`, path])
    const open = () => startServe([...flags, '--port', '0', '--engine-threads', '1'], { REDIS_URL: redis.url, ...key })
    let replicas = await Promise.all([open(), open()])
    let turn = 0
    const service: WalkedService = {
      call(path, init = {}) {
        const { url } = replicas[turn++ % replicas.length]!
        return fetch(`${url}/api/endpoints/query/${path}`, {
          ...init,
          headers: { 'X-API-KEY': TOKEN, ...init.headers },
        })
      },
      write: rows => writeRows(folder, rows),
      mayLose: true,
      // The result stays in Redis, which the other replica and the new one read.
      async forget() {
        const [killed, left] = turn % 2 === 0 ? replicas : [...replicas].reverse()
        await killed!.end('SIGKILL')
        replicas = [left!, await open()]
      },
    }
    try {
      const { gone, pages } = await makeWalks(150, 1, service)
      expect(gone).to.be.below(5)
      expect(pages).to.be.greaterThan(250)
    } finally {
      for (const replica of replicas) await replica.end('SIGTERM')
    }
  })
})
