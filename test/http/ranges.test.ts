/** Parts of a stored result: 206, 416, If-Range and HEAD; curl completes a download that was cut. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ENDPOINT_ID, handMadeEndpoint } from '../request/hand-made.js'
import { type Serving, serving, TOKEN } from './serving.js'

const BODY = '{"result":[{"text":"0123456789"}]}'
const CSV = 'text\r\n0123456789\r\n'

const HAS_CURL = spawnSync('curl', ['--version']).status === 0

describe('a range of a result', () => {
  let s: Serving
  before(async () => {
    const render = () => ({ sql: 'SELECT', parameters: { text: { type: 'STRING', value: '0123456789' } } })
    const id = `1b${ENDPOINT_ID.slice(2)}`
    s = await serving({
      endpoints: [handMadeEndpoint({ render }), handMadeEndpoint({ id, name: 'tests.uncached', cache: null, render })],
      corsOrigins: ['*'],
    })
  })
  after(() => s.close())

  const ask = (range: string, more: Record<string, string> = {}, method = 'GET', address = '?project=a') =>
    s.get(address, { method, headers: { Range: range, 'Accept-Encoding': 'identity', ...more } })

  const CASES: readonly (readonly [range: string, start: number, end: number])[] = [
    ['bytes=0-1', 0, 2],
    ['bytes=5-', 5, BODY.length],
    ['bytes=-4', BODY.length - 4, BODY.length],
    ['bytes=0-4000', 0, BODY.length],
  ]
  for (const [range, start, end] of CASES) {
    it(`${range} is a 206 with its bytes`, async () => {
      const part = await ask(range)
      expect([part.status, await part.text()]).to.deep.equal([206, BODY.slice(start, end)])
      expect(part.headers.get('Content-Range')).to.equal(`bytes ${start}-${end - 1}/${BODY.length}`)
      expect(part.headers.get('Content-Length')).to.equal(String(end - start))
      expect(part.headers.get('Accept-Ranges')).to.equal('bytes')
    })
  }

  for (const range of ['bytes=0-1,4-5', 'items=0-1', 'bytes=5-2', 'nonsense']) {
    it(`${range} is answered whole`, async () => {
      const whole = await ask(range)
      expect([whole.status, await whole.text(), whole.headers.get('Content-Range')]).to.deep.equal([200, BODY, null])
    })
  }

  for (const range of ['bytes=4000-', 'bytes=-0']) {
    it(`${range} is a 416 with the number of bytes`, async () => {
      const refused = await ask(range)
      expect([refused.status, refused.headers.get('Content-Range')]).to.deep.equal([416, `bytes */${BODY.length}`])
      expect(await refused.json()).to.include({ code: 'RANGE_NOT_SATISFIABLE' })
    })
  }

  it('is served where If-Range is the strong ETag, else the whole', async () => {
    const etag = (await ask('bytes=0-1')).headers.get('ETag')!
    expect((await ask('bytes=0-1', { 'If-Range': etag })).status).to.equal(206)
    for (const other of [`W/${etag}`, '"x"', 'Sat, 31 Jan 2026 12:34:56 GMT']) {
      expect((await ask('bytes=0-1', { 'If-Range': other })).status).to.equal(200)
      expect((await ask('bytes=4000-', { 'If-Range': other })).status).to.equal(200)
    }
    expect((await ask('bytes=0-1', { 'If-None-Match': etag })).status).to.equal(304)
    expect((await ask('bytes=0-1', { 'If-Match': '"x"' })).status).to.equal(412)
  })

  it('is of the bytes of the format', async () => {
    const part = await ask('bytes=6-8', {}, 'GET', '?project=a&format=csv')
    expect([part.status, await part.text()]).to.deep.equal([206, '012'])
    expect(part.headers.get('Content-Range')).to.equal(`bytes 6-8/${CSV.length}`)
    expect(part.headers.get('Content-Type')).to.match(/^text\/csv/)
  })

  it('does not count for HEAD and POST', async () => {
    const head = await ask('bytes=0-1', {}, 'HEAD')
    expect([head.status, head.headers.get('Content-Length'), head.headers.get('Accept-Ranges')]).to.deep.equal([
      200,
      String(BODY.length),
      'bytes',
    ])
    expect((await ask('bytes=0-1', {}, 'POST')).status).to.equal(200)
  })

  it('cannot be had of a result that is not stored', async () => {
    const whole = await ask('bytes=0-1', {}, 'GET', '/api/endpoints/query/tests.uncached?project=a')
    expect([whole.status, whole.headers.get('Accept-Ranges'), await whole.text()]).to.deep.equal([200, 'none', BODY])
  })

  it('can be asked for and read by a page of another origin', async () => {
    const Origin = 'https://app.example.com'
    const part = await ask('bytes=0-1', { Origin })
    for (const name of ['Content-Range', 'Accept-Ranges', 'Content-Disposition', 'Link']) {
      expect(part.headers.get('Access-Control-Expose-Headers')?.split(', ')).to.include(name)
    }
    const preflight = await s.get('?project=a', {
      method: 'OPTIONS',
      headers: { Origin, 'Access-Control-Request-Method': 'GET' },
    })
    expect(preflight.headers.get('Access-Control-Allow-Headers')?.split(', ')).to.include.members(['Range', 'If-Range'])
  })

  it(`lets curl complete a file${HAS_CURL ? '' : ' (pending: curl is not installed)'}`, async function () {
    if (!HAS_CURL) this.skip()
    const folder = mkdtempSync(join(tmpdir(), 'sluice-range-'))
    const file = join(folder, 'result.csv')
    writeFileSync(file, CSV.slice(0, 9))
    const address = `${s.url}/api/endpoints/query/tests.echo?project=a&format=csv`
    const argv = ['-sS', '-f', '-H', `X-API-KEY: ${TOKEN}`, '-C', '-', '-o', file, '-w', '%{http_code}', address]
    const { stdout } = await promisify(execFile)('curl', argv)
    expect([stdout, readFileSync(file, 'utf8')]).to.deep.equal(['206', CSV])
    rmSync(folder, { recursive: true })
  })
})
