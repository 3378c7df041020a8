/** `serve --dev`: what authors are told over HTTP. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createToken } from '../../authoring/token/token-writer.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import type { EndpointChange } from '../../runner/model/published-endpoint.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { until } from '../until.js'
import { settingsOf } from './folder-settings.js'

const TOKEN = 'unrestricted-token-of-32-letters'
const idOf = (n: number): string => `0000000${n}-0000-4000-8000-00000000000b`
const manifest = (n: number, sql: string): string => `id: ${idOf(n)}\nname: n${n}\nsql: |\n  ${sql}\n`

describe('serve --dev', function () {
  this.timeout(600_000)
  let folder = ''
  let runner: Runner
  let server: RunningServer
  const readers: AbortController[] = []

  const write = (file: string, text: string): void => writeFileSync(join(folder, 'endpoints', file), text)
  const start = async (more: Partial<Settings> = {}): Promise<void> => {
    runner = await createRunner({ ...settingsOf(folder), dev: true, ...more })
    server = await runner.listen()
  }
  const ask = (path: string, token: string | null = TOKEN): Promise<Response> =>
    fetch(server.url + path, { headers: token === null ? {} : { 'X-API-KEY': token } })

  /** Reads the stream; the changes so far, and whether the server has ended it. */
  async function listen(token = TOKEN): Promise<{ changes: EndpointChange[]; isEnded: () => boolean }> {
    const reader = new AbortController()
    readers.push(reader)
    const response = await fetch(`${server.url}/api/dev/changes`, {
      headers: { 'X-API-KEY': token },
      signal: reader.signal,
    })
    expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([
      200,
      'text/event-stream; charset=utf-8',
    ])
    const changes: EndpointChange[] = []
    let isEnded = false
    let rest = ''
    void (async () => {
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) {
          const found = /^event: endpoint\ndata: (.*)$/.exec(block)
          if (found) changes.push(JSON.parse(found[1]!) as EndpointChange)
        }
      }
      isEnded = true
    })().catch(() => {})
    return { changes, isEnded: () => isEnded }
  }
  const shortly = ({ name, revision, diagnostics }: EndpointChange): string =>
    [
      name ?? '-',
      revision === null ? 'not served' : 'served',
      ...diagnostics.map(d => `${d.file.slice(folder.length + 11)}:${d.line}:${d.column} ${d.rule}`),
    ].join(' ')

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-dev-'))
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(join(folder, name))
    write('n1.yaml', manifest(1, 'SELECT 1 AS n'))
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.abort()
    await server?.close()
    await runner?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('watches the files, and streams what each reload changes', async () => {
    write('n2.yaml', manifest(2, 'SELECT nothing'))
    await start()
    const { changes } = await listen()
    await until(() => changes.length === 1, 'the state at the beginning')
    write('n1.yaml', manifest(1, 'SELECT 10 AS n'))
    write('n2.yaml', manifest(2, 'SELECT 2 AS n'))
    await until(() => changes.length === 3, 'an edit and a correction')
    write('n1.yaml', manifest(1, 'SELECT nobody AS n'))
    await until(() => changes.length === 4, 'a mistake')
    write('n1.yaml', manifest(1, 'SELECT 10 AS n'))
    await until(() => changes.length === 5, 'its correction')
    renameSync(join(folder, 'endpoints/n2.yaml'), join(folder, 'endpoints/n3.yaml'))
    await until(() => changes.length === 6, 'a move')
    rmSync(join(folder, 'endpoints/n3.yaml'))
    await until(() => changes.length === 7, 'a removal')
    writeFileSync(join(folder, 'tables/a.b.json'), '[')
    await until(() => changes.length === 8, 'a broken table schema')
    expect(changes.slice(0, 7).map(shortly)).to.deep.equal([
      'n2 not served n2.yaml:4:10 sql/error',
      'n1 served',
      'n2 served',
      'n1 served n1.yaml:4:10 sql/error',
      'n1 served',
      'n2 served',
      'n2 not served',
    ])
    expect(changes.slice(0, 8).map(({ file }) => file?.slice(folder.length + 11) ?? null)).to.deep.equal([
      'n2.yaml',
      'n1.yaml',
      'n2.yaml',
      'n1.yaml',
      'n1.yaml',
      'n3.yaml',
      'n3.yaml',
      null,
    ])
    expect(changes[7]).to.include({ name: null, id: null, revision: null })
    expect(changes[3]).to.have.all.keys('file', 'name', 'id', 'revision', 'diagnostics')
    expect(changes[3]!.diagnostics[0]).to.have.all.keys('file', 'line', 'column', 'rule', 'severity', 'message')
    expect(changes[1]!.revision).to.equal(runner.endpoints()[0]!.revision)
  })

  it('says what is served of a manifest that holds no id or another one', async () => {
    await start()
    const { changes } = await listen()
    const first = runner.endpoints()[0]!.revision
    const next = async (count: number, what: string) => {
      await until(() => changes.length >= count, what)
      return changes.slice(-1).map(({ id, revision, diagnostics }) => [id, revision, diagnostics.length])
    }
    write('n1.yaml', 'name: n1\nsql: |\n  SELECT 1 AS n\n')
    expect(await next(1, 'a manifest without an id')).to.deep.equal([[idOf(1), first, 1]])
    write('n1.yaml', manifest(9, 'SELECT nothing'))
    expect(await next(3, 'another id, and a mistake')).to.deep.equal([[idOf(9), null, 1]])
    write('n1.yaml', manifest(9, 'SELECT 9 AS n'))
    const corrected = await next(5, 'the correction')
    expect(corrected).to.deep.equal([[idOf(9), runner.endpoints()[0]!.revision, 0]])
    expect(changes.slice(1, 4).map(({ id, revision }) => [id, revision])).to.deep.equal([
      [idOf(1), first],
      [idOf(9), null],
      [idOf(1), null],
    ])
    write('n2.yaml', manifest(2, 'SELECT nothing'))
    rmSync(join(folder, 'endpoints/n1.yaml'))
    expect(await next(6, 'a new mistake beside a removal')).to.deep.equal([[idOf(2), null, 1]])
    write('n2.yaml', manifest(2, 'SELECT 2 AS n'))
    expect((await next(8, 'its correction'))[0]![0]).to.equal(idOf(2))
    expect(changes.slice(6, 7).map(({ id, revision }) => [id, revision])).to.deep.equal([[idOf(9), null]])
  })

  it('streams to a valid token alone, and only what it may call', async () => {
    const tokensFile = join(folder, 'tokens.json')
    const token = await createToken(tokensFile, { name: 'other', allow: ['n2*'], allTenants: true }, Date.now())
    write('n2.yaml', manifest(2, 'SELECT nothing'))
    write('n3.yaml', '[')
    write('n4.yaml', manifest(4, 'SELECT nothing'))
    await start({ tokensFile })
    expect((await ask('/api/dev/changes', null)).status).to.equal(401)
    expect((await ask('/api/dev/changes', 'nothing')).status).to.equal(401)
    const [all, some] = [await listen(), await listen(token)]
    await until(() => all.changes.length === 3, 'all broken ones')
    await until(() => some.changes.length > 0, 'those of the token')
    expect(all.changes.map(({ name }) => name)).to.deep.equal(['n2', null, 'n4'])
    expect(some.changes.map(({ name }) => name)).to.deep.equal(['n2'])
  })

  it('ends streams when the server ends', async () => {
    await start({ graceSeconds: 600 })
    const { isEnded } = await listen()
    await server.close()
    await until(isEnded, 'the stream has ended')
  })

  it('tells the mistakes of a broken endpoint in its problem', async () => {
    write('n2.yaml', manifest(2, 'SELECT nothing'))
    await start()
    const response = await ask('/api/endpoints/query/n2')
    const { detail, diagnostics } = (await response.json()) as { detail: string; diagnostics: unknown }
    const file = join(folder, 'endpoints/n2.yaml')
    expect(response.status).to.equal(503)
    expect(detail).to.equal(`${file}:4:10: Unrecognized name: nothing; the query has no FROM [sql/error]`)
    const mistake = {
      rule: 'sql/error',
      severity: 'error',
      message: 'Unrecognized name: nothing; the query has no FROM',
    }
    expect(diagnostics).to.deep.equal([{ file, line: 4, column: 10, ...mistake }])
  })

  it('is the only one with a stream', async () => {
    await start({ dev: false })
    expect((await ask('/api/dev/changes')).status).to.equal(404)
  })
})
