/** Labels follow BigQuery's rules, whatever text they are made from. */
import { expect } from 'chai'
import { jobLabels } from '../../../../runner/engines/bigquery/jobs/labels.js'

describe('labels of a job', () => {
  for (const { what, given, expected } of [
    { what: 'are lower case', given: { Team: 'Alpha' }, expected: { team: 'alpha' } },
    { what: 'hold no dots and spaces', given: { a: 'logs.all now' }, expected: { a: 'logs-all-now' } },
    { what: 'may be international', given: { größe: '日本' }, expected: { größe: '日本' } },
    { what: 'have keys that begin with a letter', given: { '1-a': 'x', __: 'y' }, expected: { a: 'x' } },
    { what: 'have at most 63 characters', given: { k: 'ä'.repeat(80) }, expected: { k: 'ä'.repeat(63) } },
    { what: 'may be empty', given: { k: '' }, expected: { k: '' } },
  ] as const) {
    it(what, () => {
      expect(jobLabels(given)).to.deep.equal(expected)
    })
  }

  it('are at most 64, and later ones replace earlier ones', () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, 'x']))
    const labels = jobLabels(many, { K69: 'y', endpoint: 'e' })
    expect(Object.keys(labels)).to.have.length(64)
    expect(labels).to.include({ endpoint: 'e', k69: 'y' })
  })
})
