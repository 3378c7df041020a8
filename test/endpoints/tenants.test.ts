/** The project's own endpoints never give a pinned token rows of another tenant, whatever value it is pinned to. */
import { expect } from 'chai'
import fc from 'fast-check'
import { hashToken } from '../../runner/auth/token-file.js'
import { sampleOf, sampleSize } from '../sample-size.js'
import { type Entry, edge, invoked, isoMicros, type LogRunner, liveMicros, openLogRunner } from './log-runner.js'

/** Names of tenants that contain one another, the delimiters of URLs, and parts of the domain. */
const TENANTS: readonly string[] = [
  ...['abc', 'abc2', 'xabc', 'abc-1', 'abc_1', 'abc.def', 'def.abc', 'abc.def.ghi', 'ABC', 'ab', 'bc', 'a', 'abcabc'],
  ...['def', 'supabase', 'co', 'abc.supabase', 'abc.supabase.co', 'supabase.co', 'äbc'],
]

const urlOf = (tenant: string): string => `https://${tenant}.supabase.co/rest/v1/todos`
/** Each tenant has its own minute, so that the time of a row of statistics identifies the tenant. */
const MINUTE = 60_000_000n
const BEGAN = liveMicros() / MINUTE
const minuteOf = (tenant: string): bigint => BEGAN - BigInt(TENANTS.indexOf(tenant) + 2)
const timeIn = (minute: bigint): string => isoMicros(minute * MINUTE + 10_000_000n)

function requestsOf(tenant: string): Entry {
  const others = TENANTS.filter(other => other !== tenant)
  const at = timeIn(minuteOf(tenant))
  const urls = [
    urlOf(tenant),
    // Callers choose the path, the query and the text before an @, so these may name any tenant.
    ...others.map(
      other => `https://${tenant}.not-a-project.supabase.co/${urlOf(other)}?${urlOf(other)}#${urlOf(other)}`,
    ),
    ...others.map(other => `https://${other}.supabase.co:80@${tenant}.not-a-project.supabase.co/rest`),
    ...others.map(other => `https://${other}.supabase.co.${tenant}.not-a-project.co/rest`),
  ]
  const request = urls.map(url => ({ url, path: '/rest/v1/todos' }))
  return edge(`edge of ${tenant}`, tenant, { timestamp: at, metadata: [{ request }] })
}

/** Changes to a name that an attacker might try in order to get the rows of other tenants. */
const TWISTS: readonly ((name: string) => string)[] = [
  ...[
    '.',
    '.*',
    '.+',
    '*',
    '+',
    '?',
    '|',
    '$',
    '\\',
    '\\b',
    '\\E',
    '\\Q',
    '{0}',
    '{1,}',
    '/',
    '//',
    ':',
    ':80',
    '@',
    '#',
    '%',
    '\n',
  ].map(end => (name: string) => name + end),
  ...['.', '.*', '^', '(?i)', '(?s)', '(?:)', '\\b', '\\Q', '\\E', '//', 'https://', '@', 'x@', '|', '\n', ' '].map(
    start => (name: string) => start + name,
  ),
  name => `${name}|def`,
  name => `def|${name}`,
  name => `\\Q${name}\\E`,
  name => `(${name}|.*)`,
  name => `[${name}]`,
  name => `[^${name}]*`,
  name => `${name}.supabase.co`,
  name => `${name}.supabase.co/`,
  name => `${name}.supabase.co/rest/v1/todos?x=https://def`,
  name => `${name}.supabase.co:80@def`,
  name => `${name}\\E.*\\Q`,
  name => `${name}\0`,
  name => `${name}\u200b`,
  name => name.toUpperCase(),
  name => name.replaceAll('b', '.'),
  name => name.replaceAll('b', '[b]'),
  name => name.replaceAll('a', '\\x61'),
  name => name.replaceAll('a', 'а'), // Cyrillic
  name => name.replaceAll('a', 'ａ'), // full width
]

