/** `sluice client`: from manifests and from a server, confined, checked; and what it writes, called against that server. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import ts from 'typescript'
import { createToken } from '../../authoring/token/token-writer.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

const SLUICE_TOKEN = 'unrestricted-token-of-32-letters'

/** Values of its arguments and of some types, over no table. */
const MANIFEST = `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0aa
name: types.echo
description: |
  Says what it was given. */ "quotes"
parameters:
  project: { type: string, required: true, description: Whose. }
  level: { type: string, enum: [low, high], default: low }
  tags: { type: array<string> }
  size: { type: int64 }
lookups:
  unit: { by: unit, rows: { hour: { word: HOUR }, day: { word: DAY } }, default: reject }
columns:
  - { name: project, type: STRING, required: true, description: Whose it is. }
  - { name: level, type: STRING }
  - { name: tags, type: ARRAY<STRING> }
  - { name: size, type: INT64 }
  - { name: number, type: INT64, json: number, required: true, unit: count }
  - { name: start, type: TIMESTAMP }
  - { name: nested, type: STRUCT }
sql: |
  SELECT @project AS project, @level AS level, @tags AS tags, @size AS size, 42 AS number,
    TIMESTAMP_TRUNC(TIMESTAMP '2026-01-31 12:34:56Z', {{unit.word}}) AS start,
    STRUCT(1.5 AS ratio, [STRUCT('x' AS \`key\`)] AS list) AS nested
`.replace(
  '  size: { type: int64 }',
  '  size: { type: int64 }\n  unit: { type: string, required: true, enum: [week, hour, minute, day] }',
)

const ONE = `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0ab
name: one
parameters:
  top: { type: int64, default: 1 }
sql: |
  SELECT @top AS n
`

