import { expect } from 'chai'
import { findFunction } from '../../../googlesql/functions/all.js'
import { LISTED } from '../../../googlesql/functions/value-facts.js'

describe('facts of the results of functions', () => {
  it('name functions of the catalogue, by their own names', () => {
    for (const name of LISTED) expect(findFunction(name)?.name, name).to.equal(name)
  })
})
