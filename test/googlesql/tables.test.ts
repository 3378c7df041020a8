import { expect } from 'chai'
import { tableCatalogue } from '../../googlesql/tables.js'

const catalogue = (
  names: readonly string[],
  project: string | null,
  defaultDataset: string | null,
  ignoresCase = false,
) =>
  tableCatalogue(
    names.map(name => ({ name, columns: [] })),
    { project, defaultDataset, ignoresCase },
  )

describe('the tables that a query names', () => {
  const CASES: readonly {
    readonly says: string
    readonly tables: readonly string[]
    readonly project?: string
    readonly dataset?: string
    readonly name: string
    readonly means: string | undefined
  }[] = [
    { says: 'are called as they are named', tables: ['d.t', 'p.d.t'], name: 'p.d.t', means: 'p.d.t' },
    { says: 'need their project where none is set', tables: ['d.t'], name: 'p.d.t', means: undefined },
    { says: 'may have the project that is set', tables: ['d.t'], project: 'p', name: 'p.d.t', means: 'd.t' },
    { says: 'may lack the project that is set', tables: ['p.d.t'], project: 'p', name: 'd.t', means: 'p.d.t' },
    { says: 'are not those of another project', tables: ['d.t'], project: 'p', name: 'q.d.t', means: undefined },
    {
      says: 'go before those that a project makes of a name',
      tables: ['d.t', 'p.d.t'],
      project: 'p',
      name: 'd.t',
      means: 'd.t',
    },
    { says: 'need a dataset where none is set', tables: ['d.t'], name: 't', means: undefined },
    { says: 'are those of the dataset that is set', tables: ['d.t', 'e.t'], dataset: 'd', name: 't', means: 'd.t' },
    {
      says: 'keep a dataset that they are named with',
      tables: ['d.t', 'e.t'],
      dataset: 'd',
      name: 'e.t',
      means: 'e.t',
    },
    { says: 'match a wildcard', tables: ['d.t_1', 'd.t_2'], name: 'd.t_*', means: 'd.t_*' },
    { says: 'match a wildcard that declares them', tables: ['d.t_*'], name: 'd.t_2026*', means: 'd.t_2026*' },
    {
      says: 'match a wildcard of the project that is set',
      tables: ['d.t_1'],
      project: 'p',
      name: 'p.d.t*',
      means: 'd.t*',
    },
    { says: 'are shards of a wildcard that declares them', tables: ['d.t_*'], name: 'd.t_1', means: 'd.t_1' },
    { says: 'match no wildcard of another dataset', tables: ['d.t_1'], name: 'd*', means: undefined },
    { says: 'match no wildcard that they are the beginning of', tables: ['d.t'], name: 'd.t*', means: undefined },
    { says: 'are those of a dataset of another project', tables: ['p.d.t'], dataset: 'p.d', name: 't', means: 'p.d.t' },
    {
      says: 'are those of a dataset of this project',
      tables: ['d.t'],
      project: 'p',
      dataset: 'p.d',
      name: 't',
      means: 'd.t',
    },
    { says: 'do not take a dataset for a project', tables: ['t'], project: 'd', name: 'd.t', means: undefined },
    { says: 'have the case that they have', tables: ['d.t'], dataset: 'd', name: 'T', means: undefined },
  ]
  for (const { says, tables, project = null, dataset = null, name, means } of CASES) {
    it(`${says}: ${name} of ${tables.join(' and ')}`, () => {
      expect(catalogue(tables, project, dataset).find(name)?.name).to.equal(means)
    })
  }

  const WITHOUT_CASE: readonly (readonly [says: string, tables: readonly string[], means: string | undefined])[] = [
    ['is one of another case', ['d.T', 'd.u'], 'd.T'],
    ['is the one of this case', ['d.T', 'd.t'], 'd.t'],
    ['is none of two of other cases', ['d.T', 'D.t'], undefined],
    ['is one of the dataset that is set', ['D.T'], 'D.T'],
  ]
  for (const [says, tables, means] of WITHOUT_CASE) {
    it(`without regard to case, ${says}: d.t of ${tables.join(' and ')}`, () => {
      expect(catalogue(tables, null, 'd', true).find('d.t')?.name).to.equal(means)
      expect(catalogue(tables, null, 'd', true).find('t')?.name).to.equal(means)
    })
  }
})
