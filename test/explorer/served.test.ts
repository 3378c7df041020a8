/** How the page's files are served, without a browser. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { rawRequest } from '../http/raw-request.js'
import { type Serving, serving } from '../http/serving.js'

const FOLDER = 'dist/explorer'
const names = readdirSync(FOLDER).filter(name => !/\.(?:br|gz)$/.test(name))
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

describe('the files of the explorer', () => {
  it('have at most 80 kB with Brotli, all together', () => {
    const bytes = names.reduce((sum, name) => sum + statSync(`${FOLDER}/${name}.br`).size, 0)
    expect(bytes).to.be.greaterThan(10_000)
    expect(bytes).to.be.at.most(80_000)
  })

  it('have a hash in their names, and are compressed as they are', () => {
    for (const name of names) {
      if (name !== 'index.html') expect(name).to.match(/-[0-9A-Z]{8}\.(?:js|css|svg)$/)
      const plain = readFileSync(`${FOLDER}/${name}`)
      expect(brotliDecompressSync(readFileSync(`${FOLDER}/${name}.br`)).equals(plain)).to.equal(true)
      expect(gunzipSync(readFileSync(`${FOLDER}/${name}.gz`)).equals(plain)).to.equal(true)
    }
  })

  it('are all that the page names', () => {
    const page = readFileSync(`${FOLDER}/index.html`, 'utf8')
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1]!)
    expect(named.length).to.be.at.least(3)
    expect(named.filter(name => !name.startsWith('#') && !names.includes(name))).to.deep.equal([])
  })

  it('make no code of texts, and no markup', () => {
    for (const name of names.filter(one => one.endsWith('.js'))) {
      const text = readFileSync(`${FOLDER}/${name}`, 'utf8')
      expect(text, name).to.not.match(/\beval\(|new Function\(|insertAdjacentHTML|document\.write\(/)
    }
  })
})

describe('/explorer/', () => {
  let s: Serving
  before(async () => {
    s = await serving()
  })
  after(() => s.close())

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(s.url + path, method, headers)

  it('needs no token, and is not kept without being asked for again', async () => {
    const { status, headers, body } = await ask('/explorer/')
    expect(status).to.equal(200)
    expect(headers['content-type']).to.equal('text/html; charset=utf-8')
    expect(headers['cache-control']).to.equal('no-cache')
    expect(headers['content-security-policy']).to.equal(POLICY)
    expect(headers['referrer-policy']).to.equal('no-referrer')
    expect(headers['cross-origin-opener-policy']).to.equal('same-origin')
    expect(headers['x-content-type-options']).to.equal('nosniff')
    expect(body.toString()).to.equal(readFileSync(`${FOLDER}/index.html`, 'utf8'))
    const again = await ask('/explorer/', { 'If-None-Match': String(headers['etag']) })
    expect([again.status, again.body.byteLength]).to.deep.equal([304, 0])
  })

  it('sends each file in the coding that is liked best, to be kept for good', async () => {
    for (const name of names.filter(one => one !== 'index.html')) {
      for (const [accept, coding, ending] of [
        ['gzip, br', 'br', '.br'],
        ['gzip', 'gzip', '.gz'],
        ['identity', undefined, ''],
      ] as const) {
        const { status, headers, body } = await ask(`/explorer/${name}`, { 'Accept-Encoding': accept })
        expect([status, headers['content-encoding']]).to.deep.equal([200, coding])
        expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable')
        expect(headers['vary']).to.contain('Accept-Encoding')
        expect(body.equals(readFileSync(`${FOLDER}/${name}${ending}`))).to.equal(true)
      }
    }
  })

  it('answers HEAD without a body, and other methods with 405', async () => {
    const { status, headers, body } = await ask('/explorer/', {}, 'HEAD')
    expect([status, Number(headers['content-length']) > 0, body.byteLength]).to.deep.equal([200, true, 0])
    expect((await ask('/explorer/', {}, 'POST')).status).to.equal(405)
  })

  it('has nothing else', async () => {
    for (const path of [
      'package.json',
      '..%2f..%2fpackage.json',
      'index.html.br',
      '.built',
      'x/y',
      '%00',
      '__proto__',
    ]) {
      expect((await ask(`/explorer/${path}`)).status, path).to.equal(404)
    }
  })

  it('is where a browser is led, and no other program', async () => {
    const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    for (const path of ['/', '/docs', '/explorer']) {
      const { status, headers } = await ask(path, html)
      expect([status, headers['location']], path).to.deep.equal([302, '/explorer/'])
    }
    for (const accept of ['*/*', 'application/json']) {
      expect((await ask('/', { Accept: accept })).status).to.equal(404)
      expect((await ask('/docs', { Accept: accept })).status).to.equal(404)
    }
    expect((await ask('/', html, 'POST')).status).to.equal(404)
  })

  it('is below the path at which callers reach the server', async () => {
    const behind = await serving({ publicUrl: 'https://data.example.com/reports' })
    try {
      const { headers } = await rawRequest(`${behind.url}/`, 'GET', { Accept: 'text/html' })
      expect(headers['location']).to.equal('/reports/explorer/')
    } finally {
      await behind.close()
    }
  })

  it('can be switched off', async () => {
    const off = await serving({ hasExplorer: false })
    try {
      for (const path of ['/', '/docs', '/explorer', '/explorer/']) {
        expect((await rawRequest(off.url + path, 'GET', { Accept: 'text/html' })).status, path).to.equal(404)
      }
    } finally {
      await off.close()
    }
  })
})
