/** `sluice call NAME --export FILE`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { itInAll } from '../sample-size.js'
import { command, scratch } from './command.js'

const MANIFEST = `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11
name: rows.all
description: Made-up rows.
parameters:
  n: { type: int64, required: true, description: How many thousands. }
settings: { max_rows: 3, export: { max_rows: 100000 } }
sql: |
  SELECT a * 1000 + b AS id, IF(@n = 90 AND a = 90 AND b = 7, ERROR('late'), REPEAT('text ', 30)) AS text
  FROM UNNEST(GENERATE_ARRAY(1, @n)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 1000)) AS b
`

const TEXT = 'text '.repeat(30)

describe('sluice call --export', function () {
  this.timeout(120_000)
  const folder = scratch()
  const flags = [
    '--endpoints',
    folder.path('endpoints'),
    '--data',
    folder.path('data'),
    '--tables',
    folder.path('tables'),
  ]
  before(() => {
    for (const name of ['endpoints', 'data', 'tables', 'out']) mkdirSync(folder.path(name))
    writeFileSync(folder.path('endpoints', 'rows.yaml'), MANIFEST)
  })

  const call = (file: string, ...more: readonly string[]) =>
    command(['call', 'rows.all', '--export', folder.path('out', file), ...flags, ...more])

  it('writes all rows in the format of the ending, or of --format', async () => {
    const { code, err } = await call('rows.csv', 'n=5')
    expect({ code, err }).to.deep.equal({ code: 0, err: `5000 rows in ${folder.path('out', 'rows.csv')}\n` })
    const lines = readFileSync(folder.path('out', 'rows.csv'), 'utf8').split('\r\n')
    expect([lines.length, lines[0], lines[1]]).to.deep.equal([5_002, 'id,text', `1001,${TEXT}`])
    expect((await call('rows.txt', 'n=1', '--format', 'ndjson')).code).to.equal(0)
    expect(readFileSync(folder.path('out', 'rows.txt'), 'utf8')).to.match(/^\{"id":1001,"text":"text text [^\n]*"\}\n/)
  })
  itInAll('leaves no file, or the one before, where it fails', async () => {
    writeFileSync(folder.path('out', 'kept.csv'), 'kept')
    expect((await call('kept.csv', 'n=90')).code).to.equal(1)
    expect((await call('large.csv', 'n=101')).err).to.contain('more than 100000 rows')
    expect(readFileSync(folder.path('out', 'kept.csv'), 'utf8')).to.equal('kept')
    expect(
      readdirSync(folder.path('out')).filter(name => name.includes('large') || name.endsWith('.tmp')),
    ).to.deep.equal([])
  })
  it('says what it cannot do', async () => {
    const { code, err } = await call('rows.json', 'n=1')
    expect(code).to.equal(2)
    expect(err).to.contain('an export has one of the formats ndjson, csv, arrow, parquet')
    expect((await call('rows.csv', 'n=1', '--explain')).code).to.equal(2)
  })
  itInAll('says that the disk is full, and leaves nothing there', () => {
    // The system lets no file grow beyond this, which is more than the engine's own files have.
    const argv = ['call', 'rows.all', 'n=89', '--export', folder.path('out', 'full.csv'), ...flags]
    const script = 'ulimit -f 20000; trap "" XFSZ; exec "$0" dist/cli/main.js "$@"'
    const run = (): unknown => execFileSync('sh', ['-c', script, process.execPath, ...argv], { stdio: 'pipe' })
    expect(run).to.throw(/cannot write/)
    expect(existsSync(folder.path('out', 'full.csv'))).to.equal(false)
  })
})
