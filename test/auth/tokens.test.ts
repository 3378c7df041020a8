import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createToken, listTokens, type NewToken, revokeToken } from '../../authoring/token/token-writer.js'
import { FileTokens } from '../../runner/auth/tokens.js'
import { SetupError, UsageError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { manualClock } from '../cache/manual-clock.js'
import { makePipe } from '../pipe.js'

describe('tokens', () => {
  let folder = ''
  let path = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-tokens-'))
    path = join(folder, 'data', 'tokens.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const clock = manualClock()
  const create = (order: Partial<NewToken> = {}) =>
    createToken(path, { name: 'n', allow: ['*'], ...order }, clock.nowMs())
  function open(events: Event[] = [], unrestrictedToken: string | null = null) {
    return new FileTokens({ path, unrestrictedToken, clock, observe: event => void events.push(event) })
  }

  it('are 256 random bits, of which the file keeps only a hash', async () => {
    const token = await create()
    expect(Buffer.from(token, 'base64url')).to.have.length(32)
    const text = readFileSync(path, 'utf8')
    expect(text).to.not.include(token)
    expect(await listTokens(path)).to.have.length(1)
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    expect(readdirSync(join(folder, 'data'))).to.deep.equal(['tokens.json'])
  })

  it('are refused where other users may write to the file, and those read before stay valid', async () => {
    const token = await create()
    const events: Event[] = []
    const store = open(events)
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(path, mode)
      const message = `other users may write to the tokens file ${path}, which is refused: chmod 600 ${path}`
      expect(() => open()).to.throw(SetupError, message)
      expect(await listTokens(path).catch((error: Error) => error.message)).to.equal(message)
      expect(await create({ name: 'm' }).catch((error: Error) => error.message)).to.equal(message)
      await clock.advance(200)
      expect(store.find(token)?.token).to.equal('n')
      expect(events.at(-1)).to.deep.equal({ kind: 'tokens.unreadable', reason: message })
    }
    for (const mode of [0o600, 0o644]) {
      chmodSync(path, mode)
      expect(open().find(token)?.token).to.equal('n')
    }
  })

  it('are refused where the file belongs to another user', async function () {
    if (process.getuid?.() !== 0) return this.skip() // Only root can give a file away.
    const token = await create()
    chownSync(path, 65_534, 65_534)
    expect(() => open()).to.throw(SetupError, `${path} belongs to another user, which is refused: chown 0 ${path}`)
    chownSync(path, 0, 0)
    expect(open().find(token)?.token).to.equal('n')
  })

  it('are recognised by their text alone', async () => {
    const token = await create({ pin: { project: 'abc' } })
    const store = open()
    expect(store.find(token)?.token).to.equal('n')
    expect(store.find(token)?.pinned).to.deep.equal({ project: 'abc' })
    const hash = (await listTokens(path))[0]?.sha256 ?? ''
    for (const other of ['', 'n', hash, token.slice(1), `${token} `, token.toUpperCase()]) {
      expect(store.find(other)).to.equal(null)
    }
  })

  it('allow the endpoints that their patterns name', async () => {
    const store = open()
    const token = await create({ allow: ['logs.*', 'usage.api-counts', 'a*z'] })
    await clock.advance(200)
    const caller = store.find(token)
    const allowed = ['logs.all', 'logs.', 'usage.api-counts', 'az', 'abcz'].map(name => caller?.mayCall(name))
    const refused = ['logs', 'logsxall', 'usage.api-counts2', 'xusage.api-counts', 'usageXapi-counts', 'abcy', ''].map(
      name => caller?.mayCall(name),
    )
    expect([...new Set(allowed), ...new Set(refused)]).to.deep.equal([true, false])
  })

  it('expire', async () => {
    const token = await create({ expires: '90d' })
    const store = open()
    const start = clock.nowMs()
    await clock.advance(90 * 86_400_000 - 1)
    expect(store.find(token)).to.not.equal(null)
    await clock.advance(1)
    expect(store.find(token)).to.equal(null)
    expect(clock.nowMs() - start).to.equal(90 * 86_400_000)
  })

  it('are added and removed with the file, without a restart', async () => {
    const events: Event[] = []
    const store = open(events)
    const token = await create()
    await clock.advance(100)
    expect(store.find(token)).to.not.equal(null)
    await revokeToken(path, 'n')
    await clock.advance(100)
    expect(store.find(token)).to.equal(null)
    expect(events.map(event => event.kind)).to.deep.equal(['tokens.reloaded', 'tokens.reloaded'])
  })

  it('stay as they were while the file is broken or missing, which is reported once', async () => {
    const token = await create()
    const events: Event[] = []
    const store = open(events)
    for (const spoil of [() => writeFileSync(path, '{"tokens": [{"sha'), () => rmSync(path)]) {
      spoil()
      for (let i = 0; i < 3; i += 1) {
        await clock.advance(100)
        expect(store.find(token)).to.not.equal(null)
      }
    }
    expect(events.map(event => event.kind)).to.deep.equal(['tokens.unreadable', 'tokens.unreadable'])
    expect(JSON.stringify(events)).to.not.include('sha')
    await create({ name: 'other' })
    await clock.advance(100)
    expect(store.find(token)).to.equal(null)
  })

  it('stay as they were while a pipe has the place of the file, which is not read', async () => {
    const token = await create()
    const events: Event[] = []
    const store = open(events)
    const remove = makePipe(path, '{"tokens": []}')
    try {
      await clock.advance(100)
      expect(store.find(token)?.token).to.equal('n')
      const message = `cannot read the tokens file ${path}: it is not an ordinary file; --tokens or SLUICE_TOKENS names another place`
      expect(events).to.deep.equal([{ kind: 'tokens.unreadable', reason: message }])
      expect(() => open()).to.throw(SetupError, message)
    } finally {
      remove()
    }
  })

  it('are for all tenants only where they were created for all', async () => {
    const [one, all] = [await create(), await create({ name: 'all', allTenants: true })]
    const store = open()
    expect([store.find(one)?.allTenants, store.find(all)?.allTenants]).to.deep.equal([false, true])
    const { tokens } = JSON.parse(readFileSync(path, 'utf8'))
    expect(
      tokens.map((token: object) => 'all_tenants' in token),
      'older servers read the first',
    ).to.deep.equal([false, true])
    expect(await listTokens(path)).to.have.nested.property('[1].allTenants', true)
  })

  it('may be SLUICE_TOKEN, which is unrestricted', () => {
    const store = open([], 'quick')
    expect(store.find('quick')?.mayCall('anything')).to.equal(true)
    expect(store.find('quick')?.allTenants).to.equal(true)
    expect(store.find('Quick')).to.equal(null)
  })

  it('are limited to their rate; the allowance refills evenly', async () => {
    const token = await create({ rate: '2/min' })
    const store = open()
    const admit = () => store.find(token)?.admit()
    expect([admit(), admit(), admit()]).to.deep.equal([0, 0, 30_000])
    await clock.advance(29_000)
    expect(admit()).to.be.closeTo(1_000, 1)
    await clock.advance(1_001)
    expect([admit(), (admit() ?? 0) > 0]).to.deep.equal([0, true])
    await create({ name: 'another' })
    await clock.advance(100)
    expect(admit(), 'a reload gives no fresh rate').to.be.above(0)
  })

  it('are limited in the calls that wait for queries at once, also after a reload', async () => {
    const token = await create({ concurrent: '2' })
    const unlimited = await create({ name: 'unlimited' })
    const store = open()
    const begin = (text = token) => store.find(text)?.beginWait() ?? null
    const ends = [begin(), begin()]
    expect([...ends.map(end => end === null), begin()]).to.deep.equal([false, false, null])
    await create({ name: 'another' })
    await clock.advance(200)
    expect(begin(), 'a reload frees no place').to.equal(null)
    ends[0]!()
    expect(begin()).to.not.equal(null)
    expect(begin()).to.equal(null)
    for (let i = 0; i < 1_000; i += 1) expect(begin(unlimited)).to.not.equal(null)
  })

  const wrong: readonly (readonly [string, Partial<NewToken>, RegExp])[] = [
    ['a name with spaces', { name: 'a b' }, /name/],
    ['no endpoints', { allow: [] }, /pattern/],
    ['an empty endpoint', { allow: ['logs.*', ''] }, /endpoint pattern .* found ""/],
    ['an endpoint that can have no such name', { allow: ['Logs.*'] }, /found "Logs\.\*"/],
    [
      'a pin of nothing',
      { pin: { project: 'a', tenant: '' } },
      /^the pin of "tenant" has no value: it would pin nothing$/,
    ],
    ['a pin of white space', { pin: { tenant: ' \t\n' } }, /"tenant" has no value/],
    ['a pin of no name', { pin: { '': 'a' } }, /names a parameter/],
    ['a pin that no parameter can be named like', { pin: { 'tenant ': 'a' } }, /names a parameter, found "tenant "/],
    ['an expiry without a unit', { expires: '90' }, /90d/],
    ['a rate of zero', { rate: '0/min' }, /100\/min/],
    ['a rate per week', { rate: '1/week' }, /100\/min/],
    ...['0', '-1', '1.5', '10001', 'ten', ''].map(
      concurrent =>
        [
          `${JSON.stringify(concurrent)} calls at once`,
          { concurrent },
          /^--concurrent is a whole number from 1 to 10000$/,
        ] as const,
    ),
  ]
  for (const [name, order, message] of wrong) {
    it(`are not created with ${name}`, async () => {
      const error = await create(order).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(UsageError)
      expect((error as Error).message).to.match(message)
    })
  }

  it('have unique names', async () => {
    await create()
    expect(await create().catch((thrown: unknown) => thrown)).to.be.instanceOf(UsageError)
    expect(await revokeToken(path, 'none').catch((thrown: unknown) => thrown)).to.be.instanceOf(UsageError)
  })

  const hash = 'a'.repeat(64)
  const broken: readonly (readonly [string, unknown, RegExp])[] = [
    ['no list', {}, /"tokens"/],
    ['a token that is text', { tokens: ['x'] }, /token 1 .* an object/],
    ['a short hash', { tokens: [{ name: 'n', sha256: 'ab', endpoints: ['*'] }] }, /"sha256"/],
    ['a misspelt pin', { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], pined: { project: 'a' } }] }, /"pined"/],
    [
      'a pin that is not a text',
      { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], pinned: { size: 5 } }] },
      /"pinned"/,
    ],
    [
      'a pin of nothing',
      { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], pinned: { project: 'a', tenant: '' } }] },
      /token 1 .* "pinned" has no value for "tenant", which would pin nothing/,
    ],
    [
      'a pin of white space',
      { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], pinned: { tenant: ' ' } }] },
      /no value for "tenant"/,
    ],
    [
      'one token twice',
      {
        tokens: [
          { name: 'n', sha256: hash, endpoints: ['*'], pinned: { project: 'a' } },
          { name: 'm', sha256: hash, endpoints: ['*'] },
        ],
      },
      /"n" and "m" are the same token/,
    ],
    ...['soon', '01.02.2027', '2027-02-31', '2027-02-29T00:00:00Z', '2027-01-31T12:00:00', 'foo 1', '2027'].map(
      expires =>
        [
          `an expiry of ${expires}`,
          { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], expires }] },
          /"expires" must be a date, or a time with Z or an offset/,
        ] as const,
    ),
    [
      'a member beside the tokens',
      { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'] }], rate: '1/min' },
      /must hold {"tokens": \[\.\.\.\]}, and nothing else/,
    ],
    [
      'a word for all tenants',
      { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], all_tenants: 'yes' }] },
      /"all_tenants" must be true or false/,
    ],
    ...[0, -1, 1.5, 1e9, '5', true].map(
      concurrent =>
        [
          `${JSON.stringify(concurrent)} calls at once`,
          { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], concurrent }] },
          /"concurrent" must be a whole number from 1 to 10000$/,
        ] as const,
    ),
    ['an invalid rate', { tokens: [{ name: 'n', sha256: hash, endpoints: ['*'], rate: 'fast' }] }, /"rate"/],
    [
      'two of a name',
      {
        tokens: [
          { name: 'n', sha256: hash, endpoints: [] },
          { name: 'n', sha256: hash, endpoints: [] },
        ],
      },
      /two tokens named "n"/,
    ],
  ]
  for (const [name, document, message] of broken) {
    it(`are not read from a file with ${name}`, async () => {
      await create()
      writeFileSync(path, JSON.stringify(document))
      expect(() => open()).to.throw(SetupError, message)
    })
  }

  it('are not read from a file with a duplicate member, the second of which would allow what the first one forbids', async () => {
    await create({ pin: { project: 'a:"{b' } })
    const text = readFileSync(path, 'utf8')
    expect(open().find('')).to.equal(null)
    const spoilt = [
      text.replace('"expires"', '"pinned": {}, "expires"'),
      text.replace('"project"', '"project": "b", "project"'),
    ]
    for (const twice of spoilt) {
      writeFileSync(path, twice)
      expect(() => open()).to.throw(SetupError, /a member twice/)
    }
  })

  it('of a running server stay as they were when a token with an empty pin is written to the file', async () => {
    const token = await create({ pin: { tenant: 'a' } })
    const events: Event[] = []
    const store = open(events)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"tenant": "a"', '"tenant": ""'))
    await clock.advance(100)
    expect(store.find(token)?.pinned).to.deep.equal({ tenant: 'a' })
    expect(events).to.deep.equal([
      {
        kind: 'tokens.unreadable',
        reason: `token 1 of the tokens file ${path}: "pinned" has no value for "tenant", which would pin nothing`,
      },
    ])
  })

  it('are not created where the file cannot be written', async () => {
    await create()
    const below = join(path, 'tokens.json')
    const error = await createToken(below, { name: 'n', allow: ['*'] }, 0).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(SetupError)
  })
})
