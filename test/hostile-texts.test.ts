/**
 * Every place where a text of a caller meets a parser, a regular expression or a loop of ours, each with the text that costs it
 * most. What the server spends must grow no faster than the text, so that one caller does not make others wait.
 */
import { type OutgoingHttpHeaders, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { ArgumentSchema } from '../runner/manifest/argument-schema.js'
import { compilePinnedAs } from '../runner/manifest/pinned-as.js'
import type { Parameter } from '../runner/model/param.js'
import { Pattern } from '../runner/model/re2.js'
import { type Serving, serving, TOKEN } from './http/serving.js'
import { handMadeEndpoint, parameter } from './request/hand-made.js'
import { sampleOf } from './sample-size.js'

/** The longest texts: the server takes lists of 8,192 characters in headers, and addresses of 16,384. */
const LENGTHS = { header: 8_100, address: 16_000, body: 131_072 } as const

/** Processor time for a text of the greatest length, in milliseconds; most take 1 to 10. */
const MAX_MS = 100
/** A text of four times the length costs at most so many times as much; a quadratic algorithm costs 16 times as much. */
const MAX_GROWTH = 8
/** Below this, what a request costs without any text hides the growth. */
const NOISE_MS = 15
/**
 * Bodies are tried in a quarter of the length first. Where that takes less than this, even a quadratic algorithm takes less than
 * MAX_MS for the whole, which is not tried.
 */
const NOISE_MS_OF_QUARTER = MAX_MS / 4 ** 2
/** How often a request that seems slow is sent: other programs and the collection of garbage only add to its time. */
const TIMES = 8

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

interface Row {
  readonly place: string
  readonly kind: keyof typeof LENGTHS
  /** A request whose text has about this length. */
  readonly sent: (length: number) => Sent
  /** The statuses that may answer it. */
  readonly statuses: readonly number[]
}

const QUERY = '/api/endpoints/query/tests.echo'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const MCP_TYPE = { ...JSON_TYPE, Accept: 'application/json, text/event-stream' }

/** A run of texts, with an end. */
const run = (unit: string, length: number, end = ''): string => unit.repeat(Math.ceil(length / unit.length)) + end
const runs = (units: readonly string[], ends: readonly string[]): readonly ((length: number) => string)[] =>
  units.flatMap(unit => ends.map(end => (length: number) => run(unit, length, end)))

/** Different names: `a0`, `a1` and so on. */
const named = (length: number, pair: (name: string) => string, between: string): string => {
  const parts: string[] = []
  for (let i = 0, size = 0; size < length; i++) {
    const part = pair(`a${i.toString(36)}`)
    parts.push(part)
    size += part.length + between.length
  }
  return parts.join(between)
}

/** Each member and each element is compared with every branch. */
const SCHEMA = new ArgumentSchema({
  anyOf: [1, 2, 3, 4].map(n => ({ minProperties: n, additionalProperties: { type: 'string', minLength: 2 } })),
  items: { oneOf: [{ const: 'a' }, { enum: ['b', [1]] }, { type: 'object', required: ['a'] }] },
})
const PARAMETERS: readonly Parameter[] = [
  parameter('project'),
  parameter('int64', { type: 'int64', minimum: '1', maximum: '9' }),
  parameter('float64', { type: 'float64', minimum: 1 }),
  ...(['bool', 'date', 'time', 'datetime', 'timestamp', 'uuid', 'timezone'] as const).map(type =>
    parameter(type, { type }),
  ),
  parameter('numeric', { type: 'numeric', minimum: '1', maximum: '9' }),
  parameter('bignumeric', { type: 'bignumeric', minimum: '1', maximum: '9' }),
  parameter('json', { type: 'json', schema: SCHEMA }),
  parameter('like', { format: 're2', maxLength: 1_024 }),
  parameter('pinned', { format: 're2', maxLength: 1_024, pinnedAs: compilePinnedAs('^https?://{pin}\\.') }),
  parameter('fits', { pattern: new Pattern('[äöü]*[äöü]*[äöü]*[äöü]*'), maxLength: 100_000 }),
  parameter('row', { rows: Array.from({ length: 100 }, (_, i) => `row ${i}`) }),
  parameter('strings', { type: 'array<string>' }),
  parameter('words', { type: 'array<string>', pattern: new Pattern('(?:[a-z]+ ?)+'), maxElementLength: 1_024 }),
  parameter('likes', { type: 'array<string>', format: 're2', maxElementLength: 1_024 }),
  parameter('kinds', { type: 'array<string>', enum: Array.from({ length: 100 }, (_, i) => `kind ${i}`) }),
  parameter('int64s', { type: 'array<int64>' }),
  parameter('float64s', { type: 'array<float64>' }),
  parameter('timestamps', { type: 'array<timestamp>' }),
  parameter('numerics', { type: 'array<numeric>' }),
  parameter('timezones', { type: 'array<timezone>' }),
]
const ENDPOINTS = [
  handMadeEndpoint({ parameters: PARAMETERS }),
  handMadeEndpoint({
    id: '1b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11',
    name: 'tests.strict',
    parameters: PARAMETERS,
    rejectsUnknown: true,
  }),
  handMadeEndpoint({
    id: '2b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11',
    name: 'tests.paged',
    pages: { maxSize: 100, keepMs: 1_000 },
  }),
]

const header =
  (name: string, text: (length: number) => string, sent: Sent = {}) =>
  (length: number): Sent => ({ ...sent, headers: { ...sent.headers, [name]: text(length) } })

const HEADERS: readonly Row[] = [
  ...runs(['a', ' a', 'Bearer ', '='], ['', ' x']).flatMap(text => [
    { place: `X-API-KEY ${text(8)}`, sent: header('X-API-KEY', text), statuses: [401] },
    {
      place: `Authorization ${text(8)}`,
      sent: header('Authorization', l => `Bearer ${text(l)}`, { headers: { 'X-API-KEY': '' } }),
      statuses: [401],
    },
    { place: `X-Request-Id ${text(8)}`, sent: header('X-Request-Id', text), statuses: [200] },
    { place: `Origin ${text(8)}`, sent: header('Origin', text), statuses: [200] },
  ]),
  ...runs(['a,', '*/*,', 'a/b;q=0,', ';', '"', '",', 'a/b;q=".,', ' ', 'a/b;'], ['x', '"', ' x']).flatMap(text => [
    { place: `Accept ${text(8)}`, sent: header('Accept', text), statuses: [200, 406] },
    { place: `Accept of /problems ${text(8)}`, sent: header('Accept', text, { path: '/problems/x' }), statuses: [404] },
    { place: `Accept of / ${text(8)}`, sent: header('Accept', text, { path: '/' }), statuses: [302, 404] },
    {
      place: `Accept of /openapi.json ${text(8)}`,
      sent: header('Accept', text, { path: '/openapi.json' }),
      statuses: [200],
    },
    {
      place: `Accept of /mcp ${text(8)}`,
      sent: header('Accept', text, { path: '/mcp', method: 'POST', body: '{}' }),
      statuses: [400, 406, 415],
    },
    { place: `Accept-Encoding ${text(8)}`, sent: header('Accept-Encoding', text), statuses: [200, 406] },
    {
      place: `Accept-Encoding of the page ${text(8)}`,
      sent: header('Accept-Encoding', text, { path: '/explorer/' }),
      statuses: [200],
    },
  ]),
  ...runs(['"a",', 'W/', '"', ',', ' ', ' ,', '*'], ['x', '"']).flatMap(text => [
    { place: `If-None-Match ${text(8)}`, sent: header('If-None-Match', text), statuses: [200, 304] },
    {
      place: `If-None-Match of the page ${text(8)}`,
      sent: header('If-None-Match', text, { path: '/explorer/' }),
      statuses: [200, 304],
    },
    { place: `If-Match ${text(8)}`, sent: header('If-Match', text), statuses: [200, 412] },
    {
      place: `If-Range ${text(8)}`,
      sent: header('If-Range', text, { headers: { Range: 'bytes=0-1' } }),
      statuses: [200],
    },
  ]),
  ...runs(['0', ' ', '-', ',0-0', '0-'], ['', 'x', '-']).map(text => ({
    place: `Range ${text(8)}`,
    sent: header('Range', l => `bytes=${text(l)}`),
    statuses: [200, 206, 416],
  })),
  ...runs([',', ' ', 'no-cache ', 'max-age=', 'max-age=0,', '0', ', '], ['', 'x']).flatMap(text => [
    { place: `Cache-Control ${text(8)}`, sent: header('Cache-Control', l => `max-age=0${text(l)}`), statuses: [200] },
    {
      place: `Cache-Control of the page ${text(8)}`,
      sent: header('Cache-Control', text, { path: '/explorer/', headers: { 'If-None-Match': '"x"' } }),
      statuses: [200],
    },
  ]),
  ...runs(['a', 'a.', 'xn--', 'xn--a-', '%c3%a9', '\u00e9', '0.', '[', ':', '@'], ['', ':80', ']']).flatMap(text => [
    { place: `Host ${text(8)}`, sent: header('Host', text, { path: '/openapi.json' }), statuses: [200] },
  ]),
  ...runs(['application/json;', ';', 'charset=', ' ', '"'], ['', 'x']).map(text => ({
    place: `Content-Type ${text(8)}`,
    sent: header('Content-Type', text, { method: 'POST', body: '{}' }),
    statuses: [200, 415],
  })),
  {
    place: 'many headers',
    sent: (l: number) => ({
      headers: Object.fromEntries(
        named(l, name => name, ' ')
          .split(' ')
          .slice(0, 1_500)
          .map(name => [name, 'x']),
      ),
    }),
    statuses: [400],
  },
].map(row => ({ ...row, kind: 'header' as const }))

const ADDRESSES: readonly Row[] = [
  ...runs(['a', '/', '%61', '%2f', '.', '..', '/..', '%c3%a9', '//', ';', '@'], ['', '%', '/purge', '/']).flatMap(
    text =>
      ['/', '/api/endpoints/query/', '/api/endpoints/', '/api/tables/', '/problems/', '/explorer/', '/mcp'].map(
        prefix => ({
          place: `path ${prefix}${text(8)}`,
          sent: (l: number): Sent => ({ path: prefix + text(l - prefix.length - 10) }),
          statuses: [200, 302, 400, 404, 405],
        }),
      ),
  ),
  ...runs(
    ['&', '=', 'a&', 'project=&', 'project=a&', '%61', '%', '+', '?', 'tag[', '[1', '%5B', 'strings=a&', 'strings[]=&'],
    ['', ']', '=x'],
  ).flatMap(text =>
    ['tests.echo', 'tests.strict'].map(name => ({
      place: `query of ${name} ${text(8)}`,
      sent: (l: number): Sent => ({ path: `/api/endpoints/query/${name}?${text(l - 100)}` }),
      statuses: [200, 400],
    })),
  ),
  {
    place: 'query of many names',
    sent: (l: number) => ({ path: `/api/endpoints/query/tests.strict?${named(l - 100, name => `${name}=1`, '&')}` }),
    statuses: [400],
  },
  ...['page_size', 'cursor'].flatMap(name =>
    runs(['a', '1', '.', 'a.', '%2E', `${name}=1&`], ['', '.', 'a']).map(text => ({
      place: `${name} ${text(8)}`,
      sent: (l: number): Sent => ({ path: `/api/endpoints/query/tests.paged?project=a&${name}=${text(l - 100)}` }),
      statuses: [400],
    })),
  ),
  {
    place: 'query of the document',
    sent: (l: number) => ({ path: `/openapi.json?${run('version=1&', l - 100)}` }),
    statuses: [400],
  },
].map(row => ({ ...row, kind: 'address' as const }))

const json = (value: unknown, path = QUERY): Sent => ({
  path,
  method: 'POST',
  headers: JSON_TYPE,
  body: typeof value === 'string' ? value : JSON.stringify(value),
})
const form = (body: string, path = QUERY): Sent => ({ path, method: 'POST', headers: FORM_TYPE, body })
const STRICT = '/api/endpoints/query/tests.strict'

/** Texts for values of every type, each of the longest length that a value may have. */
const VALUES: readonly ((length: number) => string)[] = [
  ...runs(
    [
      '0',
      '-',
      '1e',
      '.',
      '1:11:11.',
      ' ',
      '\n',
      't',
      'ä',
      'a ',
      '(',
      'a{1,1000}',
      '(a*)*',
      '\\pL',
      '[',
      '[^\\PL]',
      '|',
      '\ud83d\ude00',
      '\ud83d',
      '\0',
      ',',
      '"',
      '\\',
    ],
    ['', 'x', '}', ' 02:00'],
  ),
  l => `2026-01-31T12:00:00.${run('0', l)}1`,
  l => `0.${run('0', l)}1x`,
  l => `(?i)${run('[Ā-\uffff]', Math.min(l, 1_000))}`,
]

const BODIES: readonly Row[] = [
  ...sampleOf(VALUES).flatMap((text, i) =>
    PARAMETERS.map(({ name, type }) => ({
      place: `value ${i} of ${name} ${JSON.stringify(text(8))}`,
      // One value has at most 32 kB, so a longer text is a list, or is refused by its length.
      sent: (l: number): Sent =>
        json({ [name]: type.startsWith('array') ? Array.from({ length: 4 }, () => text(l / 4 - 100)) : text(l) }),
      statuses: [200, 400],
    })),
  ),
  ...[
    'strings',
    'words',
    'likes',
    'kinds',
    'int64s',
    'float64s',
    'timestamps',
    'numerics',
    'timezones',
    'json',
  ].flatMap(name =>
    ['a', '1', 'kind 99', '', 'a b', '2026-01-31', '(?i)'].map(element => ({
      place: `elements of ${name}: ${element}`,
      sent: (l: number): Sent => json({ [name]: Array.from({ length: l / (element.length + 3) }, () => element) }),
      statuses: [200, 400],
    })),
  ),
  {
    place: 'a list of different patterns',
    sent: (l: number) => json({ likes: Array.from({ length: l / 1_000 }, (_, i) => run('[^\\PL]', 990, String(i))) }),
    statuses: [400],
  },
  ...PARAMETERS.map(({ name }) => ({
    place: `an object with members that are called, in place of ${name}`,
    sent: (l: number): Sent => json({ [name]: { toString: run('a', l), valueOf: 1, length: 5, join: 1 } }),
    statuses: [400],
  })),
  ...['{"a":', '[', '{"project":[', '"\\u0061', '"\\', '{"a":1,', ' ', '1', '-', '{"strings":[{"a":'].map(text => ({
    place: `JSON ${text}`,
    sent: (l: number): Sent => json(run(text, l)),
    statuses: [400],
  })),
  ...['[', '{"a":', '["a",', '{"b":"c",', '1e9', '"\\u0061'].map(text => ({
    place: `text of JSON ${text}`,
    sent: (l: number): Sent => json({ json: run(text, Math.min(l, 32_000) / 2) }),
    statuses: [400],
  })),
  ...[{ a: 'bb' }, ['a'], [{ a: 1 }]].map(value => ({
    place: `value of JSON ${JSON.stringify(value)}`,
    sent: (l: number): Sent => json({ json: Array.from({ length: Math.min(l, 32_000) / 12 }, () => value) }),
    statuses: [200, 400],
  })),
  {
    place: 'JSON that is nested',
    sent: (l: number) => json(`{"project":${'['.repeat(l / 2)}${']'.repeat(l / 2)}}`),
    statuses: [400],
  },
  {
    place: 'JSON of objects',
    sent: (l: number) => json(`{"strings":${'{"a":'.repeat(l / 6)}1${'}'.repeat(l / 6)}}`),
    statuses: [400],
  },
  { place: 'JSON of escapes', sent: (l: number) => json(`{"project":"${run('\\"', l)}"}`), statuses: [200, 400] },
  { place: 'JSON of digits', sent: (l: number) => json(`{"float64":1${run('0', l)}}`), statuses: [400] },
  {
    place: 'JSON of many names',
    sent: (l: number) => json(`{${named(l, name => `"${name}":1`, ',')}}`),
    statuses: [400],
  },
  {
    place: 'JSON of many names, refused',
    sent: (l: number) => json(`{${named(l, name => `"${name}":1`, ',')}}`, STRICT),
    statuses: [400],
  },
  {
    place: 'JSON of numbers as names',
    sent: (l: number) => json(`{${named(l, name => `"${Number.parseInt(name.slice(1), 36) * 65_536}":1`, ',')}}`),
    statuses: [400],
  },
  { place: 'JSON of a name again', sent: (l: number) => json(`{${run('"a":1,', l)}"a":1}`), statuses: [400] },
  { place: 'JSON of a long name', sent: (l: number) => json({ [run('a', l)]: 1 }, STRICT), statuses: [400] },
  ...['a&', 'project=a&', 'strings=a&', 'strings=&', '%61', '+', '&', '=', 'a[', '[1', '\u00e9'].flatMap(text =>
    ['', ']=', '%'].map(end => ({
      place: `form ${text}${end}`,
      sent: (l: number): Sent => form(run(text, l, end), STRICT),
      statuses: [200, 400],
    })),
  ),
  { place: 'form of many names', sent: (l: number) => form(named(l, name => `${name}=1`, '&')), statuses: [400] },
  {
    place: 'form of many names, refused',
    sent: (l: number) =>
      form(
        named(l, name => `${name}=1`, '&'),
        STRICT,
      ),
    statuses: [400],
  },
  {
    place: 'form of numbers as names',
    sent: (l: number) => form(named(l, name => String(Number.parseInt(name.slice(1), 36) * 65_536), '&')),
    statuses: [400],
  },
  {
    place: 'a name in the address and the form',
    sent: (l: number) => form(run('strings=a&', l), `${QUERY}?strings=b`),
    statuses: [200, 400],
  },
].map(row => ({ ...row, kind: 'body' as const }))

const mcp = (message: unknown, version: string | null = '2025-06-18'): Sent => ({
  path: '/mcp',
  method: 'POST',
  headers: { ...MCP_TYPE, ...(version !== null && { 'MCP-Protocol-Version': version }) },
  body: typeof message === 'string' ? message : JSON.stringify(message),
})
const call = (args: unknown, name = 'tests_echo', id: unknown = 1): unknown => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** A batch of so many messages, in each of which `#` is another number. */
const batch = (count: number, message: unknown): string => {
  const text = JSON.stringify(message)
  return `[${Array.from({ length: count }, (_, i) => text.replace('#', String(i))).join()}]`
}

const BATCHES: readonly (readonly [what: string, text: (length: number) => string, statuses: readonly number[]])[] = [
  ['of calls', l => batch(10, call({ int64: run('0', l / 11) })), [200, 400]],
  ['of patterns', l => batch(10, call({ like: run('(?i)[^\\PL]', l / 13, '#') })), [200, 400]],
  ['of too many', l => batch(l / 80, call({})), [400]],
  ['of small messages', l => `[${run('{"jsonrpc":"2.0","method":"a"},', l)}{}]`, [400]],
  ['of nothing', l => `[${run('0,', l)}0]`, [400]],
]

const MESSAGES: readonly Row[] = [
  ...runs(['0', 'a', '[', '"', '\n', '\\'], ['x']).flatMap(text => [
    { place: `MCP argument ${text(4)}`, sent: (l: number) => mcp(call({ int64: text(l) })), statuses: [200] },
    { place: `MCP tool ${text(4)}`, sent: (l: number) => mcp(call({}, text(l))), statuses: [200] },
    { place: `MCP id ${text(4)}`, sent: (l: number) => mcp(call({}, 'tests_echo', text(l))), statuses: [200] },
    {
      place: `MCP method ${text(4)}`,
      sent: (l: number) => mcp({ jsonrpc: '2.0', id: 1, method: text(l) }),
      statuses: [200],
    },
    {
      place: `MCP resource ${text(4)}`,
      sent: (l: number) =>
        mcp({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `sluice://endpoints/${text(l)}` } }),
      statuses: [200],
    },
    {
      place: `MCP client ${text(4)}`,
      sent: (l: number) =>
        mcp({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: text(l), capabilities: {}, clientInfo: { name: text(10), version: '1' } },
        }),
      statuses: [200],
    },
  ]),
  {
    place: 'MCP many arguments',
    sent: (l: number) => mcp(call(JSON.parse(`{${named(l, name => `"${name}":1`, ',')}}`))),
    // A quarter of the length is not too many.
    statuses: [200, 400],
  },
  {
    place: 'MCP nested argument',
    sent: (l: number) =>
      mcp(JSON.stringify(call({ project: 0 })).replace('0}}', `${'['.repeat(l / 2)}${']'.repeat(l / 2)}}}`)),
    statuses: [200, 400],
  },
  {
    place: 'MCP elements',
    sent: (l: number) => mcp(call({ int64s: Array.from({ length: l / 2 }, () => 1) })),
    statuses: [200, 400],
  },
  ...[null, '2025-06-18'].flatMap(version =>
    BATCHES.map(([what, text, statuses]) => ({
      place: `MCP batch ${what}, revision ${version}`,
      sent: (l: number): Sent => mcp(text(l), version),
      statuses,
    })),
  ),
].map(row => ({ ...row, kind: 'body' as const }))

