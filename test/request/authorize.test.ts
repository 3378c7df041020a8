import { expect } from 'chai'
import { cacheKey } from '../../runner/cache/key.js'
import { compilePinnedAs } from '../../runner/manifest/pinned-as.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Parameter } from '../../runner/model/param.js'
import type { Caller } from '../../runner/model/ports.js'
import { Pattern } from '../../runner/model/re2.js'
import { authorize, mayRun, refusalOf } from '../../runner/request/authorize.js'
import { bindPinned } from '../../runner/request/bind-pinned.js'
import { parseJsonArguments, parsePairs, type RawArguments } from '../../runner/request/raw-arguments.js'
import { handMadeEndpoint, parameter } from './hand-made.js'

function caller(pinned: Record<string, string>, allTenants = false): Caller {
  return {
    token: 't',
    mayCall: () => true,
    pinned,
    allTenants,
    admit: () => 0,
    admitFresh: null,
    bytesPerDay: null,
    mayPurge: false,
    mayExplain: false,
    mayExport: false,
    beginWait: () => () => {},
  }
}

const endpoint = handMadeEndpoint({
  parameters: [parameter('project', { isRequired: true }), parameter('size', { type: 'int64' })],
})

function run(pinned: Record<string, string>, given: RawArguments): unknown {
  try {
    return { ...bindPinned(caller(pinned), endpoint, given) }
  } catch (thrown) {
    return thrown instanceof RunnerError ? thrown.status : thrown
  }
}

describe('a pinned parameter', () => {
  const rows: readonly (readonly [
    name: string,
    pinned: Record<string, string>,
    given: RawArguments,
    outcome: unknown,
  ])[] = [
    ['is the argument where none is given', { project: 'abc' }, parsePairs(''), { project: 'abc' }],
    ['is the argument where an empty one is given', { project: 'abc' }, parsePairs('project='), { project: 'abc' }],
    ['may be given as it is', { project: 'abc' }, parsePairs('project=abc'), { project: 'abc' }],
    ['may be given in another spelling', { size: '5' }, parsePairs('project=a&size=05'), { project: 'a', size: '5' }],
    [
      'may be given as a JSON number',
      { size: '5' },
      parseJsonArguments('{"project":"a","size":5}'),
      { project: 'a', size: '5' },
    ],
    ['refuses another value', { project: 'abc' }, parsePairs('project=abd'), 403],
    ['refuses another case', { project: 'abc' }, parsePairs('project=ABC'), 403],
    ['refuses a value that cannot be typed', { size: '5' }, parsePairs('project=a&size=x'), 403],
    ['refuses another value beside its own', { project: 'abc' }, parsePairs('project=abc&project=abd'), 403],
    ['refuses another value in a list', { project: 'abc' }, parseJsonArguments('{"project":["abc","abd"]}'), 403],
    ['refuses what is not a value', { project: 'abc' }, parseJsonArguments('{"project":{"toString":1}}'), 403],
    ['repeated is a bad argument', { project: 'abc' }, parsePairs('project=abc&project=abc'), 400],
    ['that is not of its type refuses the call', { size: 'x' }, parsePairs('project=a'), 403],
    ['that is not of its type refuses the call that repeats it', { size: ' 5' }, parsePairs('project=a&size= 5'), 403],
    [
      'refuses an empty list, which is not a single value',
      { project: 'abc' },
      parseJsonArguments('{"project":[]}'),
      400,
    ],
    ['is not undone by a name in another case', { project: 'abc' }, parsePairs('Project=abd'), { project: 'abc' }],
    ['that cannot be an argument refuses the call', { project: 'a\0' }, parsePairs(''), 403],
    ['that is not Unicode refuses the call', { project: '\ud800' }, parsePairs(''), 403],
    ['that is too long refuses the call', { project: 'x'.repeat(40_000) }, parsePairs(''), 403],
    ['refuses a pattern that would match it', { project: 'abc' }, parsePairs('project=.*'), 403],
  ]
  for (const [name, pinned, given, outcome] of rows) {
    it(name, () => expect(run(pinned, given)).to.deep.equal(outcome))
  }

  it('of a list replaces the whole list, whatever the call gives', () => {
    const listed = handMadeEndpoint({ parameters: [parameter('tenants', { type: 'array<string>' })] })
    for (const given of ['{}', '{"tenants":null}', '{"tenants":[]}', '{"tenants":[""]}', '{"tenants":["a","a"]}']) {
      const bound = bindPinned(caller({ tenants: 'a' }), listed, parseJsonArguments(given))
      expect({ ...bound }, given).to.deep.equal({ tenants: ['a'] })
    }
    const other = parseJsonArguments('{"tenants":["a","b"]}')
    expect(() => bindPinned(caller({ tenants: 'a' }), listed, other)).to.throw(RunnerError, 'another value of tenants')
  })

  it('that is empty closes every endpoint, since an empty argument counts as absent', () => {
    for (const open of [endpoint, handMadeEndpoint({ parameters: [parameter('project')] })]) {
      expect(mayRun(caller({ project: '' }), open)).to.equal(false)
      expect(() => authorize(caller({ project: '' }), open)).to.throw(RunnerError, 'does not allow')
    }
  })

  it('closes an endpoint that does not have it', () => {
    expect(mayRun(caller({ tenant: 'a' }), endpoint)).to.equal(false)
    expect(mayRun(caller({ Project: 'a' }), endpoint), 'names are told apart by their case').to.equal(false)
    expect(() => authorize(caller({ tenant: 'a' }), endpoint)).to.throw(RunnerError, 'does not allow')
  })
})

