import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { ERROR_CODES } from '../../runner/model/error-codes.js'
import { type Serving, serving } from './serving.js'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('http: GET /problems/<code>', () => {
  let http: Serving
  before(async () => {
    http = await serving()
  })
  after(() => http.close())
  const get = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${http.url}/problems/${name}`, { headers })

  it('says what happened, whose fault it is and what to do, in either spelling, without a token', async () => {
    const said = await (await get('ENDPOINT_UNKNOWN')).json()
    expect(said).to.deep.equal({
      type: '/problems/endpoint-unknown',
      code: 'ENDPOINT_UNKNOWN',
      status: 404,
      title: 'No such endpoint',
      what: 'No endpoint has this name or id.',
      fault: 'The mistake is in the call.',
      remedy: 'Look for the name in `GET /api/endpoints`. It may have been renamed or removed.',
    })
    for (const name of ['endpoint-unknown', 'endpoint_unknown', 'Endpoint-Unknown']) {
      expect(await (await get(name)).json(), name).to.deep.equal(said)
    }
  })

  it('is there for every code, where its problems lead', async () => {
    for (const code of Object.keys(ERROR_CODES)) {
      const { type } = (await (await get(code)).json()) as { readonly type: string }
      expect((await fetch(http.url + type)).status, code).to.equal(200)
      const page = await get(code, BROWSER)
      expect([page.status, (await page.text()).includes(`<code>${code}</code>`)], code).to.deep.equal([200, true])
    }
  })

  it('is a page for a browser, which may load and run nothing', async () => {
    const page = await get('argument-invalid', BROWSER)
    expect(page.headers.get('Content-Type')).to.equal('text/html; charset=utf-8')
    expect(page.headers.get('Vary')).to.match(/\bAccept\b/)
    const text = await page.text()
    expect(text).to.match(/^<!doctype html>\n<html lang="en">/)
    expect(text).to.include('<title>Invalid arguments · Sluice</title>')
    expect(text).to.include('<code>errors</code> names every such argument. The mistake is in the call.')
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page.headers.get('Content-Security-Policy')).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  it('says of an unknown code which is meant, and never repeats the name', async () => {
    const problem = await get('argument-invald')
    expect(problem.status).to.equal(404)
    expect(await problem.json()).to.include({
      code: 'NOT_FOUND',
      detail: 'There is no problem of this name; did you mean "ARGUMENT_INVALID"?',
    })
    const page = await get('argument-invald', BROWSER)
    expect(page.status).to.equal(404)
    expect(await page.text()).to.include('Did you mean <a href="/problems/argument-invalid">')
    const hostile = await get(encodeURIComponent('<script>alert(1)</script>'), BROWSER)
    expect([hostile.status, await hostile.text()].join()).not.to.include('alert')
  })
})