describe('client', function () {
  this.timeout(120_000)
  const folder = scratch()
  const endpoints = folder.path('endpoints')
  const tokens = folder.path('tokens.json')
  const data = folder.path('data')
  let runner: Runner
  let server: RunningServer
  let pinned: string

  const client = (lang: string, ...flags: readonly string[]): Promise<Finished> =>
    command(['client', '--lang', lang, '--endpoints', endpoints, '--engine-memory', '256', '--data', data, ...flags])
  const remote = (token: string, ...flags: readonly string[]): Promise<Finished> =>
    command(['client', '--lang', 'ts', '--url', server.url, ...flags], { SLUICE_TOKEN: token })

  before(async () => {
    mkdirSync(data)
    mkdirSync(endpoints)
    writeFileSync(folder.path('endpoints', 'types.echo.yaml'), MANIFEST)
    writeFileSync(folder.path('endpoints', 'one.yaml'), ONE)
    pinned = await createToken(tokens, { name: 'p', allow: ['*'], pin: { project: 'abc' } }, Date.now())
    runner = await createRunner({
      endpointsDir: endpoints,
      tokensFile: tokens,
      dataDir: data,
      token: SLUICE_TOKEN,
      port: 0,
      engineMemoryMb: 256,
    })
    server = await runner.listen()
  })
  after(async () => {
    await server?.close()
    await runner?.close()
    folder.remove()
  })

  it('writes the same from the manifests and from a server that has them', async () => {
    const local = await client('ts')
    expect([local.code, local.err]).to.deep.equal([0, ''])
    // Both `enum` and the rows of the lookup table must allow a value.
    expect(local.out).to.include("unit: 'hour' | 'day'\n")
    expect(local.out).to.match(/^\/\/ Written by `sluice client`, revision [0-9a-f]{12}\. /)
    expect(await remote(SLUICE_TOKEN)).to.deep.equal(local)
    expect(await client('ts')).to.deep.equal(local)
    const python = await client('python')
    expect(python.code).to.equal(0)
    expect(python.out.slice(0, 80).match(/revision \w+/)).to.deep.equal(local.out.slice(0, 80).match(/revision \w+/))
  })

  it('writes for a token with a pin what --pin writes', async () => {
    const local = await client('ts', '--pin', 'project=abc')
    expect(local.out).to.include("'types.echo'").and.not.include("'one'").and.not.include('/** Whose. */')
    expect(local.out).not.to.include('abc')
    expect(await remote(pinned)).to.deep.equal(local)
    // The token's pins stay where flags narrow further.
    expect((await remote(pinned, '--allow', 'types.*')).out).to.equal(local.out)
    expect((await remote(SLUICE_TOKEN, '--pin', 'project=abc')).out).to.equal(local.out)
  })

  it('takes only the endpoints that --allow names', async () => {
    for (const run of [client('ts', '--allow', 'o*', 'nothing'), remote(SLUICE_TOKEN, '--allow', 'o*', 'nothing')]) {
      const { code, out } = await run
      expect(code).to.equal(0)
      expect(out).to.include("'one'").and.not.include("'types.echo'")
    }
  })

  const REFUSED: readonly (readonly [says: string, flags: readonly string[], code: number, err: string])[] = [
    ['no language', ['client'], 2, "required option '--lang <language>'"],
    ['a language that it does not write', ['client', '--lang', 'go'], 2, 'Allowed choices are ts, python'],
    ['--check without --out', ['client', '--lang', 'ts', '--check'], 2, '--check needs --out'],
    ['a pin without a value', ['client', '--lang', 'ts', '--pin', 'project'], 2, '--pin must be name=value'],
    ['an address with a password', ['client', '--lang', 'ts', '--url', 'http://a:b@c'], 2, '--url must be an http'],
    ['a server without a token', ['client', '--lang', 'ts', '--url', 'http://127.0.0.1:1'], 2, 'SLUICE_TOKEN must'],
  ]
  for (const [says, flags, code, err] of sampleOf(REFUSED)) {
    it(`refuses ${says}`, async () => {
      const finished = await command(flags)
      expect([finished.code, finished.out]).to.deep.equal([code, ''])
      expect(finished.err).to.include(err)
    })
  }

  itInAll('ends with 1 where there is nothing to write, or the manifests have errors', async () => {
    const none = await client('ts', '--allow', 'nothing')
    expect([none.code, none.out, none.err]).to.deep.equal([
      1,
      '',
      'sluice: there is no endpoint that these flags select\n',
    ])
    const strange = await remote(SLUICE_TOKEN, '--pin', 'nothing=x')
    expect([strange.code, strange.out]).to.deep.equal([1, ''])
    const broken = folder.path('broken')
    cpSync(endpoints, broken, { recursive: true })
    writeFileSync(folder.path('broken', 'one.yaml'), ONE.replace('@top', '@tap'))
    const refused = await command(['client', '--lang', 'ts', '--endpoints', broken, '--engine-memory', '256'])
    expect([refused.code, refused.out]).to.deep.equal([1, ''])
    expect(refused.err).to.include('one.yaml:6:10: ')
  })

  itInAll('needs neither test files nor examples to be right', async () => {
    const odd = folder.path('odd')
    cpSync(endpoints, odd, { recursive: true })
    const name = /^name: (.*)$/m.exec(ONE)![1]!
    writeFileSync(folder.path('odd', 'one.test.yaml'), 'tests: [')
    writeFileSync(folder.path('odd', `${name}.example.json`), '[{ "no": "column" }]')
    const flags = ['--endpoints', odd, '--engine-memory', '256']
    const written = await command(['client', '--lang', 'ts', ...flags])
    expect([written.code, written.err]).to.deep.equal([0, ''])
    expect(written.out).to.include(`'${name}'`)
    const { code, out } = await command(['openapi', ...flags])
    expect([code, JSON.parse(out).openapi]).to.deep.equal([0, '3.1.1'])
    expect((await command(['validate', ...flags])).code).to.equal(1)
  })

  it('ends with 3 where the server refuses, or is another one', async () => {
    const refused = await remote('another-token-of-thirty-two-letters')
    expect([refused.code, refused.out]).to.deep.equal([3, ''])
    expect(refused.err).to.include('answered 401')
    const other = createServer((_, res) => res.end('{"endpoints":[{"name":"a b"}]}')).listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const { code, err } = await command(['client', '--lang', 'python', '--url', url], { SLUICE_TOKEN })
    other.close()
    expect([code, err]).to.deep.equal([3, `sluice: ${url} answered no list of endpoints that this version can read\n`])
    const nowhere = folder.path('nowhere', 'client.ts')
    expect((await client('ts', '--out', nowhere)).err).to.include(`cannot write ${nowhere}`)
  })

  describe('--check', () => {
    /** Against the manifests here; `checkedThere` against the server, which need not start an engine each time. */
    const checked = (lang: string, file: string): Promise<Finished> => client(lang, '--out', file, '--check')
    const checkedThere = (file: string): Promise<Finished> => remote(SLUICE_TOKEN, '--out', file, '--check')
    /** Replaces texts of the manifest, here and in the server. */
    async function change(
      changes: readonly (readonly [from: string, to: string, ...lines: readonly string[]])[],
    ): Promise<void> {
      let text = MANIFEST
      for (const [from, to] of changes) {
        expect(text).to.include(from)
        text = text.replace(from, to)
      }
      writeFileSync(folder.path('endpoints', 'types.echo.yaml'), text)
      await runner.reload()
    }
    afterEach(() => change([]))

    const CHANGES: readonly (readonly [from: string, to: string, ts: string, python: string])[] = [
      ['[low, high]', '[low, high, top]', "level?: 'low' | 'high' | 'top' | undefined", '"top"'],
      ['json: number', 'json: string', 'number: string', '"number": str,'],
      ['name: size, type: INT64', 'name: size, type: INT64, required: true', 'size: number | string', '"size": Union['],
      ['hour: {', 'minute: {', "unit: 'minute' | 'day'", 'unit: Literal["minute", "day"],'],
      ['description: Whose it is.', 'description: Another.', '/** Another. */', '#: Another.'],
      ['size: { type: int64 }', 'size: { type: int64, required: true }', 'size: number | bigint', 'size: int,'],
      ["'x' AS \\`key\\`".replaceAll('\\', ''), "'x' AS word", 'word: string\n', '"word": str,'],
    ]
    it('says what differs after each change of a manifest, and writes nothing', async () => {
      const file = folder.path('client.ts')
      const missing = await checkedThere(file)
      expect([missing.code, missing.err]).to.deep.equal([1, `sluice: there is no ${file}\n`])
      expect(await client('ts', '--out', file)).to.deep.equal({ code: 0, out: '', err: `wrote ${file}: 2 endpoints\n` })
      const written = readFileSync(file, 'utf8')
      expect(await checked('ts', file)).to.deep.equal({ code: 0, out: '', err: '' })
      for (const one of CHANGES) {
        await change([one])
        const { code, out, err } = await checkedThere(file)
        expect([code, err], one[1]).to.deep.equal([
          1,
          `sluice: ${file} is out of date: "sluice client" would now write another text\n`,
        ])
        expect(out, one[1]).to.match(/^- \/\/ Written by .*\n\+ \/\/ Written by /)
        expect(
          out.split('\n').filter(line => line.startsWith('+')),
          one[1],
        ).to.satisfy((lines: readonly string[]) => lines.some(line => `${line}\n`.includes(one[2])))
      }
      expect(readFileSync(file, 'utf8')).to.equal(written)
      // A file that was edited by hand.
      await change([])
      writeFileSync(file, `${written}\n// more\n`)
      expect((await checkedThere(file)).out).to.match(/^ {2}.*\n {2}.*\n- \/\/ more\n- \n$/)
      writeFileSync(file, written.split('\n').reverse().join('\n'))
      expect((await checkedThere(file)).out).to.match(/^(.*\n){40}and \d+ more lines\n$/)
      writeFileSync(file, `${written}\n${'// more\n'.repeat(38)}`)
      expect((await checkedThere(file)).out).to.match(/^(.*\n){40}and 1 more line\n$/)
    })

    it('says what differs in Python', async () => {
      const file = folder.path('client.py')
      await client('python', '--out', file)
      expect(await checked('python', file)).to.deep.equal({ code: 0, out: '', err: '' })
      await change(CHANGES)
      const { code, out } = await checked('python', file)
      expect(code).to.equal(1)
      for (const [, , , line] of CHANGES) expect(out).to.include(line)
    })

    it('is clean in a checkout whose lines end with CRLF', async () => {
      const file = folder.path('crlf.ts')
      await client('ts', '--out', file)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'))
      expect(await checked('ts', file)).to.deep.equal({ code: 0, out: '', err: '' })
    })

    it('is clean after a change that callers cannot see', async () => {
      const file = folder.path('seen.ts')
      await client('ts', '--out', file)
      await change([['42 AS number', '43 AS number']])
      expect((await checked('ts', file)).code).to.equal(0)
    })
  })

  it('calls the server from TypeScript', async () => {
    const { outputText } = ts.transpileModule((await client('ts')).out, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    const file = folder.path('client.mjs')
    writeFileSync(file, outputText)
    const { createSluice } = await import(pathToFileURL(file).href)
    const sluice = createSluice({ url: server.url, token: SLUICE_TOKEN })
    const given = { project: 'p', tags: ['a,b'], size: 9007199254740993n, unit: 'day' }
    const { rows, meta } = await sluice.call('types.echo', given)
    expect(rows).to.deep.equal([
      {
        ...{ project: 'p', level: 'low', tags: ['a,b'], size: '9007199254740993', number: 42 },
        start: '2026-01-31T00:00:00Z',
        nested: { ratio: 1.5, list: [{ key: 'x' }] },
      },
    ])
    expect(meta.rowCount).to.equal(1)
    const one = await sluice.call('one', {}, { etag: 'W/"other"' })
    expect(one.rows).to.deep.equal([{ n: 1 }])
    expect((await sluice.call('one', {}, { etag: one.meta.etag })).rows).to.equal(null)
    expect((await sluice.call('one')).rows).to.deep.equal([{ n: 1 }])
    const problem = await sluice.call('types.echo', { unit: 'week' }).catch((thrown: unknown) => thrown)
    expect(problem.errors.map((one: { parameter: string }) => one.parameter)).to.deep.equal(['project', 'unit'])
    const confined = createSluice({ url: server.url, token: async () => pinned })
    expect((await confined.call('types.echo', { unit: 'day' })).rows[0].project).to.equal('abc')
    const other = await confined.call('types.echo', { project: 'x', unit: 'day' }).catch((thrown: unknown) => thrown)
    expect([other.code, other.status]).to.deep.equal(['TOKEN_NOT_ALLOWED', 403])
  })
})
