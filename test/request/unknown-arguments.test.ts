import { expect } from 'chai'
import type { RunnerError } from '../../runner/model/errors.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { parseJsonArguments, parsePairs } from '../../runner/request/raw-arguments.js'
import { ignoredHeader, unknownNames } from '../../runner/request/unknown-arguments.js'
import { handMadeEndpoint, parameter } from './hand-made.js'

const endpoint = handMadeEndpoint({
  parameters: [
    parameter('project', { isRequired: true }),
    parameter('days', { type: 'int64' }),
    parameter('tags', { type: 'array<string>' }),
  ],
  rejectsUnknown: true,
})

function problems(address: string): readonly string[] {
  try {
    bindParams(endpoint, parsePairs(address))
    return []
  } catch (thrown) {
    return (thrown as RunnerError).errors.map(({ parameter, detail }) => `${parameter} ${detail}`)
  }
}

describe('undeclared arguments', () => {
  it('that are ignored are named once each, percent-encoded', () => {
    const names = unknownNames(
      endpoint,
      parsePairs('a%2Cb=1&project=x&%C3%A9=1&a%2Cb=2&%0D%0Ax=1&=3&format=csv&tags[]=1'),
    )
    expect(ignoredHeader(names)).to.equal('a%2Cb,%C3%A9,%0D%0Ax')
  })

  it('that are very many or long, or no Unicode, still make a short header', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `${'%C3%BC'.repeat(100)}${i}=1`).join('&')
    expect(ignoredHeader(unknownNames(endpoint, parsePairs(many))).length).to.be.within(300, 1_000)
    expect(ignoredHeader(unknownNames(endpoint, parseJsonArguments('{"\\ud800x":1}')))).to.equal('%EF%BF%BDx')
  })

  it('may be rejected, with the name that was probably meant', () => {
    expect(problems('project=a&day=3')).to.deep.equal(['day is not an argument of this endpoint; did you mean "days"?'])
    expect(problems('project=a&zzz=3')).to.deep.equal([
      'zzz is not an argument of this endpoint; it takes project, days, tags',
    ])
    expect(problems('project=a&format=csv')).to.deep.equal([])
  })

  it('are told alone where they explain a missing one, and beside other mistakes', () => {
    expect(problems('projct=a')).to.deep.equal(['projct is not an argument of this endpoint; did you mean "project"?'])
    expect(problems('projct=a&days=x').map(text => text.split(' ')[0])).to.deep.equal(['projct', 'days'])
    expect(problems('zzz=1').map(text => text.split(' ')[0])).to.deep.equal(['zzz', 'project'])
    expect(problems('project=&projct=a').map(text => text.split(' ')[0])).to.deep.equal(['projct', 'project'])
  })

  it('are not confused with members of Object', () => {
    expect(problems('project=a&__proto__=1&constructor=1').map(text => text.split(' ')[0])).to.deep.equal([
      '__proto__',
      'constructor',
    ])
  })
})
