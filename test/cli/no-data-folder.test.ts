/** A missing data folder is reported as an error; it is not treated as an empty one. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { itInAll, sampleOf } from '../sample-size.js'
import { command, endLeftovers, scratch, startServe } from './command.js'

describe('a missing data folder', () => {
  const folder = scratch()
  const at = folder.path
  const small = ['--engine-memory', '256']
  const remedy = (path: string): string =>
    `the data folder ${path} is not there: make it, fill it by \`sluice sample --data ${path}\`, or name another with --data or SLUICE_DATA`
  const unreadable = (path: string): string =>
    `the data folder ${path} cannot be read: a part of the path is a file, where a folder should be (ENOTDIR); --data or SLUICE_DATA names another`

  before(() => {
    writeFileSync(at('file'), '')
    mkdirSync(at('data/logs'), { recursive: true })
    writeFileSync(at('data/logs/auth.ndjson'), '{"id": "a"}\n')
    writeFileSync(at('data/logs/a-file'), '')
    mkdirSync(at('empty'))
  })
  after(() => {
    endLeftovers()
    folder.remove()
  })

  const faults: readonly { readonly path: string; readonly fault: string }[] = [
    { path: at('none'), fault: remedy(at('none')) },
    { path: at('none/below'), fault: remedy(at('none/below')) },
    { path: at('file'), fault: unreadable(at('file')) },
    { path: at('file/below'), fault: unreadable(at('file/below')) },
  ]
  for (const { path, fault } of sampleOf(faults)) {
    describe(path.slice(at().length), () => {
      it('ends serve and call with 3, by flag and by variable', async () => {
        const failed = { code: 3, out: '', err: `sluice: ${fault}\n` }
        const serve = ['serve', '--port', '0', '--log-level', 'silent', ...small]
        expect(await command([...serve, '--data', path])).to.deep.equal(failed)
        expect(await command(serve, { SLUICE_DATA: path })).to.deep.equal(failed)
        const call = ['call', 'logs.all', 'project=a', 'project_tier=PRO', ...small]
        expect(await command([...call, '--data', path])).to.deep.equal(failed)
      })

      it('fails a query that reads a table, and no other query', async () => {
        const query = (sql: string) => command(['query', sql, '--data', path, '--format', 'ndjson', ...small])
        const err = `sluice: The query failed\n  ${fault}\n`
        expect(await query('SELECT COUNT(*) AS n FROM logs.auth')).to.deep.equal({ code: 1, out: '', err })
        expect((await query('SELECT 1 AS n FROM shop.orders')).err).to.include(
          `Table not found: shop.orders; ${fault} at [1:20]`,
        )
        expect(await query('SELECT 1 AS n')).to.include({ code: 0, out: '{"n":1}\n' })
      })

      itInAll('does not affect manifests whose tables have schemas', async () => {
        const { code, out } = await command(['validate', '--data', path, ...small])
        expect([code, out]).to.deep.equal([0, '3 manifests, 29 variants: no problems\n'])
      })
    })
  }

  it('is different from an empty one', async () => {
    const query = ['query', 'SELECT COUNT(*) AS n FROM logs.auth', '--format', 'ndjson', ...small]
    expect(await command([...query, '--data', at('empty')])).to.include({ code: 0, out: '{"n":0}\n' })
  })

  it('while a server runs makes it unready and its calls failures, until the folder is back', async () => {
    const server = await startServe(['--port', '0', '--data', at('data')], {
      SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
      SLUICE_LOG_LEVEL: 'error',
    })
    const status = async (path: string): Promise<number> => {
      const response = await server.get(path, { 'X-API-KEY': 'unrestricted-token-of-32-letters' })
      await response.arrayBuffer()
      return response.status
    }
    const call = '/api/endpoints/query/logs.all?project=a&project_tier=PRO'
    expect([await status('/readyz'), await status(call)]).to.deep.equal([200, 200])
    renameSync(at('data'), at('away'))
    expect([await status('/readyz'), await status(`${call}&x`)]).to.deep.equal([503, 502])
    expect(server.err()).to.include(`the data folder ${at('data')} is not there`)
    renameSync(at('away'), at('data'))
    expect([await status('/readyz'), await status(call)]).to.deep.equal([200, 200])
    expect(await server.end('SIGTERM')).to.equal(0)
  })
})
