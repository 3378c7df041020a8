import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { command, type Finished, scratch } from '../cli/command.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

describeOverEmulator('sluice tables over an emulator', emulator => {
  const folder = scratch()
  const tables = (...argv: readonly string[]): Promise<Finished> =>
    command(['tables', ...argv], { BIGQUERY_EMULATOR_HOST: emulator().host, GOOGLE_CLOUD_PROJECT: PROJECT })

  after(() => folder.remove())

  it('creates tables from the schemas of the log streams without differences, and pulls the same schemas from them', async () => {
    await emulator().post('datasets', { datasetReference: { projectId: PROJECT, datasetId: 'logs' } })
    const statements = (await tables('ddl')).out.split(/(?<=;\n)/).filter(text => text.trim() !== '')
    expect(statements).to.have.length(9)
    for (const query of statements) {
      const answer = await emulator().post('queries', { query, useLegacySql: false })
      expect(answer).not.to.have.property('errors')
    }
    expect(await tables('diff', 'logs')).to.deep.equal({ code: 0, out: '9 tables: no differences\n', err: '' })
    const dir = folder.path('pulled')
    const pulled = await tables('pull', 'logs', '--tables', dir)
    expect(pulled.out.match(/^new /gm)).to.have.length(9)
    expect(await tables('diff', '--tables', dir)).to.deep.equal({ code: 0, out: '9 tables: no differences\n', err: '' })
    const columns = (text: string): string => text.replace(/ OPTIONS\(.*\)(?=,?\n)/g, '')
    // The emulator does not keep descriptions.
    expect(columns((await tables('ddl', '--tables', dir)).out)).to.equal(columns((await tables('ddl')).out))
  })

  it('compares the schema of date-sharded tables with the newest shard', async () => {
    await emulator().post('datasets', { datasetReference: { projectId: PROJECT, datasetId: 'ga' } })
    for (const [day, columns] of [
      ['20260131', 'id INT64, platform STRING'],
      ['20260130', 'id INT64'],
    ]) {
      await emulator().post('queries', { query: `CREATE TABLE ga.events_${day} (${columns})`, useLegacySql: false })
    }
    const dir = folder.path('sharded')
    const fields = [
      { name: 'id', type: 'INTEGER' },
      { name: 'platform', type: 'STRING' },
    ]
    mkdirSync(dir, { recursive: true })
    const file = join(dir, 'ga.events_*.json')
    writeFileSync(file, JSON.stringify(fields))
    expect(await tables('diff', 'ga', '--tables', dir)).to.deep.equal({
      code: 0,
      out: '1 table: no differences\n',
      err: '',
    })
    writeFileSync(file, JSON.stringify(fields.slice(0, 1)))
    const { code, err } = await tables('diff', 'ga', '--tables', dir)
    expect(code).to.equal(1)
    expect(err).to.contain('platform (STRING, NULLABLE) is only in the warehouse, in ga.events_20260131')
  })
})
