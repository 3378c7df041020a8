import { expect } from 'chai'
import { contentsOf } from '../../runner/mcp/resources.js'
import { handMadeEndpoint } from '../request/hand-made.js'

describe('mcp: the resource of an endpoint', () => {
  it('has the reviewed rows, but not for a token that pins a parameter, since they may be of another tenant', () => {
    const endpoint = handMadeEndpoint({ example: [{ project: 'a' }] })
    expect(contentsOf(endpoint, []).text).to.include('## Example\n\n```json\n[\n  {\n    "project": "a"')
    expect(contentsOf(endpoint, ['project']).text).to.not.include('Example')
  })
})
