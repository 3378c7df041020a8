/**
 * A cell that does not fit its column's type fails the call: callers never receive a guess, and only the log names the cell.
 */
import { expect } from 'chai'
import { RunnerError } from '../../../runner/model/errors.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

const FIELDS = [
  { name: 'n', type: 'INTEGER' },
  { name: 'b', type: 'BOOLEAN' },
]
const row = (...values: readonly unknown[]) => ({ f: values.map(v => ({ v })) })

describe('an answer of BigQuery that does not fit its schema', () => {
  let test: TestEngine
  beforeEach(async () => {
    test = await openTestEngine()
  })
  afterEach(() => test.close())

  it('with a wrong cell is a failed query: requested once, billed, and explained only in the log', async () => {
    test.fake.plan = () => ({
      fields: FIELDS,
      rows: [row('1', 'true'), row('2', 'hunter2')],
      bytesProcessed: 7,
      bytesBilled: 8,
    })
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED', status: 502 })
    const { detail, cause, cost } = error as RunnerError
    expect((cause as Error).message).to.equal('row 2, column b, BOOL expected, BigQuery gave another form')
    expect(detail).not.to.match(/row|column|hunter2/)
    expect(cost).to.include({ bytesProcessed: 7, bytesBilled: 8 })
    expect(test.fake.jobs.all).to.have.length(1)
  })

  it('with a wrong cell on a later page is a failed query, with its row number in the whole result', async () => {
    test.fake.plan = () => ({ fields: FIELDS, pageRows: 2, rows: [row('1', 'true'), row('2', null), row('x', null)] })
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown as RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED' })
    expect(((error as RunnerError).cause as Error).message).to.match(/^row 3, column n, INT64 expected/)
  })

  it('with fewer rows than it announces is a failed query', async () => {
    test.fake.plan = () => ({ fields: FIELDS, totalRows: 3, pageRows: 1, rows: [row('1', 'true'), row('2', 'true')] })
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown as RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED', status: 502 })
    expect(((error as RunnerError).cause as Error).message).to.include('3 rows in all (not 2) expected')
  })

  it('with rows on its first page, and no further page and no number of rows, is a failed query', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: [row('1', 'true')], totalRows: null })
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown as RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED', status: 502 })
    expect(((error as RunnerError).cause as Error).message).to.include('the number of all rows expected')
  })

  it('whose rows are not a list is a failed query', async () => {
    const jobReference = { projectId: 'p', jobId: 'job_1', location: 'EU' }
    const body = JSON.stringify({
      jobComplete: true,
      jobReference,
      schema: { fields: FIELDS },
      rows: {},
      totalRows: '0',
    })
    test.fake.fault = ({ kind }) => (kind === 'poll' ? { body } : undefined)
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown as RunnerError)
    expect(error).to.include({ code: 'QUERY_FAILED', status: 502 })
    expect(((error as RunnerError).cause as Error).message).to.include('a list of rows expected')
  })

  it('because it is not UTF-8 counts as no answer', async () => {
    test.fake.plan = () => ({ fields: [{ name: 's', type: 'STRING' }], rows: [row('é')] })
    let polls = 0
    test.fake.fault = ({ kind }) =>
      kind === 'poll' && ++polls === 1 ? { body: Buffer.from('{"x":"é"}', 'latin1') } : undefined
    expect(await test.run('SELECT 1')).to.include({ rowCount: 1 })
    expect(polls).to.equal(2)
  })

  it('to a dry run is told of as a query without columns, and ends no process', async () => {
    test.fake.fault = ({ kind }) => (kind === 'dry-run' ? { body: '{}' } : undefined)
    const checked = await test.engine.check('SELECT 1', {})
    expect(checked).to.deep.equal({ ok: true, columns: [], reads: { bytes: 0, tables: 0 } })
  })

  it('to a dry run that has warnings is told of without them', async () => {
    const body = JSON.stringify({ status: { state: 'DONE', errors: [{ reason: 'invalid', message: 'deprecated' }] } })
    test.fake.fault = ({ kind }) => (kind === 'dry-run' ? { body } : undefined)
    expect(await test.engine.check('SELECT 1', {})).to.include({ ok: true })
  })
})
