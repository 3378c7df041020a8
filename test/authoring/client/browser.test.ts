/** The client in TypeScript in a real browser: on a page of another origin, the same calls give what they give in Node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { isPendingWithoutBrowser, openBrowser } from '../../explorer/browser.js'
import { type Serving, serving, TOKEN } from '../../http/serving.js'
import { handMadeEndpoint, parameter } from '../../request/hand-made.js'
import { until } from '../../until.js'
import { clientModule } from './described.js'

/** A module: calls, and what comes of each that does not depend on when it is made. */
const PROGRAM = `import { createSluice, SluiceError } from './client.mjs'

export async function run(url, token, tag) {
  const sluice = createSluice({ url, token: async () => token })
  const told = []
  const tell = async (name, args, options) => {
    try {
      const { rows, meta: { requestId, ageSeconds, cache: _, ...meta } } = await sluice.call(name, args, options)
      told.push({ rows: rows && rows.map(({ now, ...row }) => row), meta, hasId: requestId !== null })
      return meta.etag
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) return told.push({ name: thrown.name })
      const { code, status, errors, message, requestId } = thrown
      told.push({ code, status, errors, message, hasId: requestId !== null })
    }
  }
  const etag = await tell('tests.echo', { project: tag + 'a b&c=d+e%/?#ä🦥' })
  await tell('tests.echo', { project: tag + 'a b&c=d+e%/?#ä🦥' })
  await tell('tests.echo', { project: tag + 'a b&c=d+e%/?#ä🦥' }, { etag })
  await tell('tests.echo', { project: tag, size: 9007199254740993n, tags: ['x', 'y,z'] })
  await tell('tests.echo', { project: tag, tags: ['a,b'] })
  await tell('tests.echo', { project: tag + 'ä'.repeat(9000) })
  await tell('tests.echo', { size: 'x' })
  await tell('tests.other', {})
  await tell('tests.echo', { project: tag }, { signal: AbortSignal.abort() })
  return told
}
`

describe('the client in TypeScript in a browser', function () {
  this.timeout(120_000)
  if (isPendingWithoutBrowser()) return
  const folder = mkdtempSync(join(tmpdir(), 'sluice-client-browser-'))
  const files: Record<string, string> = { '/program.mjs': PROGRAM }
  let pages: Server
  let s: Serving
  let browser: Browser
  let page: Page

  before(async () => {
    files['/client.mjs'] = clientModule('tests.echo')
    for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
    pages = createServer(({ url = '' }, res) => {
      const script = files[url]
      res.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript')
      res.end(script ?? '<!doctype html><title>A page</title>')
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => pages.once('listening', resolve))
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const parameters = [
      parameter('project', { isRequired: true }),
      parameter('size', { type: 'int64' }),
      parameter('tags', { type: 'array<string>' }),
    ]
    s = await serving({ endpoints: [handMadeEndpoint({ parameters })], corsOrigins: [origin] })
    browser = await openBrowser()
    page = await browser.newPage()
    await page.goto(origin)
  })
  after(async () => {
    await browser?.close()
    await s?.close()
    pages?.close()
    pages?.closeAllConnections()
    rmSync(folder, { recursive: true })
  })

  it('tells what it tells in Node', async () => {
    const { run } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as {
      run: (url: string, token: string, tag: string) => Promise<readonly Record<string, unknown>[]>
    }
    // Another tag each, so that both miss and hit; of one length, since ETags are the only facts of the values.
    const inNode = await run(s.url, TOKEN, 'n')
    const inPage = (await page.evaluate(
      `import('/program.mjs').then(({ run }) => run(${JSON.stringify(s.url)}, ${JSON.stringify(TOKEN)}, 'p'))`,
    )) as readonly Record<string, unknown>[]
    const plain = (told: readonly Record<string, unknown>[], tag: string): unknown =>
      JSON.parse(
        JSON.stringify(told)
          .replaceAll(`"project":"${tag}`, '"project":"')
          .replace(/\\"[^"\\]+\\"/g, 'ETag'),
      )
    expect(plain(inPage, 'p')).to.deep.equal(plain(inNode, 'n'))
    expect(inPage.map(({ rows, code, name }) => code ?? name ?? (rows === null ? 'the same' : 'rows'))).to.deep.equal([
      ...['rows', 'rows', 'the same', 'rows', 'rows', 'rows'],
      ...['ARGUMENT_INVALID', 'ENDPOINT_UNKNOWN', 'AbortError'],
    ])
    expect(inPage.every(({ hasId, name }) => hasId === true || name !== undefined)).to.equal(true)
  })

  it('waits as long as a 429 says, which a page of another origin may read', async () => {
    const token = await s.token({ allow: ['*'], rate: '1/s' })
    const took = await page.evaluate(`import('/client.mjs').then(async ({ createSluice }) => {
      const sluice = createSluice({ url: ${JSON.stringify(s.url)}, token: ${JSON.stringify(token)} })
      await sluice.call('tests.echo', { project: 'rate' })
      // Other arguments: the browser's own cache would give the first answer again.
      const began = performance.now()
      await sluice.call('tests.echo', { project: 'other' })
      return performance.now() - began
    })`)
    expect(took).to.be.greaterThan(900)
  })

  it('ends the query of a call that is cancelled', async () => {
    const release = s.engine.hold()
    const [before, queries] = [s.engine.cancelled(), s.engine.queries.length]
    const name = page.evaluate(`import('/client.mjs').then(({ createSluice }) => {
      const sluice = createSluice({ url: ${JSON.stringify(s.url)}, token: ${JSON.stringify(TOKEN)} })
      const controller = globalThis.controller = new AbortController()
      return sluice.call('tests.echo', { project: 'held' }, controller).catch(thrown => thrown.name)
    })`)
    await until(() => s.engine.queries.length > queries, 'the query runs')
    await page.evaluate('controller.abort()')
    expect(await name).to.equal('AbortError')
    await until(() => s.engine.cancelled() > before, 'the query is cancelled')
    release()
  })
})
