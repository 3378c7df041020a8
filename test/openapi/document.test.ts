import { expect } from 'chai'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { Pattern } from '../../runner/model/re2.js'
import { type DocumentOptions, openApiDocument, revisionOf } from '../../runner/openapi/document.js'
import { handMadeEndpoint, parameter } from '../request/hand-made.js'
import { publishedSchemas } from './published-schema.js'

const OPTIONS: DocumentOptions = {
  version: '3.1',
  engine: 'duckdb',
  pinned: [],
  allFormats: false,
  serverUrl: 'https://data.example.com',
  revision: 'r',
}

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON, and each test asserts what it reads
type Json = any

const documentOf = (endpoints: readonly Endpoint[], options: Partial<DocumentOptions> = {}): Json =>
  openApiDocument(endpoints, { ...OPTIONS, ...options })

const operationOf = (endpoint: Partial<Endpoint> = {}, options: Partial<DocumentOptions> = {}): Json =>
  documentOf([handMadeEndpoint(endpoint)], options).paths['/api/endpoints/query/tests.echo'].get

describe('openapi: the document', () => {
  it('names its version, its server, its revision and both ways to send a token', () => {
    const document = documentOf([handMadeEndpoint()])
    expect(document.openapi).to.equal('3.1.1')
    expect(documentOf([handMadeEndpoint()], { version: '3.0' }).openapi).to.equal('3.0.3')
    expect(document.info.version).to.equal('r')
    expect(document.servers).to.deep.equal([{ url: 'https://data.example.com' }])
    expect(document.security).to.deep.equal([{ apiKey: [] }, { bearer: [] }])
    expect(document.components.securitySchemes.apiKey).to.include({ in: 'header', name: 'X-API-KEY' })
  })

  it('has a GET for each endpoint, by name', () => {
    const endpoints = ['functions.invocation-stats', 'logs.all', 'logs'].map(name =>
      handMadeEndpoint({ name, id: name }),
    )
    const { paths, tags } = documentOf(endpoints)
    expect(Object.keys(paths)).to.deep.equal(endpoints.map(({ name }) => `/api/endpoints/query/${name}`))
    const [stats] = Object.values(paths) as Json[]
    expect(Object.keys(stats)).to.deep.equal(['get'])
    expect(stats.get).to.include({ operationId: 'functions_invocation-stats' })
    expect(stats.get.tags).to.deep.equal(['functions'])
    expect(tags.map((tag: Json) => tag.name)).to.deep.equal(['functions', 'logs'])
  })

  it('has the first sentence of the description as the summary, and the end of its last sentence', () => {
    const texts = [
      ['Errors, e.g. timeouts, per day. Of one project.', 'Errors, e.g. timeouts, per day', ' Of one project. At most'],
      ['Requests by hour: one row each.', 'Requests by hour: one row each', ': one row each. At most'],
      ['How many? All of them.', 'How many?', ' All of them. At most'],
      ['Requests by hour\n\nOf one project', 'Requests by hour', ' project. At most'],
      ['Umsatz je Café', 'Umsatz je Café', 'Umsatz je Café. At most'],
      ['', 'tests.echo', 'At most'],
    ] as const
    for (const [description, summary, end] of texts) {
      const operation = operationOf({ description })
      expect(operation.summary).to.equal(summary)
      expect(operation.description).to.include(end)
    }
  })

  it('refers from a 200, which is JSON alone, to the schemas of the result and of a row', () => {
    const document = documentOf([handMadeEndpoint()])
    const { content, headers } = document.paths['/api/endpoints/query/tests.echo'].get.responses['200']
    expect(content).to.deep.equal({ 'application/json': { schema: { $ref: '#/components/schemas/tests.echo' } } })
    expect(headers.ETag).to.deep.equal({ $ref: '#/components/headers/ETag' })
    const { schemas } = document.components
    expect(schemas['tests.echo'].properties.result).to.deep.equal({
      type: 'array',
      maxItems: 1000,
      items: { $ref: '#/components/schemas/tests.echo.row' },
    })
    expect(schemas['tests.echo.row'].properties.project).to.include({ 'x-sluice-type': 'STRING' })
    const ajv = publishedSchemas().addKeyword('components')
    ajv.addSchema({ $id: 'document', components: document.components })
    const validate = ajv.compile({ $ref: 'document#/components/schemas/tests.echo' })
    expect(validate({ result: [{ project: 'a', size: null, now: '1' }] })).to.equal(true)
    expect(validate({ result: [{ project: 1, size: null, now: '1' }] })).to.equal(false)
  })

  it('keeps the row of an endpoint apart from an endpoint that is named row', () => {
    const document = documentOf([handMadeEndpoint(), handMadeEndpoint({ name: 'tests.echo.row', id: 'other' })])
    const { schemas } = document.components
    expect(schemas['tests.echo'].properties.result.items.properties).to.have.keys('project', 'size', 'now')
    expect(schemas['tests.echo.row'].properties.result.items).to.have.keys('$ref')
  })

  it('has every media type of a 200 where all are asked for', () => {
    const { content } = operationOf({}, { allFormats: true }).responses['200']
    expect(Object.keys(content)).to.deep.equal([
      'application/json',
      'application/x-ndjson',
      'text/csv',
      'application/vnd.sluice.table+json',
      'application/vnd.apache.arrow.stream',
      'application/vnd.apache.parquet',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ])
    expect(operationOf()['x-sluice-formats']).to.deep.equal([...RESULT_FORMATS])
  })

  it('shows the reviewed rows, but not to a token that pins a parameter, since they may be of another tenant', () => {
    const shown = (pinned: readonly string[]) =>
      operationOf({ example: [{ project: 'a' }] }, { pinned }).responses['200'].content['application/json'].example
    expect(shown(['other'])).to.deep.equal({ result: [{ project: 'a' }] })
    expect(shown(['project'])).to.equal(undefined)
  })

  it('leaves a pinned parameter out and names it', () => {
    const operation = operationOf({}, { pinned: ['project'] })
    expect(operation.parameters.map((one: Json) => one.name ?? one.$ref)).to.deep.equal([
      'size',
      '#/components/parameters/format',
    ])
    expect(operation['x-sluice-pinned']).to.deep.equal(['project'])
    expect(operationOf()).not.to.have.property('x-sluice-pinned')
  })

  it('describes pages only where an endpoint has them', () => {
    const paged = handMadeEndpoint({ pages: { maxSize: 50, keepMs: 1 }, parameters: [] })
    const whole = handMadeEndpoint({ name: 'tests.whole', id: 'other' })
    const { paths, components } = documentOf([paged, whole])
    const [ofPages, ofWhole] = Object.values(paths).map((path: Json) => path.get)
    const added = (read: (operation: Json) => object) =>
      Object.keys(read(ofPages)).filter(key => !Object.keys(read(ofWhole)).includes(key))
    expect(added(({ responses }) => responses)).to.deep.equal(['410'])
    expect(added(({ responses }) => responses['200'].headers)).to.deep.equal(['X-Total-Rows', 'Link'])
    expect(ofPages.parameters.map((one: Json) => one.name ?? one.$ref)).to.deep.equal([
      '#/components/parameters/format',
      'page_size',
      '#/components/parameters/cursor',
    ])
    expect(ofPages.parameters[1].schema).to.deep.equal({ type: 'integer', minimum: 1, maximum: 50 })
    expect(components.parameters.cursor).to.deep.include({ name: 'cursor', in: 'query' })
    expect(components.schemas['tests.echo'].properties.next.type).to.deep.equal(['string', 'null'])
    expect(components.schemas['tests.echo'].required).to.deep.equal(['result'])
    expect(components.schemas['tests.whole'].properties).not.to.have.property('next')
    const { parameters, headers } = documentOf([whole]).components
    expect([...Object.keys(parameters), ...Object.keys(headers)]).not.to.include.members(['cursor', 'Link'])
  })

  it('says where all rows are, of an endpoint that has exports', () => {
    const exported = handMadeEndpoint({ export: { maxRows: 1, timeoutMs: 1 } })
    const [whole, more] = [handMadeEndpoint(), exported].map(one => Object.values<Json>(documentOf([one]).paths)[0].get)
    expect(whole.description).not.to.contain('export')
    expect(more.description).to.contain('gets all rows from `/api/endpoints/export/tests.echo`.')
  })

  it('is valid without endpoints', () => {
    expect(documentOf([])).to.deep.include({ paths: {}, tags: [] })
  })

  it('has one revision for equal manifests, in any order', () => {
    const [a, b] = [
      { id: 'a', revision: '1' },
      { id: 'b', revision: '2' },
    ]
    expect(revisionOf([a, b])).to.equal(revisionOf([b, a]))
    expect(revisionOf([a, b])).not.to.equal(revisionOf([a, { ...b, revision: '3' }]))
  })
})

