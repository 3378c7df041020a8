import { expect } from 'chai'
import { LoadError, UsageError } from '../../runner/model/errors.js'

import { completeSettings, DEFAULT_SETTINGS, type Settings } from '../../runner/settings/settings.js'

function problems(given: Record<string, unknown>): readonly string[] {
  try {
    completeSettings(given as Partial<Settings>)
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems
    throw thrown
  }
  return []
}

describe('settings of a library', () => {
  it('are the defaults where nothing is given', () => {
    expect(completeSettings({})).to.deep.equal(DEFAULT_SETTINGS)
    expect(completeSettings({ port: undefined } as unknown as Partial<Settings>).port).to.equal(8080)
    expect(completeSettings(DEFAULT_SETTINGS)).to.deep.equal(DEFAULT_SETTINGS)
  })

  it('are used unchanged where they are valid', () => {
    const given = {
      port: 0,
      token: 'unrestricted-token-of-32-letters',
      watch: true,
      maxBytesBilled: 5_000_000,
      pricePerTib: 6.5,
      database: null,
      corsOrigins: ['https://a.example.com', 'http://localhost:3000'],
      engine: 'bigquery',
    } as const
    expect(completeSettings(given)).to.include(given)
  })

  it('report every problem at once, as flags do', () => {
    const given = { engine: 'mysql', maxQueries: 'lots', endpointDir: 'x', cacheMb: -5, nonsensical: 1, port: null }
    expect(problems(given)).to.deep.equal([
      'there is no setting "endpointDir"; did you mean "endpointsDir"?',
      'there is no setting "nonsensical"',
      'port must not be null',
      'engine must be one of duckdb, bigquery',
      'maxQueries must be a number',
      'cacheMb must be a whole number from 0 to 10000000',
    ])
    expect(
      problems({ maxQueries: Number.NaN, dataDir: '', watch: 'true', corsOrigins: 'x', database: 1 }),
    ).to.deep.equal([
      'dataDir must not be empty',
      'database must be a string, or null',
      'watch must be a boolean',
      'maxQueries must be a whole number from 1 to 10000',
      'corsOrigins must be a list of strings',
    ])
  })

  it('are not quoted where they may be secrets', () => {
    expect(problems({ token: 'hunter2 hunter2', redisUrl: 'http://user:hunter2@a' }).join()).to.not.include('hunter2')
  })
})

describe('a LoadError', () => {
  it('names the first few errors with their places', () => {
    const at = (line: number, severity: 'error' | 'warning' = 'error') =>
      ({ file: 'a.yaml', line, column: 1, rule: 'schema/type', severity, message: 'no' }) as const
    expect(new LoadError([at(1), at(2, 'warning'), at(3), at(4), at(5)]).message.split('\n')).to.deep.equal([
      'the manifests hold 4 errors:',
      'a.yaml:1:1: no [schema/type]',
      'a.yaml:3:1: no [schema/type]',
      'a.yaml:4:1: no [schema/type]',
      'and 1 more, in diagnostics',
    ])
    expect(new LoadError([at(1)]).message).to.equal('the manifests hold 1 error:\na.yaml:1:1: no [schema/type]')
  })
})
