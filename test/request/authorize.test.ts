import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Caller } from '../../runner/model/ports.js'
import { applyPins, authorize, mayRun } from '../../runner/request/authorize.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { parseJsonArguments, parsePairs, type WireArguments } from '../../runner/request/wire.js'
import { handMadeEndpoint, parameter } from './hand-made.js'

function caller(pinned: Record<string, string>, mayCall = true): Caller {
  return {
    token: 't',
    mayCall: () => mayCall,
    pinned,
    admit: () => 0,
    admitFresh: null,
    bytesPerDay: null,
    mayPurge: false,
  }
}

const endpoint = handMadeEndpoint({
  parameters: [parameter('project', { isRequired: true }), parameter('size', { type: 'int64' })],
})

function run(pinned: Record<string, string>, given: WireArguments): unknown {
  try {
    return { ...bindParams(endpoint, applyPins(caller(pinned), endpoint, given)) }
  } catch (thrown) {
    return thrown instanceof RunnerError ? thrown.status : thrown
  }
}

describe('a pinned parameter', () => {
  const rows: readonly (readonly [
    name: string,
    pinned: Record<string, string>,
    given: WireArguments,
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
    ['refuses what is no value', { project: 'abc' }, parseJsonArguments('{"project":{"toString":1}}'), 403],
    ['repeated is a bad argument', { project: 'abc' }, parsePairs('project=abc&project=abc'), 400],
    ['that is not of its type refuses the call', { size: 'x' }, parsePairs('project=a'), 403],
    ['that is not of its type refuses the call that repeats it', { size: ' 5' }, parsePairs('project=a&size= 5'), 403],
    ['refuses an empty list, which is no single value', { project: 'abc' }, parseJsonArguments('{"project":[]}'), 400],
    ['is not undone by a name in another case', { project: 'abc' }, parsePairs('Project=abd'), { project: 'abc' }],
    ['refuses a pattern that would match it', { project: 'abc' }, parsePairs('project=.*'), 403],
  ]
  for (const [name, pinned, given, outcome] of rows) {
    it(name, () => expect(run(pinned, given)).to.deep.equal(outcome))
  }

  it('of a list stands for all of it, whatever was given', () => {
    const listed = handMadeEndpoint({ parameters: [parameter('tenants', { type: 'array<string>' })] })
    for (const given of ['{}', '{"tenants":null}', '{"tenants":[]}', '{"tenants":[""]}', '{"tenants":["a","a"]}']) {
      const pinned = applyPins(caller({ tenants: 'a' }), listed, parseJsonArguments(given))
      expect({ ...bindParams(listed, pinned) }, given).to.deep.equal({ tenants: ['a'] })
    }
    const other = parseJsonArguments('{"tenants":["a","b"]}')
    expect(() => applyPins(caller({ tenants: 'a' }), listed, other)).to.throw(RunnerError, 'another value of tenants')
  })

  it('that is empty closes every endpoint, since it would be an argument that is not given', () => {
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