describe('openapi: the parameters', () => {
  const described = (rest: Parameters<typeof parameter>[1], version: '3.1' | '3.0' = '3.1'): Json =>
    operationOf({ parameters: [parameter('p', { description: '', ...rest })] }, { version }).parameters[0]
  const schemaOf = (rest: Parameters<typeof parameter>[1]): Json => described(rest).schema

  for (const [rest, schema] of [
    [{ type: 'string' }, { type: 'string' }],
    [
      { type: 'string', maxLength: 5, pattern: new Pattern('[a-z]+|x') },
      { type: 'string', maxLength: 5, pattern: '^(?:[a-z]+|x)$' },
    ],
    // ECMAScript reads these in another way, or not at all.
    ...['a.b', '\\s', '[\\S]', '(?i)a', '(?P<n>a)', '[[:alpha:][a]', '\\z', '\\pL', '\\Qa\\E', '\\x{61}', '[]a]'].map(
      source => [{ type: 'string', pattern: new Pattern(source) }, { type: 'string' }] as const,
    ),
    ...['a\\.b', '[.]', '\\\\s', '(?:a|b)*?', '[^\\d]\\w', '\\p{Lu}', '^a$', '\\x61', 'a{2,}', '[\\]]'].map(
      source =>
        [
          { type: 'string', pattern: new Pattern(source) },
          { type: 'string', pattern: `^(?:${source})$` },
        ] as const,
    ),
    [
      { type: 'array<string>', maxLength: 3, maxElementLength: 5 },
      { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 3 },
    ],
    [
      { type: 'int64', minimum: '1', maximum: '9', default: '5' },
      { type: 'integer', minimum: 1, maximum: 9, default: 5 },
    ],
    [{ type: 'int64', maximum: '9223372036854775807' }, { type: 'integer' }],
    [
      { type: 'float64', minimum: 0.5 },
      { type: 'number', minimum: 0.5 },
    ],
    [
      { type: 'bool', default: false },
      { type: 'boolean', default: false },
    ],
    [{ type: 'date' }, { type: 'string', format: 'date' }],
    [{ type: 'datetime' }, { type: 'string', format: 'date-time-local' }],
    [{ type: 'timestamp' }, { type: 'string', format: 'date-time' }],
    [
      { type: 'string', format: 're2' },
      { type: 'string', format: 'regex' },
    ],
    [
      { type: 'int64', enum: ['1', '2'] },
      { type: 'integer', enum: [1, 2] },
    ],
    [{ rows: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [
      { rows: ['a', 'b'], enum: ['b', 'c'] },
      { type: 'string', enum: ['b'] },
    ],
    [
      { examples: ['x'], openRows: ['x', 'y'] },
      { type: 'string', examples: ['x', 'y'] },
    ],
    [
      { openRows: ['x', 'yy'], maxLength: 1 },
      { type: 'string', maxLength: 1, examples: ['x'] },
    ],
    [
      { type: 'array<int64>', maxLength: 3, minimum: '1', default: ['1', '2'], examples: ['7'] },
      { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 3, default: [1, 2], examples: [[7]] },
    ],
    // An empty argument is a missing one.
    [{ isRequired: true }, { type: 'string', minLength: 1 }],
    [
      { isRequired: true, format: 're2' },
      { type: 'string', format: 'regex', minLength: 1 },
    ],
    [
      { isRequired: true, enum: ['a'] },
      { type: 'string', enum: ['a'] },
    ],
    [
      { isRequired: true, type: 'date' },
      { type: 'string', format: 'date' },
    ],
    [{ isRequired: true, type: 'int64' }, { type: 'integer' }],
    [
      { isRequired: true, type: 'array<string>', maxLength: 3 },
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 3 },
    ],
    [
      { isRequired: true, type: 'array<int64>' },
      { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 10_000 },
    ],
  ] as const satisfies readonly (readonly [Parameters<typeof parameter>[1], unknown])[]) {
    it(`${JSON.stringify(rest)}`, () => expect(schemaOf(rest)).to.deep.equal(schema))
  }

  it('may be empty where they are optional, since an empty argument counts as absent', () => {
    expect(described({ type: 'int64' })).to.include({ allowEmptyValue: true })
    expect(described({ isRequired: true })).not.to.have.property('allowEmptyValue')
  })

  it('say in words what no keyword says', () => {
    expect(described({ format: 're2', description: 'Which.' }).description).to.equal(
      'Which. An RE2 regular expression.',
    )
    expect(described({ openRows: ['a', 'b'], fallbackRow: 'a' }).description).to.equal('Any other value counts as a.')
    const told = { openRows: ['a'], fallbackRow: 'a', description: 'Else it counts as a.' }
    expect(described(told).description).to.equal('Else it counts as a.')
    expect(described({ type: 'date', minimum: '2026-01-01' }).description).to.equal('Not before 2026-01-01.')
    expect(described({ type: 'timestamp', role: 'start' })['x-sluice-role']).to.equal('start')
  })

  it('of lists are repeated, and examples stand beside the schema in 3.0', () => {
    expect(described({ type: 'array<string>' })).to.include({ style: 'form', explode: true })
    const { examples, schema } = described({ examples: ['x', 'y'] }, '3.0')
    expect(examples).to.deep.equal({ 'example-1': { value: 'x' }, 'example-2': { value: 'y' } })
    expect(schema).to.deep.equal({ type: 'string' })
  })

  it('have no format of results where the endpoint has a parameter of that name', () => {
    const { parameters } = operationOf({ parameters: [parameter('format')] })
    expect(parameters.map((one: Json) => one.name)).to.deep.equal(['format'])
  })
})

describe('openapi: the problems', () => {
  const codesOf = (
    endpoint: Partial<Endpoint> = {},
    options: Partial<DocumentOptions> = {},
  ): Record<string, string[]> => {
    const document = documentOf([handMadeEndpoint(endpoint)], options)
    const { responses } = document.paths['/api/endpoints/query/tests.echo'].get
    return Object.fromEntries(
      Object.entries(responses as Json).flatMap(([status, response]: [string, Json]) => {
        const media = response.content?.['application/problem+json']
        if (!media) return []
        const schema = document.components.schemas[media.schema.$ref.split('/').at(-1)]
        return [[status, schema.allOf[1].properties.code.enum]]
      }),
    )
  }

  it('are those that the endpoint can answer with', () => {
    expect(codesOf()).to.deep.equal({
      400: ['ARGUMENT_INVALID', 'REQUEST_INVALID'],
      401: ['TOKEN_MISSING', 'TOKEN_UNKNOWN'],
      403: ['TOKEN_NOT_ALLOWED'],
      406: ['NOT_ACCEPTABLE'],
      429: ['RATE_LIMITED'],
      502: ['QUERY_FAILED', 'RESULT_TOO_LARGE', 'ENGINE_UNAVAILABLE'],
      503: ['OVERLOADED', 'ENDPOINT_BROKEN', 'DRAINING'],
      504: ['QUERY_TIMEOUT'],
    })
  })

  it('name no argument where there is none to give', () => {
    expect(codesOf({ parameters: [parameter('p')] }, { pinned: ['p'] })[400]).to.deep.equal(['REQUEST_INVALID'])
  })

  it('name the arguments of pages, and say that pages are gone, where there are pages', () => {
    const pages = { maxSize: 50, keepMs: 1 }
    expect(codesOf({ pages })[410]).to.deep.equal(['PAGE_GONE'])
    expect(codesOf({ pages, parameters: [] })[400]).to.include('ARGUMENT_INVALID')
  })

  it('say that a contract is broken where there is one to break', () => {
    const [column] = handMadeEndpoint().columns
    expect(codesOf({ columns: [{ ...column!, required: true }] })[502]).to.include('CONTRACT_BROKEN')
    expect(codesOf({ columns: [{ ...column!, json: 'number' }] })[502]).to.include('CONTRACT_BROKEN')
    expect(codesOf({ columns: [{ ...column!, json: 'string' }] })[502]).not.to.include('CONTRACT_BROKEN')
  })

  it('are about money on BigQuery', () => {
    const { 429: limits, 502: failures } = codesOf({}, { engine: 'bigquery' })
    expect(limits).to.include('BUDGET_EXCEEDED')
    expect(failures).to.include('COST_LIMIT_EXCEEDED')
  })
})
