import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { negotiate } from '../../runner/request/negotiate.js'

const JSON_WANTED = [
  undefined,
  '',
  '*/*',
  'application/json',
  'application/*',
  'APPLICATION/JSON',
  'text/html, */*;q=0.1',
  'text/csv;q=1, application/json;q=0.001',
  'application/json; charset=utf-8',
  'text/html, *',
  '*/*;q=0, application/json',
]
const NOT_WANTED = [
  'text/csv',
  'application/json;q=0',
  'application/json;q=0, */*',
  'application/*;q=0, */*',
  '*/*;q=0',
  'text/*',
  'application/json;q=nonsense',
  'json',
]

describe('Accept', () => {
  for (const accept of JSON_WANTED) {
    it(`${accept} is answered with JSON`, () => expect(negotiate(accept).format).to.equal('json'))
  }
  for (const accept of NOT_WANTED) {
    it(`${accept} cannot be answered, and the error names the available type`, () => {
      expect(() => negotiate(accept)).to.throw(RunnerError, 'application/json')
    })
  }
})
