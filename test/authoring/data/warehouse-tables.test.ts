import { expect } from 'chai'
import { openWarehouseTables, type WarehouseTables } from '../../../authoring/data/warehouse-tables.js'
import { openAccess } from '../../../runner/engines/bigquery/auth/credentials.js'
import { SetupError } from '../../../runner/model/errors.js'
import { type FakeTables, type FakeTablesOptions, startFakeTables } from '../../engines/bigquery/fake-tables.js'

const SCHEMA = { fields: [{ name: 'id', type: 'INTEGER' }] }

describe('the tables of BigQuery', () => {
  let fake: FakeTables
  let warehouse: WarehouseTables

  async function open(options: FakeTablesOptions): Promise<void> {
    fake = await startFakeTables(options)
    const access = await openAccess({ project: 'p', credentialsFile: null, emulatorHost: fake.host })
    warehouse = openWarehouseTables(access)
  }
  afterEach(async () => {
    await fake.stop()
  })

  it('are listed from all pages, sorted, with their kinds', async () => {
    const tables = { 'p.d.c': {}, 'p.d.a': { type: 'VIEW' }, 'p.d.b': { type: 'EXTERNAL' }, 'p.e.x': {} }
    await open({ tables, pageSize: 2 })
    expect(await warehouse.list({ project: 'p', dataset: 'd' })).to.deep.equal([
      { table: 'a', kind: 'VIEW' },
      { table: 'b', kind: 'EXTERNAL' },
      { table: 'c', kind: 'TABLE' },
    ])
    expect(fake.requests).to.deep.equal([
      'GET projects/p/datasets/d/tables?maxResults=1000&prettyPrint=false',
      'GET projects/p/datasets/d/tables?maxResults=1000&pageToken=2&prettyPrint=false',
    ])
  })

  it('are described without the members that change by themselves', async () => {
    const table = {
      etag: 'x',
      numRows: '12',
      creationTime: '1700000000000',
      lastModifiedTime: '1700000000000',
      location: 'EU',
      description: 'A table.',
      schema: { fields: [{ name: 'id', type: 'INTEGER', policyTags: {}, description: '' }] },
      timePartitioning: { type: 'DAY', expirationMs: '0' },
      clustering: { fields: ['id'] },
    }
    await open({ tables: { 'q.d.größe 1': table } })
    expect(await warehouse.describe({ project: 'q', dataset: 'd', table: 'größe 1' })).to.deep.equal({
      kind: 'TABLE',
      resource: {
        description: 'A table.',
        schema: { fields: [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }] },
        timePartitioning: { type: 'DAY' },
        clustering: { fields: ['id'] },
      },
    })
  })

  it('may be missing', async () => {
    await open({ tables: { 'p.d.a': { schema: SCHEMA } } })
    expect(await warehouse.describe({ project: 'p', dataset: 'd', table: 'b' })).to.equal(null)
  })

  it('are requested again after a temporary failure', async () => {
    await open({ tables: { 'p.d.a': { schema: SCHEMA } }, failures: [503] })
    const found = await warehouse.describe({ project: 'p', dataset: 'd', table: 'a' })
    expect(found?.kind).to.equal('TABLE')
    expect(fake.requests).to.have.length(2)
  })

  it('cannot be listed where there is no such dataset', async () => {
    await open({ tables: {} })
    expect(await warehouse.list({ project: 'p', dataset: 'd' })).to.equal(null)
  })

  it('cannot be listed without permission, which is reported', async () => {
    await open({ tables: { 'p.d.a': { schema: SCHEMA } }, failures: [403] })
    const thrown = await warehouse.list({ project: 'p', dataset: 'd' }).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(SetupError)
    expect((thrown as SetupError).message).to.match(/^cannot list the tables of p\.d: /)
  })

  it('cannot be read without permission, which is reported', async () => {
    await open({ tables: { 'p.d.a': { schema: SCHEMA } }, failures: [403] })
    const thrown = await warehouse.describe({ project: 'p', dataset: 'd', table: 'a' }).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(SetupError)
    expect((thrown as SetupError).message).to.match(/^cannot read the schema of p\.d\.a: /)
  })
})