const ALONE: readonly string[] = [
  ...[
    '.',
    '..',
    '...',
    '.*',
    '.+',
    '.?',
    '^',
    '$',
    '^$',
    '|',
    '||',
    '()',
    '(',
    ')',
    '[',
    ']',
    '[^/]',
    '[^/]+',
    '[a-z]+',
  ],
  ...[
    '\\',
    '\\\\',
    '\\w+',
    '\\S+',
    '\\S',
    '\\D',
    '\\PN',
    '\\pL+',
    '\\C',
    '\\A',
    '\\z',
    '\\b',
    '\\E',
    '\\Q',
    '\\Q\\E',
    '\\1',
    '\\0',
  ],
  ...[
    '(?i)abc',
    '(?s).*',
    '(?m)^',
    '(?U)',
    '(?-i)',
    '(?P<n>.*)',
    '(?:.*)',
    '{pin}',
    '{',
    '}',
    '{}',
    '{0}',
    '{0,}',
    '*',
    '+',
    '?',
    '-',
  ],
  ...[
    '\0',
    '\n',
    '\r\n',
    'abc\ndef',
    '\t.',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\ufeffabc',
    '\u202eabc',
    '😀',
    'é',
  ],
  ...[
    '\ud800',
    'abc\udc00',
    '%',
    '_',
    '%abc%',
    'a_c',
    'null',
    'NULL',
    'undefined',
    'true',
    '0',
    '@project',
    '@now',
    '$1',
    '$&',
    "$'",
  ],
  ...[
    "' OR 1=1 --",
    '" OR ""="',
    "abc' --",
    '`logs.edge`',
    '/',
    '//',
    ':',
    '@',
    '#',
    '&',
    '=',
    'http',
    'https',
    'https?',
    'rest',
  ],
  ...[
    'supabase.co/',
    'not-a-project',
    '[object Object]',
    '__proto__',
    'constructor',
    '..abc',
    'abc..',
    '.abc.',
    'x'.repeat(20_000),
  ],
  ...['('.repeat(500), 'a{1000}{1000}', '(a*)*', '('.repeat(1_500), '\\'.repeat(501), '[a-z'.repeat(300)],
]

const NAMES: readonly string[] = [
  ...new Set([
    ...TENANTS,
    ...sampleOf([...ALONE, ...['abc', 'abc.def', 'co'].flatMap(name => TWISTS.map(twist => twist(name)))]),
    ...fc.sample(
      fc.string({ unit: fc.constantFrom(...'abc.def2x|*+?\\^$[](){}/:@-_EQ \n'), minLength: 1, maxLength: 8 }),
      {
        seed: 12,
        numRuns: sampleSize(60),
      },
    ),
  ]),
].filter(name => name.trim() !== '')

interface Answer {
  readonly status: number
  readonly rows: readonly Entry[]
}

