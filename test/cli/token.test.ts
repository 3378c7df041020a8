import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunningServer } from '../../runner/http/server/server.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { command, type Finished, scratch } from './command.js'

interface TokensFile {
  readonly tokens: readonly { readonly name: string; readonly sha256: string; readonly expires: string | null }[]
}

describe('sluice token', () => {
  const folder = scratch()
  const file = folder.path('tokens.json')
  let runner: Runner
  let server: RunningServer
  const token = (...argv: readonly string[]): Promise<Finished> => command(['token', ...argv, '--tokens', file])
  const create = async (...argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await token('create', ...argv)
    expect(code, err).to.equal(0)
    return out.trimEnd()
  }
  const status = async (key: string, call: string): Promise<number> => {
    const response = await fetch(`${server.url}/api/endpoints/query/${call}`, { headers: { 'X-API-KEY': key } })
    await response.text()
    return response.status
  }
  const records = (): TokensFile['tokens'] => (JSON.parse(readFileSync(file, 'utf8')) as TokensFile).tokens

  before(async () => {
    mkdirSync(folder.path('data'))
    // The runner starts first: it must see the commands' changes to the file without a restart.
    runner = await createRunner({
      port: 0,
      dataDir: folder.path('data'),
      tokensFile: file,
      engineMemoryMb: 256,
      engineThreads: 1,
    })
    server = await runner.listen()
  })
  after(async () => {
    await server.close()
    await runner.close()
    folder.remove()
  })

  const LOGS = 'logs.all?project=abc&project_tier=PRO'
  const COUNTS = 'usage.api-counts?project=abc&interval=daily'

  it('create prints 256 bits once; the file, which is its owner’s alone, keeps their hash', async () => {
    const { code, out, err } = await token('create', '--name', 'all', '--allow', '*', '--all-tenants')
    expect(code).to.equal(0)
    expect(Buffer.from(out.trimEnd(), 'base64url')).to.have.length(32)
    expect(err).to.match(/once/).and.not.include(out.trimEnd())
    expect(readFileSync(file, 'utf8')).to.not.include(out.trimEnd())
    expect(records()[0]?.sha256).to.equal(createHash('sha256').update(out.trimEnd()).digest('hex'))
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(await status(out.trimEnd(), LOGS)).to.equal(200)
  })

  it('create --allow confines it to the endpoints that its patterns name', async () => {
    const key = await create('--name', 'some', '--allow', 'logs.*', 'usage.api-count', '--all-tenants')
    expect([await status(key, LOGS), await status(key, COUNTS)]).to.deep.equal([200, 403])
    expect(await status(key, 'functions.invocation-stats?project=a&interval=1hr')).to.equal(403)
  })

  it('create --pin confines it to one argument, given or not', async () => {
    const key = await create('--name', 'pinned', '--allow', '*', '--pin', 'project=abc')
    expect(await status(key, LOGS)).to.equal(200)
    expect(await status(key, 'logs.all?project_tier=PRO')).to.equal(200)
    expect(await status(key, LOGS.replace('abc', 'abcd'))).to.equal(403)
    // Read as a regular expression, this value would match every project.
    expect(await status(key, COUNTS.replace('abc', '.*'))).to.equal(403)
  })

  it('create says what a token pins, and what it leaves to its callers', async () => {
    const said = async (...pins: readonly string[]): Promise<readonly string[]> => {
      const argv = ['create', '--name', `says-${pins.length}`, '--allow', 'logs.all', '--pin', ...pins]
      return (await token(...argv)).err.trimEnd().split('\n').slice(1)
    }
    const times = 'iso_timestamp_start, iso_timestamp_end: pin what is not theirs to choose, too'
    expect(await said('project=abc')).to.deep.equal([`pinned: project=abc; callers choose project_tier, ${times}`])
    expect(await said('project=abc', 'project_tier=PRO')).to.deep.equal([
      `pinned: project=abc project_tier=PRO; callers choose ${times}`,
    ])
  })

  it('create --expires sets its expiry; create --rate limits its calls', async () => {
    const key = await create('--name', 'short', '--allow', '*', '--expires', '90d', '--rate', '2/hour', '--all-tenants')
    const expires = Date.parse(records().find(record => record.name === 'short')?.expires ?? '')
    expect(Math.abs(expires - Date.now() - 90 * 86_400_000)).to.be.below(60_000)
    expect([await status(key, LOGS), await status(key, LOGS), await status(key, LOGS)]).to.deep.equal([200, 200, 429])
  })

  it('that has expired is unknown', async () => {
    const key = await create('--name', 'expired', '--allow', '*', '--expires', '12h', '--all-tenants')
    expect(await status(key, LOGS)).to.equal(200)
    const text = readFileSync(file, 'utf8')
    const { expires } = records().find(record => record.name === 'expired')!
    writeFileSync(file, text.replace(expires!, new Date(Date.now() - 1_000).toISOString()))
    await new Promise(resolve => setTimeout(resolve, 120))
    expect(await status(key, LOGS)).to.equal(401)
  })

  it('create --export is kept in the file, of that token alone', async () => {
    await create('--name', 'exporter', '--allow', '*', '--all-tenants', '--export')
    expect(records().find(({ name }) => name === 'exporter')).to.include({ export: true })
    expect(records().filter(record => 'export' in record)).to.have.length(1)
    expect((await token('list')).out).to.match(/^exporter .* yes +yes$/m)
  })

  it('create --explain lets a token see queries, and no other', async () => {
    const explain = async (key: string): Promise<number> => {
      const path = '/api/endpoints/explain/logs.all?project=p1&project_tier=PRO'
      return (await fetch(server.url + path, { headers: { 'X-API-KEY': key } })).status
    }
    const author = await create('--name', 'author', '--allow', 'logs.*', '--pin', 'project=p1', '--explain')
    const caller = await create('--name', 'caller', '--allow', 'logs.*', '--pin', 'project=p1')
    expect([await explain(author), await explain(caller)]).to.deep.equal([200, 403])
    expect(
      records()
        .filter(record => 'explain' in record)
        .map(({ name }) => name),
    ).to.deep.equal(['author'])
    expect((await token('list')).out).to.match(/^author .* no +yes +no +no$/m)
  })

  it('create stores how much its queries may be billed for in a day', async () => {
    await create('--name', 'bounded', '--allow', '*', '--bytes-per-day', '100 GB')
    expect(readFileSync(file, 'utf8')).to.include('"bytes_per_day": "100 GB"')
    expect((await token('list')).out).to.match(/^bounded .* 100 GB +no +no +no +no$/m)
    for (const size of ['much', '0', '0 GB', '2000 TiB']) {
      const refused = await token('create', '--name', 'much', '--allow', '*', '--bytes-per-day', size)
      expect([refused.code, refused.err]).to.deep.equal([
        2,
        'sluice: a number of bytes is like 100 GB, more than 0 and at most 1000 TiB\n',
      ])
    }
  })

  it('create --concurrent stores how many of its calls may wait at once', async () => {
    await create('--name', 'few', '--allow', '*', '--concurrent', '3')
    expect(readFileSync(file, 'utf8')).to.include('"concurrent": 3')
    expect((await token('list')).out).to.match(/^few +\* +never +unlimited +3 +never /m)
    const refused = await token('create', '--name', 'none', '--allow', '*', '--concurrent', '0')
    expect([refused.code, refused.err]).to.deep.equal([2, 'sluice: --concurrent is a whole number from 1 to 10000\n'])
  })

  describe('create warns of calls that will be a 403, and creates the token', () => {
    const endpoints = folder.path('endpoints')
    const manifest = (id: number, name: string, parameters: string, where: string): void =>
      writeFileSync(
        join(endpoints, `${name}.yaml`),
        `id: 0000000${id}-0000-4000-8000-000000000000\nname: ${name}\n${parameters}\nsql: |\n  SELECT 1 WHERE ${where}\n`,
      )
    before(() => {
      mkdirSync(endpoints)
      manifest(1, 'shop.orders', 'tenant: shop\nparameters:\n  shop: { type: string }', "@shop = 'a'")
      manifest(2, 'shop.urls', 'parameters:\n  shop: { type: string, format: re2 }', "REGEXP_CONTAINS('a', @shop)")
      manifest(3, 'shop.sizes', 'parameters:\n  size: { type: int64 }', '@size = 1')
    })

    const PATTERN = '"shop" is a regular expression, and the manifest has no pinned_as for it'
    const rows: readonly (readonly [argv: readonly string[], warnings: readonly string[]])[] = [
      [['--allow', '*', '--all-tenants'], []],
      [['--allow', 'shop.orders', '--pin', 'shop=a'], []],
      [
        ['--allow', 'shop.order', 'shop.s*', 'other.*'],
        ['no endpoint is named "shop.order"; did you mean "shop.orders"?', 'no endpoint is named "other.*"'],
      ],
      [
        ['--allow', 'shop.or*'],
        ['the token may not call shop.orders: the token neither pins "shop" nor was made with --all-tenants'],
      ],
      [['--allow', 'shop.urls', '--pin', 'shop=a'], [`the token may not call shop.urls: ${PATTERN}`]],
      [
        ['--allow', '*', '--pin', 'shop=a'],
        [
          'the token may not call shop.sizes: the endpoint does not declare "shop", which the token pins',
          `the token may not call shop.urls: ${PATTERN}`,
        ],
      ],
      [
        ['--allow', 'shop.sizes', '--pin', 'sise=5'],
        [
          'no endpoint declares "sise", so the token may call none; did you mean "size"?',
          'the token may not call shop.sizes: the endpoint does not declare "sise", which the token pins',
        ],
      ],
      [
        ['--allow', 'shop.sizes', '--pin', 'size=x'],
        ['the token may not call shop.sizes: "size" does not take the pinned value'],
      ],
    ]
    for (const [i, [argv, warnings]] of rows.entries()) {
      it(argv.join(' '), async () => {
        const { code, out, err } = await token('create', '--name', `warned-${i}`, ...argv, '--endpoints', endpoints)
        expect([code, out.trimEnd().length]).to.deep.equal([0, 43])
        expect(err.split('\n').slice(1, -1)).to.deep.equal(warnings.map(warning => `warning: ${warning}`))
      })
    }

    it('also warns of a broken manifest', async () => {
      writeFileSync(join(endpoints, 'broken.yaml'), 'id: 5\n')
      const { code, err } = await token('create', '--name', 'broken', '--allow', 'shop.sizes', '--endpoints', endpoints)
      expect([code, err.split('\n')[1]]).to.deep.equal([
        0,
        'warning: a manifest holds errors and was not looked at; see sluice validate',
      ])
    })

    it('also warns that it could not check, where there is no folder of endpoints', async () => {
      const none = folder.path('nowhere')
      const { code, err } = await token('create', '--name', 'nowhere', '--allow', 'nope', '--endpoints', none)
      expect([code, err.split('\n')[1]]).to.deep.equal([
        0,
        `warning: there is no folder ${none} of endpoints to compare patterns and pins with; --endpoints names another`,
      ])
    })
  })

  it('list shows what each may do, and no hash', async () => {
    const { code, out } = await token('list')
    expect(code).to.equal(0)
    expect(out.split('\n')[0]).to.match(
      /^name +endpoints +pinned +expires +rate +concurrent +fresh +bytes a day +purge +explain +export +all tenants$/,
    )
    expect(out).to.match(/^pinned +\* +project=abc +never +unlimited +unlimited +never +unlimited +no +no +no +no$/m)
    expect(out).to.match(/^all +\* +never +unlimited +unlimited +never +unlimited +no +no +no +yes$/m)
    expect(out).to.match(
      /^some +logs\.\* usage\.api-count +never +unlimited +unlimited +never +unlimited +no +no +no +yes$/m,
    )
    expect(out).to.match(/^short +\* +\d{4}-\d\d-\d\dT\S+Z +2\/hour +unlimited +never +unlimited +no +no +no +yes$/m)
    for (const { sha256 } of records()) expect(out).to.not.include(sha256)
  })

  it('revoke ends it without a restart', async () => {
    const key = await create('--name', 'leaving', '--allow', '*', '--all-tenants')
    expect(await status(key, LOGS)).to.equal(200)
    expect(await token('revoke', 'leaving')).to.include({ code: 0, out: 'revoked leaving\n' })
    await new Promise(resolve => setTimeout(resolve, 120))
    expect(await status(key, LOGS)).to.equal(401)
    expect(records().map(record => record.name))
      .to.include('all')
      .and.not.include('leaving')
  })

  it('is refused as bad usage with invalid flags, and the file stays as it is', async () => {
    const before = readFileSync(file, 'utf8')
    const bad: readonly (readonly string[])[] = [
      ['create', '--name', 'all', '--allow', '*'],
      ['create', '--name', 'has space', '--allow', '*'],
      ['create', '--name', 'x'],
      ['create', '--name', 'x', '--allow', '*', '--pin', 'project'],
      ['create', '--name', 'x', '--allow', '*', '--pin', 'project=a', 'project=b'],
      ['create', '--name', 'x', '--allow', '*', '--pin', 'project='],
      ['create', '--name', 'x', '--allow', '*', '--pin', 'project= '],
      ['create', '--name', 'x', '--allow', '*', '--pin', ''],
      ['create', '--name', 'x', '--allow', ''],
      ['create', '--name', 'x', '--allow', '*', ''],
      ['create', '--name', 'x', '--allow', '*', '--expires', ''],
      ['create', '--name', 'x', '--allow', '*', '--rate', ''],
      ['create', '--name', 'x', '--allow', '*', '--bytes-per-day', ''],
      ['create', '--name', 'x', '--allow', '*', '--expires', 'soon'],
      ['create', '--name', 'x', '--allow', '*', '--rate', '0/min'],
      ['revoke', 'nobody'],
    ]
    for (const argv of bad) {
      const { code, out, err } = await token(...argv)
      expect([code, out], argv.join(' ')).to.deep.equal([2, ''])
      expect(err).to.not.equal('')
    }
    expect(readFileSync(file, 'utf8')).to.equal(before)
  })

  it('keeps its file in the folder of --data by default', async () => {
    const made = await command(['token', 'create', '--name', 'a', '--allow', '*', '--data', folder.path('other')])
    expect(made.code).to.equal(0)
    expect(statSync(folder.path('other', 'tokens.json')).isFile()).to.equal(true)
    const listed = await command(['token', 'list'], { SLUICE_DATA: folder.path('other') })
    expect(listed.out).to.match(/^a +\*/m)
  })

  it('reports that it cannot read an invalid file', async () => {
    writeFileSync(folder.path('broken.json'), '{"tokens": [{"name": "a", "sha256": "secret-looking"}]}')
    const { code, err } = await command(['token', 'list', '--tokens', folder.path('broken.json')])
    expect(code).to.equal(3)
    expect(err).to.include('token 1').and.not.include('secret-looking')
  })
})
