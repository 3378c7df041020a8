/** What a result says in its headers can be read by a page of another origin, and is in the OpenAPI document. */
import { expect } from 'chai'
import { type Serving, serving } from './serving.js'

/** Headers that a browser shows in any case, those that it acts on itself, and those of the connection. */
const BROWSERS_OWN =
  /^(?:cache-control|content-(?:type|length|encoding)|vary|x-content-type-options|access-control-.*|date|connection|keep-alive)$/

describe('the headers of a result', () => {
  let s: Serving
  before(async () => {
    s = await serving({ corsOrigins: ['https://a.example'] })
  })
  after(() => s.close())

  it('are exposed to pages of other origins, of every format, fresh and stored', async () => {
    for (const format of ['json', 'csv', 'json']) {
      const answer = await s.get(`?project=a&format=${format}&other=1`, { headers: { Origin: 'https://a.example' } })
      const exposed = answer.headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(', ') ?? []
      const names = [...answer.headers.keys()].filter(name => !BROWSERS_OWN.test(name))
      expect(names).to.include.members(['etag', 'age', 'x-row-count', 'x-request-id', 'x-ignored-arguments'])
      expect(names.filter(name => !exposed.includes(name))).to.deep.equal([])
    }
  })

  it('are in the document where they are of a result in JSON', async () => {
    const answer = await s.get('?project=a&other=1')
    const { paths, components } = (await (await s.get('/openapi.json')).json()) as {
      readonly paths: Record<string, { readonly get: { readonly responses: Record<string, { headers?: object }> } }>
      readonly components: { readonly headers: object }
    }
    const { responses } = paths['/api/endpoints/query/tests.echo']!.get
    const described = Object.keys(responses['200']!.headers ?? {}).map(name => name.toLowerCase())
    const own = [...answer.headers.keys()].filter(name => name === 'cache-control' || !BROWSERS_OWN.test(name))
    expect(own.filter(name => name !== 'accept-ranges' && !described.includes(name))).to.deep.equal([])
    expect(Object.keys(components.headers)).to.include.members(Object.keys(responses['304']!.headers ?? {}))
  })
})