describe('a pinned token', function () {
  this.timeout(600_000)
  let logs: LogRunner
  const keyOf = (name: string): string => `key of ${NAMES.indexOf(name)}`

  before(async () => {
    logs = await openLogRunner({
      edge: TENANTS.map(requestsOf),
      function_edge: TENANTS.map(tenant => invoked(tenant, timeIn(minuteOf(tenant)))),
    })
    const pinned = NAMES.map((project, i) => ({
      name: `t${i}`,
      sha256: hashToken(`key of ${i}`),
      endpoints: ['*'],
      pinned: { project },
    }))
    const others = ['unpinned', 'all tenants'].map(key => ({ sha256: hashToken(key), endpoints: ['*'], pinned: {} }))
    logs.writeTokens([...pinned, { ...others[0], name: 'unpinned' }, { ...others[1], name: 'all', all_tenants: true }])
  })
  after(() => logs.close())

  /** An endpoint, the arguments that it needs besides the project, and the tenant that a row belongs to. */
  const ENDPOINTS = [
    {
      name: 'logs.all',
      others: { project_tier: 'PRO' },
      ownerOf: (row: Entry) => String(row['id']).replace('edge of ', ''),
    },
    { name: 'functions.invocation-stats', others: { interval: '1hr' }, ownerOf: ownerByMinute },
    { name: 'usage.api-counts', others: { interval: 'minutely' }, ownerOf: ownerByMinute },
  ] as const

  function ownerByMinute(row: Entry): string {
    const minute = BigInt(Date.parse(`${String(row['timestamp']).slice(0, 16)}Z`)) / 60_000n
    return TENANTS[Number(BEGAN - minute) - 2] ?? `no tenant, at ${row['timestamp']}`
  }

  async function ask(
    key: string,
    name: string,
    args: Readonly<Record<string, string>>,
    isPost = false,
  ): Promise<Answer> {
    const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' }
    const response = isPost
      ? await logs.get(`query/${name}`, { method: 'POST', headers, body: JSON.stringify(args) })
      : await logs.get(`query/${name}?${new URLSearchParams(args)}`, { headers })
    const body = (await response.json()) as { result?: readonly Entry[] }
    return { status: response.status, rows: body.result ?? [] }
  }

  /** Calls `act` for each element, at most six at a time. */
  async function forEach<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
    const left = all.values()
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (const one of left) await act(one)
      }),
    )
  }

  it('is tried with 300 names and more', () => expect(NAMES.length).to.be.at.least(sampleSize(300)))

  for (const { name, others, ownerOf } of ENDPOINTS) {
    it(`gets from ${name} no row of another tenant, and the rows of its own`, async () => {
      await forEach(NAMES, async project => {
        const where = `${name} for ${JSON.stringify(project.slice(0, 60))}`
        const key = keyOf(project)
        const isSent = project.length < 100 && NAMES.indexOf(project) % 4 === 0
        const answers = [
          await ask(key, name, others),
          await ask(key, name, { ...others, project }, true),
          ...(isSent ? [await ask(key, name, { ...others, project })] : []),
        ]
        for (const { status, rows } of answers) {
          // A name that is not a valid argument gives a 400 when the caller sends it.
          expect(status, where).to.be.oneOf([200, 400, 403])
          for (const row of rows) expect(ownerOf(row), where).to.equal(project)
        }
        if (!TENANTS.includes(project)) return
        for (const { status, rows } of answers) {
          expect([status, rows.length], where).to.deep.equal([200, 1])
          if (name === 'usage.api-counts') expect(rows[0], where).to.include({ total_rest_requests: 1 })
        }
      })
    })

    it(`may not call ${name} for another project, or for a pattern`, async () => {
      const asked = ['.*', '.', 'abc2', 'xabc', 'ABC', 'abc|def', '^https?://abc\\.', '(?:abc)', ' abc', 'abc ']
      for (const project of asked) {
        for (const isPost of [false, true]) {
          const { status, rows } = await ask(keyOf('abc'), name, { ...others, project }, isPost)
          expect([status, rows.length], `${name} ${project}`).to.deep.equal([403, 0])
        }
      }
    })

    it(`is required for ${name}, unless the token is for all tenants, which may call for any project`, async () => {
      expect((await ask('unpinned', name, { ...others, project: 'abc' })).status).to.equal(403)
      for (const tenant of ['abc', 'def']) {
        const { status, rows } = await ask('all tenants', name, { ...others, project: tenant })
        expect(status).to.equal(200)
        expect(rows.map(ownerOf)).to.include(tenant)
      }
    })
  }

  it('shares no cached result with a call that sends the pinned value as an argument', async () => {
    const { name, others, ownerOf } = ENDPOINTS[2]
    for (let i = 0; i < 2; i += 1) {
      const all = (await ask('all tenants', name, { ...others, project: 'abc' })).rows.map(ownerOf)
      expect(all).to.include.members(['abc', 'abc2', 'xabc', 'abc.def'])
      expect((await ask(keyOf('abc'), name, others)).rows.map(ownerOf)).to.deep.equal(['abc'])
    }
  })

  it('sees the three endpoints in the list, like a token for all tenants; any other token does not', async () => {
    const namesFor = async (key: string): Promise<readonly string[]> => {
      const response = await logs.get('', { headers: { 'X-API-KEY': key } })
      return ((await response.json()) as { endpoints: readonly { name: string }[] }).endpoints.map(({ name }) => name)
    }
    const all = ENDPOINTS.map(({ name }) => name).sort()
    expect(await namesFor(keyOf('abc'))).to.deep.equal(all)
    expect(await namesFor('all tenants')).to.deep.equal(all)
    expect(await namesFor('unpinned')).to.deep.equal([])
  })
})
