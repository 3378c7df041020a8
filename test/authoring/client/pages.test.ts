/** Both clients go over pages of a server, in Node and in Python. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { pythonClient } from '../../../authoring/client/python.js'
import { TOKEN } from '../../http/serving.js'
import { need, PYTHON, whyPending } from '../../installed/installed.js'
import { clientModuleOf, runtimeOf } from './described.js'
import { type PagedServer, servePages } from './paged-server.js'

interface Walk extends AsyncIterableIterator<{ readonly n: number }> {
  readonly meta: { readonly rowCount: number; readonly truncated: boolean } | null
}
interface Client {
  call(name: string, args: object): Promise<object>
  rows(name: string, args?: object, options?: { readonly pageSize?: number; readonly signal?: AbortSignal }): Walk
}
type CreateSluice = (options: { readonly url: string; readonly token: string }) => Client

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1)

async function numbersOf(walk: Walk): Promise<readonly number[]> {
  const numbers: number[] = []
  for await (const { n } of walk) numbers.push(n)
  return numbers
}

describe('clients: pages', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-client-pages-'))
  let server: PagedServer
  before(async () => {
    server = await servePages()
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  describe('in TypeScript', () => {
    let client: Client
    before(async () => {
      const file = join(folder, 'client.mjs')
      writeFileSync(file, clientModuleOf(server.endpoints))
      const { createSluice } = (await import(pathToFileURL(file).href)) as { createSluice: CreateSluice }
      client = createSluice({ url: server.url, token: TOKEN })
    })

    it('give every row once, with one query for all pages', async () => {
      const before = server.queries()
      const walk = client.rows('shop.numbers', { count: 95, faulty: true })
      expect(walk.meta).to.equal(null)
      expect(await numbersOf(walk)).to.deep.equal(upTo(95))
      expect(walk.meta).to.include({ rowCount: 5, truncated: false })
      expect(server.queries() - before).to.equal(1)
    })

    it('are as long as the caller says, and may be empty, cut, and asked for in a body', async () => {
      const small = client.rows('shop.numbers', { count: 7 }, { pageSize: 3 })
      expect(await numbersOf(small)).to.deep.equal(upTo(7))
      expect(small.meta?.rowCount).to.equal(1)
      expect(await numbersOf(client.rows('shop.numbers', { count: 0 }))).to.deep.equal([])
      const cut = client.rows('shop.numbers', { count: 101 })
      expect(await numbersOf(cut)).to.deep.equal(upTo(100))
      expect(cut.meta?.truncated).to.equal(true)
      expect(await numbersOf(client.rows('shop.numbers', { count: 31, label: 'ä'.repeat(9_000) }))).to.deep.equal(
        upTo(31),
      )
    })

    it('are fetched only as far as they are read', async () => {
      const walk = client.rows('shop.numbers', { count: 60 })
      for await (const { n } of walk) if (n === 30) break
      expect(walk.meta?.rowCount).to.equal(30)
      expect((await walk.next()).done).to.equal(true)
    })

    it('that are gone are an error, after the rows that were given', async () => {
      const walk = client.rows('shop.numbers', { count: 60, faulty: true })
      const numbers: number[] = []
      const failure = await (async () => {
        for await (const { n } of walk) if (numbers.push(n) === 1) await server.purge()
      })().catch((thrown: unknown) => thrown)
      expect(failure).to.include({ name: 'SluiceError', code: 'PAGE_GONE', status: 410 })
      expect(numbers).to.deep.equal(upTo(30))
    })

    it('end with the caller’s signal', async () => {
      const walk = client.rows('shop.numbers', { count: 60 }, { signal: AbortSignal.abort(new TypeError('too late')) })
      expect(await walk.next().catch((thrown: Error) => thrown.message)).to.equal('too late')
    })

    it('are not in the answer of a call', async () => {
      expect(await client.call('shop.numbers', { count: 1 })).to.have.all.keys('rows', 'meta')
    })
  })

  describe(`in Python${whyPending('the Python packages')}`, () => {
    before(function () {
      need(this, 'the Python packages')
      writeFileSync(join(folder, 'client.py'), pythonClient(server.endpoints, runtimeOf('py')))
    })

    /** What the program prints, as JSON. While it runs, each line `purge` of it purges the results. */
    async function printed(program: string): Promise<unknown> {
      const text = `import json, sys\nfrom client import Sluice, SluiceError\nsluice = Sluice(sys.argv[1], sys.argv[2])\n${program}\n`
      const child = spawn(PYTHON, ['-W', 'error', '-u', '-c', text, server.url, TOKEN], { cwd: folder })
      let all = ''
      child.stdout.setEncoding('utf8').on('data', (said: string) => {
        all += said
        if (said.trim() === 'purge') void server.purge().then(() => child.stdin.write('purged\n'))
      })
      child.stderr.setEncoding('utf8').on('data', (said: string) => {
        all += said
      })
      await new Promise(done => child.once('close', done))
      try {
        return JSON.parse(all.replace('purge\n', ''))
      } catch {
        return expect.fail(all)
      }
    }

    it('give every row once, with one query for all pages', async () => {
      const before = server.queries()
      const told = await printed(
        'rows = sluice.rows("shop.numbers", count=95, faulty=True)\n' +
          'numbers = [row["n"] for row in rows]\nprint(json.dumps([numbers, rows.meta["row_count"], rows.meta["truncated"]]))',
      )
      expect(told).to.deep.equal([upTo(95), 5, false])
      expect(server.queries() - before).to.equal(1)
    })

    it('are as long as the caller says, and may be empty, cut, and asked for in a body', async () => {
      const told = await printed(
        'def numbers(**arguments):\n    return [row["n"] for row in sluice.rows("shop.numbers", **arguments)]\n' +
          'cut = sluice.rows("shop.numbers", count=101)\n' +
          'print(json.dumps([numbers(count=7, page_size=3), numbers(count=0), [row["n"] for row in cut], cut.meta["truncated"], ' +
          'numbers(count=31, label="ä" * 9000)]))',
      )
      expect(told).to.deep.equal([upTo(7), [], upTo(100), true, upTo(31)])
    })

    it('that are gone are an error, after the rows that were given', async () => {
      const told = await printed(
        'rows, given = sluice.rows("shop.numbers", count=60, faulty=True), []\ntry:\n    for row in rows:\n        given.append(row["n"])\n' +
          '        if row["n"] == 1:\n            print("purge")\n            sys.stdin.readline()\n' +
          'except SluiceError as error:\n    print(json.dumps([given, error.code, error.status]))',
      )
      expect(told).to.deep.equal([upTo(30), 'PAGE_GONE', 410])
    })

    it('are refused where an endpoint has none', async () => {
      const told = await printed(
        'try:\n    sluice.rows("shop.whole")\nexcept TypeError as error:\n    print(json.dumps(str(error)))',
      )
      expect(told).to.equal('shop.whole has no pages')
    })
  })
})
