/** Manifests with mistakes beside sound ones: the sound ones are served, and a call for a broken one says so. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createToken } from '../../authoring/token/token-writer.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import { writtenIdentity } from '../../runner/manifest/written-identity.js'
import { LoadError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { command } from '../cli/command.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { settingsOf } from './folder-settings.js'

const idOf = (n: number): string => `0000000${n}-0000-4000-8000-00000000000a`
const manifest = (n: number, sql: string): string =>
  `id: ${idOf(n)}\nname: n${n}\nsettings: { cache: { ttl_seconds: 60 } }\nsql: |\n  ${sql}\n`

interface Answer {
  readonly status: number
  readonly body: { readonly code?: string; readonly detail?: string; readonly diagnostics?: unknown }
}

describe('endpoints with mistakes', function () {
  this.timeout(600_000)
  let folder = ''
  let runner: Runner
  let server: RunningServer
  let events: Event[] = []

  const write = (file: string, text: string): void => writeFileSync(join(folder, 'endpoints', file), text)
  const start = async (more: Partial<Settings> = {}): Promise<void> => {
    runner = await createRunner({ ...settingsOf(folder), ...more }, { observe: event => void events.push(event) })
    server = await runner.listen()
  }
  const get = async (path: string, token = 'unrestricted-token-of-32-letters'): Promise<Answer> => {
    const response = await fetch(server.url + path, { headers: { 'X-API-KEY': token } })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  const query = async (ref: string, token?: string): Promise<readonly unknown[]> => {
    const { status, body } = await get(`/api/endpoints/query/${ref}`, token)
    return [status, body.code]
  }
  const told = (): readonly string[] =>
    events.flatMap(event =>
      event.kind === 'manifests.broken'
        ? event.diagnostics.map(d => `${d.file.slice(folder.length + 11)}:${d.line} ${d.rule}`)
        : [],
    )
  const flags = (): readonly string[] =>
    [
      ['endpoints', 'endpoints'],
      ['tables', 'tables'],
      ['data', 'data'],
    ].flatMap(([flag, name]) => [`--${flag}`, join(folder, name!)])

  beforeEach(() => {
    events = []
    folder = mkdtempSync(join(tmpdir(), 'sluice-broken-'))
    for (const name of ['endpoints/partials', 'tables', 'data']) mkdirSync(join(folder, name), { recursive: true })
    write('n1.yaml', manifest(1, 'SELECT 1 AS n'))
    write('n2.yaml', manifest(2, 'SELECT nothing AS n'))
  })
  afterEach(async () => {
    await server?.close()
    await runner?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answer 503 by name and by id, whatever the mistake; the others are served, and the log says why', async () => {
    write('n3.yaml', `id: ${idOf(3).toUpperCase()}\nname: n3\nsql: |\n  SELECT 1\nsettings: [\n`)
    write('n4.yaml', `name: n4\nsql: |\n  SELECT 1\n`)
    write('n5.yaml', `id: ${idOf(5)}\nname: N 5\nsql: |\n  SELECT 1\n`)
    write('n6.yaml', manifest(6, '{{> half}}'))
    write('partials/half.sql', '{{#if}}')
    writeFileSync(join(folder, 'endpoints/n7.yaml'), Buffer.from([0x69, 0x64, 0x3a, 0xe9]))
    await start()
    const broken = [503, 'ENDPOINT_BROKEN']
    for (const ref of ['n2', idOf(2), idOf(2).toUpperCase(), 'n3', idOf(3), 'n4', idOf(5), 'n6', idOf(6)]) {
      expect(await query(ref), ref).to.deep.equal(broken)
      expect((await get(`/api/endpoints/${ref}`)).status, ref).to.equal(503)
    }
    expect(await query('n7')).to.deep.equal([404, 'ENDPOINT_UNKNOWN'])
    expect(await query('n1')).to.deep.equal([200, undefined])
    expect(told()).to.include.members([
      'n2.yaml:5 sql/error',
      'n4.yaml:1 schema/missing-key',
      'n7.yaml:1 manifest/unreadable',
    ])
    expect(told().filter(line => line.startsWith('partials/half.sql'))).to.have.length(1)
    const { body } = await get('/api/endpoints/query/n2')
    expect(JSON.stringify(body)).to.not.match(/nothing|endpoints\/|\.yaml/)
    expect(body.diagnostics).to.equal(undefined)
    const done = events.find(event => event.kind === 'request.done' && event.error?.code === 'ENDPOINT_BROKEN')
    expect(done).to.include({ endpoint: 'n2', status: 503 })
  })

  it('are left out of lists and of OpenAPI; /readyz is ready while one endpoint is sound', async () => {
    await start()
    const list = await get('/api/endpoints')
    expect((list.body as { endpoints?: { name: string }[] }).endpoints?.map(({ name }) => name)).to.deep.equal(['n1'])
    expect(JSON.stringify((await get('/openapi.json')).body))
      .to.include('query/n1')
      .and.not.include('query/n2')
    expect((await get('/readyz')).status).to.equal(200)
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics)
      .to.match(/^sluice_manifests_loaded 1$/m)
      .and.match(/^sluice_manifests_broken 1$/m)
    rmSync(join(folder, 'endpoints/n1.yaml'))
    await server.close()
    await runner.close()
    await start()
    expect([(await get('/readyz')).status, (await get('/readyz')).body.code]).to.deep.equal([503, 'NOT_READY'])
  })

  it('are hidden from tokens that may not call them', async () => {
    const tokensFile = join(folder, 'tokens.json')
    const text = await createToken(tokensFile, { name: 'other', allow: ['n1'], allTenants: true }, Date.now())
    await start({ tokensFile })
    expect(await query('n1', text)).to.deep.equal([200, undefined])
    expect(await query('n2', text)).to.deep.equal([403, 'TOKEN_NOT_ALLOWED'])
    expect(await query('n2', 'nothing')).to.deep.equal([401, 'TOKEN_UNKNOWN'])
  })

  it('of one id are both broken, and each is told of the other', async () => {
    write('n2.yaml', manifest(1, 'SELECT 2 AS n').replace('n1', 'n2'))
    await start()
    for (const ref of ['n1', 'n2', idOf(1)]) expect(await query(ref)).to.deep.equal([503, 'ENDPOINT_BROKEN'])
    for (const [name, other] of [
      ['n1', 'n2'],
      ['n2', 'n1'],
    ]) {
      const { code, err } = await command(['call', name!, ...flags()])
      expect(code).to.equal(1)
      expect(err.split('\n')[0]).to.equal(
        `${folder}/endpoints/${name}.yaml:1:5: the id "${idOf(1)}" is also used at ${folder}/endpoints/${other}.yaml:1; give one of the two another [manifest/duplicate-id]`,
      )
      const validated = await command(['validate', join(folder, `endpoints/${name}.yaml`), ...flags().slice(0, 4)])
      expect(validated.out + validated.err).to.include(`${name}.yaml:1:5: the id`)
    }
  })

  itInAll('do not keep `call` from the sound ones; with --strict they do', async () => {
    expect(await command(['call', 'n1', '--format', 'csv', ...flags()])).to.include({ code: 0, out: 'n\r\n1\r\n' })
    const { code, err } = await command(['call', 'n2', ...flags()])
    expect([code, err.split('\n')[0]]).to.deep.equal([
      1,
      `${folder}/endpoints/n2.yaml:5:10: Unrecognized name: nothing; the query has no FROM [sql/error]`,
    ])
    const strict = await command(['call', 'n1', '--strict', ...flags()])
    expect([strict.code, strict.err]).to.deep.equal([1, err])
    const thrown: unknown = await createRunner({ ...settingsOf(folder), strict: true }).catch(error => error)
    expect(thrown).to.be.instanceOf(LoadError)
  })

  describe('after an edit', () => {
    const refusal = async (): Promise<unknown> =>
      runner.reload().then(
        () => null,
        error => error,
      )

    const textOf = async (name: string): Promise<string> => Buffer.from((await runner.call(name)).body).toString()

    it('keep what is served as it was until no manifest has a mistake', async () => {
      write('n3.yaml', manifest(3, 'SELECT nobody'))
      await start()
      write('n2.yaml', manifest(2, 'SELECT 2 AS n'))
      write('n1.yaml', manifest(1, 'SELECT 10 AS n'))
      expect(await refusal()).to.be.instanceOf(LoadError)
      for (const ref of ['n2', 'n3']) expect(await query(ref)).to.deep.equal([503, 'ENDPOINT_BROKEN'])
      expect(await textOf('n1')).to.equal('{"result":[{"n":1}]}')
      write('n3.yaml', manifest(3, 'SELECT 3 AS n'))
      expect(await refusal()).to.equal(null)
      for (const ref of ['n2', 'n3']) expect(await query(ref)).to.deep.equal([200, undefined])
      expect(await textOf('n1')).to.equal('{"result":[{"n":10}]}')
    })

    const EDITS: readonly (readonly [what: string, edit: () => void])[] = [
      ['a mistake in it', () => write('n1.yaml', manifest(1, 'SELECT nobody'))],
      ['a name and id that cannot be read', () => write('n1.yaml', '[')],
      [
        'a move and a mistake',
        () => {
          rmSync(join(folder, 'endpoints/n1.yaml'))
          write('moved.yaml', manifest(1, 'SELECT nobody'))
        },
      ],
      ['another with its name', () => write('n9.yaml', manifest(9, 'SELECT 1').replace('n9', 'n1'))],
    ]
    for (const [what, edit] of sampleOf(EDITS)) {
      it(`keep one that is served as it was, in spite of ${what}`, async () => {
        write('n2.yaml', manifest(2, 'SELECT 2 AS n'))
        await start()
        edit()
        write('n4.yaml', manifest(4, 'SELECT 4 AS n'))
        expect(await refusal()).to.be.instanceOf(LoadError)
        expect(await query('n1')).to.deep.equal([200, undefined])
        expect(await query('n4')).to.deep.equal([404, 'ENDPOINT_UNKNOWN'])
      })
    }

    it('keep what is served as it was, also where they are new or others are removed', async () => {
      write('n2.yaml', manifest(2, 'SELECT 2 AS n'))
      await start()
      write('n4.yaml', manifest(4, 'SELECT nobody'))
      rmSync(join(folder, 'endpoints/n2.yaml'))
      expect(await refusal()).to.be.instanceOf(LoadError)
      expect(await query('n4')).to.deep.equal([404, 'ENDPOINT_UNKNOWN'])
      expect(await query('n2')).to.deep.equal([200, undefined])
    })
  })
})

describe('the name and id of a manifest with broken YAML', () => {
  const ID = '0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11'
  for (const [text, id, name] of [
    [`id: ${ID}\nname: a.b-c # note\n`, ID, 'a.b-c'],
    [`"id" : '${ID.toUpperCase()}'\r\n'name': "a"\r\n`, ID, 'a'],
    [`  id: ${ID}\n  name: a\n`, null, null],
    [`id: ${ID}-1\nname: A\n`, null, null],
    ['', null, null],
  ] as const) {
    it(`is ${id && 'read'} from ${JSON.stringify(text)}`, () => {
      expect(writtenIdentity(text)).to.deep.equal({ id, name })
    })
  }
})
