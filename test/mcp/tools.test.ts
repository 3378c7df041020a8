import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { toolName, toolOf } from '../../runner/mcp/tools.js'
import { Pattern } from '../../runner/model/re2.js'
import { handMadeEndpoint, parameter } from '../request/hand-made.js'

// A dependency of ajv's own users; its types have a default export that Node's loader does not give.
const addFormats = createRequire(import.meta.url)('ajv-formats') as (ajv: Ajv2020) => void

// biome-ignore lint/suspicious/noExplicitAny: a schema is JSON, and each test asserts what it reads
type Json = any

function compiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats(ajv)
  return ajv
}

const LONG = `${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(30)}`

describe('mcp: tools', () => {
  it('have names that every agent takes', () => {
    expect(toolName({ name: 'functions.invocation-stats' })).to.equal('functions_invocation-stats')
    const exact = `${'a'.repeat(31)}.${'b'.repeat(32)}`
    expect(toolName({ name: exact })).to.equal(exact.replace('.', '_'))
    const names = [LONG, `${LONG}d`, `${LONG}.d`, LONG.replace('.', '-')].map(name => toolName({ name }))
    for (const name of names) expect(name).to.match(/^[a-zA-Z0-9_-]{64}$/)
    expect(new Set(names).size).to.equal(names.length)
    expect(names[0]!.slice(0, 56)).to.equal(LONG.replaceAll('.', '_').slice(0, 56))
    expect(names[0]!.slice(56)).to.match(/^[0-9a-f]{8}$/)
  })

  it('say what they are, with units and bounds, and that they change nothing', () => {
    const column = { name: 'p95', type: 'FLOAT64', description: '', required: false, json: null, unit: 'ms' } as const
    const columns = [
      column,
      { ...column, name: 'p99' },
      { ...column, name: 'size', unit: 'bytes' },
      { ...column, name: 'n', unit: 'count' },
    ]
    const tool = toolOf(handMadeEndpoint({ columns, maxRows: 20 }), [])
    expect(tool).to.include({ name: 'tests_echo', title: 'tests.echo' })
    expect(tool.description).to.equal(
      'Gives its arguments back.\nAt most 20 rows; an answer shows 50, or as many as `rows` says, up to 200. Times are UTC. In ms: p95, p99. In bytes: size.',
    )
    expect(tool.annotations).to.deep.equal({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
  })

  it('take what the endpoint takes, without what is pinned, and nothing else', () => {
    const { inputSchema } = toolOf(handMadeEndpoint(), ['project']) as Json
    expect(Object.keys(inputSchema.properties)).to.deep.equal(['size', 'rows'])
    expect(inputSchema).to.not.have.property('required')
    expect(inputSchema.additionalProperties).to.equal(false)
    const whole = toolOf(handMadeEndpoint(), []) as Json
    expect(whole.inputSchema.required).to.deep.equal(['project'])
    expect(whole.inputSchema.properties.rows).to.include({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
  })

  it('keep an author’s own parameter `rows`', () => {
    const own = parameter('rows', { description: 'Rows of the author.' })
    const { inputSchema } = toolOf(handMadeEndpoint({ parameters: [own] }), []) as Json
    expect(inputSchema.properties.rows).to.deep.equal({ type: 'string', description: 'Rows of the author.' })
  })

  it('take a page’s size and its cursor where there are pages, and give the next one', () => {
    const toolWith = (maxSize: number) =>
      toolOf(handMadeEndpoint({ pages: { maxSize, keepMs: 1 } }), ['project']) as Json
    const { inputSchema, outputSchema, description } = toolWith(1000)
    expect(Object.keys(inputSchema.properties)).to.deep.equal(['size', 'page_size', 'cursor'])
    expect(inputSchema.properties.page_size).to.include({ minimum: 1, maximum: 200, default: 50 })
    expect(toolWith(20).inputSchema.properties.page_size).to.include({ maximum: 20, default: 20 })
    expect(outputSchema.required).to.include('next')
    expect(description).to.include(
      'as many as `page_size` says, up to 200. For the rows that follow, send its `next` as `cursor`',
    )
    for (const schema of [inputSchema, outputSchema]) compiler().compile(schema)
  })

  it('have schemas that ajv compiles in strict mode, and that let through what the server takes', () => {
    const parameters = [
      parameter('text', { pattern: new Pattern('[a-z]+'), maxLength: 3, isRequired: true }),
      parameter('search', { format: 're2' }),
      parameter('day', { type: 'date' }),
      parameter('civil', { type: 'datetime', examples: ['2026-01-31T12:00:00'] }),
      parameter('moment', { type: 'timestamp', examples: ['2026-01-31T12:00:00Z'] }),
      parameter('words', { type: 'array<string>', maxLength: 3 }),
      parameter('days', { type: 'array<datetime>' }),
      parameter('whole', { type: 'int64', minimum: '1', maximum: '9', default: '5' }),
      parameter('flag', { type: 'bool' }),
      parameter('__proto__'),
      parameter('constructor'),
    ]
    const { inputSchema, outputSchema } = toolOf(handMadeEndpoint({ parameters }), [])
    const validate = compiler().compile(inputSchema)
    compiler().compile(outputSchema)
    const given = {
      text: 'abc',
      search: '(?i)a\\z',
      day: '2026-01-31',
      civil: '2026-01-31 12:00:00.5',
      moment: '2026-01-31T12:00:00Z',
      words: ['a'],
      days: ['2026-01-31T12:00:00'],
      whole: 3,
      flag: true,
      rows: 200,
      constructor: 'x',
    }
    expect(validate(given), JSON.stringify(validate.errors)).to.equal(true)
    for (const wrong of [{ rows: 0 }, { rows: 201 }, { civil: '12:00' }, { other: 1 }, { text: 'ABC' }]) {
      expect(validate({ ...given, ...wrong }), JSON.stringify(wrong)).to.equal(false)
    }
    expect(JSON.stringify(inputSchema)).to.include('"__proto__":{"type":"string"')
  })

  it('have answers of at most as many rows as the endpoint gives, and 200', () => {
    const maxItems = (maxRows: number): number =>
      (toolOf(handMadeEndpoint({ maxRows }), []).outputSchema as Json).properties.result.maxItems
    expect([maxItems(20), maxItems(1000)]).to.deep.equal([20, 200])
  })
})