const PINNED: readonly Row[] = [
  ...['int64', 'int64s'].flatMap(name =>
    runs(['0', '1'], ['', 'x']).map(text => ({
      place: `another spelling of a pin: ${name} ${text(4)}`,
      sent: (l: number): Sent => json({ [name]: text(l) }),
      statuses: [403],
    })),
  ),
  {
    place: 'a pin as a list',
    sent: (l: number) => json({ int64s: Array.from({ length: l / 2 }, () => 1), int64: 1 }),
    statuses: [200, 400],
  },
  {
    place: 'a pin as a list of texts',
    sent: (l: number) => form(run('int64s=01&', l, 'int64=1')),
    statuses: [200, 400],
  },
].map(row => ({ ...row, kind: 'body' as const }))

describe('a text of a caller costs no more than its length', function () {
  this.timeout(1_200_000)
  let s: Serving
  let pinned = ''
  before(async () => {
    s = await serving({ endpoints: ENDPOINTS })
    pinned = await s.token({ allow: ['*'], pin: { int64: '1', int64s: '1' } })
  })
  after(() => s.close())

  /** Sends a request as it is, without what a client would normalize, and returns the status. */
  function send({ path = QUERY, method = 'GET', headers, body }: Sent, token: string): Promise<number> {
    const { hostname, port } = new URL(s.url)
    const options = { hostname, port, path, method, headers: { 'X-API-KEY': token, ...headers }, agent: false } as const
    return new Promise((resolve, reject) => {
      const sent = request(options, response => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.on('error', reject).end(body)
    })
  }

  /** The least processor time of so many requests, of which one below `enoughMs` is the last, and its status. */
  async function costOf(
    row: Row,
    length: number,
    token: string,
    times = 1,
    enoughMs = 0,
  ): Promise<{ ms: number; status: number }> {
    let least = Number.POSITIVE_INFINITY
    let status = 0
    for (let i = 0; i < times && least > enoughMs; i++) {
      const order = row.sent(length - i)
      const began = process.cpuUsage()
      status = await send(order, token)
      const { user, system } = process.cpuUsage(began)
      least = Math.min(least, (user + system) / 1_000)
    }
    return { ms: least, status }
  }

  const GROUPS = {
    'in headers': HEADERS,
    'in addresses': ADDRESSES,
    'in bodies': BODIES,
    'in messages of agents': MESSAGES,
  }
  for (const [name, rows] of Object.entries(GROUPS)) {
    it(name, () => check(rows, () => TOKEN))
  }
  it('and is not kept for long: headers that differ in each request', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const count = 1_500
    const ask = async (i: number): Promise<void> => {
      const text = `application/json;q=1;${run('a', LENGTHS.header, String(i))}`
      expect(await send({ headers: { Accept: text } }, TOKEN)).to.equal(200)
    }
    await ask(0)
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 1; i <= count; i++) await ask(i)
    collect()
    expect((process.memoryUsage().heapUsed - before) / count).to.be.below(LENGTHS.header / 2)
  })
  it('in place of a pin', () => check(PINNED, () => pinned))

  async function check(rows: readonly Row[], token: () => string): Promise<void> {
    const slow: string[] = []
    const suspects: Row[] = []
    const firstOf = ({ kind }: Row): readonly [length: number, enoughMs: number] =>
      kind === 'body' ? [LENGTHS.body / 4, NOISE_MS_OF_QUARTER] : [LENGTHS[kind], NOISE_MS]
    for (const row of rows) {
      const [length, enoughMs] = firstOf(row)
      const { ms, status } = await costOf(row, length, token())
      if (process.env['SHOW']) console.log(ms.toFixed(1), status, row.place)
      if (!row.statuses.includes(status)) slow.push(`${row.place}: status ${status}`)
      if (ms > enoughMs) suspects.push(row)
    }
    for (const row of suspects) {
      const [first, enoughMs] = firstOf(row)
      if ((await costOf(row, first, token(), TIMES, enoughMs)).ms <= enoughMs) continue
      const length = LENGTHS[row.kind]
      const small = await costOf(row, length / 4, token(), TIMES)
      const large = await costOf(row, length, token(), TIMES, NOISE_MS)
      // So little time is mostly that of the request itself, or of other programs.
      const grown = MAX_GROWTH * Math.max(small.ms, NOISE_MS_OF_QUARTER)
      if (large.ms > MAX_MS || (large.ms > NOISE_MS && large.ms > grown)) {
        slow.push(`${row.place}: ${small.ms.toFixed(1)} ms for ${length / 4}, ${large.ms.toFixed(1)} ms for ${length}`)
      }
    }
    expect(slow).to.deep.equal([])
  }
})