describe('a pinned parameter that is a regular expression', () => {
  const pinnedAs = compilePinnedAs('^https?://{pin}\\.')
  const urls = (rest: Partial<Parameter> = {}) =>
    handMadeEndpoint({
      parameters: [parameter('url', { format: 're2', isRequired: true, pinnedAs, ...rest }), parameter('b')],
    })
  const bound = (pin: string, given: string, endpoint = urls()) => {
    authorize(caller({ url: pin }), endpoint)
    return { ...bindPinned(caller({ url: pin }), endpoint, parsePairs(given)) }
  }

  it('is bound as its pinned_as with the quoted pin, whether the call gives the argument or not', () => {
    for (const given of ['', 'url=', 'url=abc']) expect(bound('abc', given)).to.deep.equal({ url: '^https?://abc\\.' })
    expect(bound('a|b', 'b=c')).to.deep.equal({ url: '^https?://a\\|b\\.', b: 'c' })
    expect(bound('a(', 'url=a('), 'a pin is not a regular expression').to.deep.equal({ url: '^https?://a\\(\\.' })
  })

  it('may be given as in the token, and not as the expression that is bound', () => {
    for (const given of ['^https?://abc\\.', 'abc\\.', '.', 'abc|', 'ABC', 'abc2']) {
      const query = new URLSearchParams({ url: given }).toString()
      expect(() => bound('abc', query), given).to.throw(RunnerError, 'another value of url')
    }
  })

  it('must fulfil its constraints as it is in the token', () => {
    const bounded = urls({ pattern: new Pattern('[a-z]+'), maxLength: 3, enum: ['abc', 'xyz'] })
    expect(bound('abc', '', bounded)).to.deep.equal({ url: '^https?://abc\\.' })
    expect(() => bound('abcd', '', bounded)).to.throw(RunnerError, 'not valid')
  })

  it('of a list is a list with that element', () => {
    expect(bound('abc', 'url=abc', urls({ type: 'array<string>' }))).to.deep.equal({ url: ['^https?://abc\\.'] })
  })

  const closed: readonly (readonly [name: string, pin: string, rest: Partial<Parameter>])[] = [
    ['has no pinned_as', 'abc', { pinnedAs: undefined as never }],
    ['is pinned to what holds the delimiter', 'abc.def', {}],
    ['is pinned to the delimiter', '.', {}],
    ['is pinned to NUL', 'abc\0', {}],
  ]
  for (const [name, pin, rest] of closed) {
    it(`closes an endpoint where it ${name}`, () => {
      expect(refusalOf(caller({ url: pin }), urls(rest))?.rule).to.equal('pattern-pin')
      expect(mayRun(caller({ url: pin }), urls(rest))).to.equal(false)
      expect(() => bound(pin, '', urls(rest))).to.throw(RunnerError, 'The token does not allow this endpoint.')
    })
  }

  it('has its own cache key, which a call that gives the value does not share', () => {
    const endpoint = urls()
    const key = (pinned: Record<string, string>, url: string) =>
      cacheKey(endpoint, bindPinned(caller(pinned), endpoint, new Map([['url', { values: [url], isList: false }]])))
    expect(key({ url: 'abc' }, '')).to.equal(key({ url: 'abc' }, 'abc'))
    const keys = [
      key({ url: 'abc' }, ''),
      key({}, 'abc'),
      key({ url: 'ab' }, ''),
      key({}, '.'),
      key({ url: 'a-b' }, ''),
    ]
    expect(new Set(keys).size).to.equal(keys.length)
    expect(key({}, '^https?://abc\\.'), 'an equal query has an equal result').to.equal(key({ url: 'abc' }, ''))
  })
})

describe('an endpoint of tenants', () => {
  const tenants = handMadeEndpoint({ ...endpoint, tenant: 'project' })
  const rule = (pinned: Record<string, string>, allTenants = false) =>
    refusalOf(caller(pinned, allTenants), tenants)?.rule

  it('is for tokens that pin the tenant, or are for all', () => {
    expect(rule({ project: 'abc' })).to.equal(undefined)
    expect(rule({ project: 'abc', size: '5' })).to.equal(undefined)
    expect(rule({}, true)).to.equal(undefined)
    expect(rule({ size: '5' }, true)).to.equal(undefined)
  })

  it('is closed to all others', () => {
    expect(rule({})).to.equal('tenant')
    expect(rule({ size: '5' })).to.equal('tenant')
    expect(rule({ Project: 'abc' })).to.equal('tenant')
    expect(() => authorize(caller({}), tenants)).to.throw(RunnerError, 'The token does not allow this endpoint.')
  })

  it('limits a token for all tenants to its pins', () => {
    expect(rule({ project: '' }, true)).to.equal('pin')
    expect(rule({ other: 'abc' }, true)).to.equal('pin')
    const all = caller({ project: 'abc' }, true)
    expect(() => bindPinned(all, tenants, parsePairs('project=abd'))).to.throw(RunnerError, 'another value')
  })
})
