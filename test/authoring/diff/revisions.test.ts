/** `sluice diff` between git revisions, the working tree and folders: what is compared, printed, and told by the exit code. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, scratch } from '../../cli/command.js'
import { until } from '../../until.js'

const manifest = (name: string, columns = 'id, kind', more = ''): string => `id: 5b1c1d52-8a0e-4a58-9b0c-${idOf(name)}
name: ${name}
description: Events.
${more}sql: |
  SELECT ${columns} FROM \`app.events\` WHERE day <= @now
`
const idOf = (name: string): string => Buffer.from(name.padEnd(6, '_')).toString('hex').slice(0, 12)
const SCHEMA = JSON.stringify([
  { name: 'id', type: 'INT64' },
  { name: 'kind', type: 'STRING' },
  { name: 'day', type: 'TIMESTAMP' },
])

describe('sluice diff', function () {
  this.timeout(120_000)
  const folder = scratch()
  const at = folder.path

  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', at('repo'), '-c', 'user.name=t', '-c', 'user.email=t@t.t', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  function write(file: string, text: string): void {
    mkdirSync(dirname(at(file)), { recursive: true })
    writeFileSync(at(file), text)
  }
  function commit(branch: string): void {
    git('add', '-A')
    git('commit', '-qm', branch, '--allow-empty')
    git('branch', '-f', branch)
  }
  const inRepo = ['--endpoints', at('repo/api/endpoints'), '--tables', at('repo/api/tables'), '--engine-memory', '256']
  // A hook of another repository runs it.
  const environment = { PATH: process.env['PATH']!, GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index' }
  const diff = (...args: readonly string[]) => command(['diff', ...args, ...inRepo], environment)
  const changes = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { out } = await diff(...args, '--format', 'json')
    return JSON.parse(out).changes.map((one: { endpoint: string; kind: string }) => `${one.endpoint} ${one.kind}`)
  }
  const folders = (): readonly string[] => readdirSync(tmpdir()).filter(name => name.startsWith('sluice-diff-'))
  const older = new Set(folders())

  before(() => {
    mkdirSync(at('repo'))
    git('init', '-q', '-b', 'trunk')
    commit('empty')
    write('repo/api/tables/app.events.json', SCHEMA)
    write('repo/api/endpoints/a.yaml', manifest('a'))
    write('repo/api/endpoints/b.yaml', manifest('b'))
    write('repo/api/endpoints/odd name ü.yaml', manifest('c'))
    write('repo/api/endpoints/.hidden.yaml', 'not: a manifest')
    symlinkSync('../tables/../endpoints/c.real', at('repo/api/endpoints/linked.yaml'))
    write('repo/api/endpoints/c.real', manifest('linked'))
    symlinkSync('../../shared/outer', at('repo/api/endpoints/outer.yaml'))
    write('repo/shared/outer', manifest('outer'))
    commit('first')
    rmSync(at('repo/api/endpoints/b.yaml'))
    write('repo/api/endpoints/a.yaml', manifest('a', 'id'))
    commit('second')
    write('repo/api/endpoints/a.yaml', manifest('a', 'id, kind, day'))
    write('repo/api/endpoints/d.yaml', manifest('d'))
  })
  // Tests beside this one may have some for a while.
  afterEach(() => until(() => folders().every(name => older.has(name)), 'no folder is left'))
  after(() => folder.remove())

  it('compares a revision with the working tree', async () => {
    expect(await changes('second')).to.deep.equal([
      'a sql/changed',
      'a column/added',
      'a column/added',
      'd endpoint/added',
    ])
    expect((await diff('second')).code).to.equal(0)
  })

  it('compares two revisions, and is 1 where a change breaks callers', async () => {
    expect(await changes('first', 'second')).to.deep.equal(['a column/removed', 'a sql/changed', 'b endpoint/removed'])
    expect((await diff('first', 'second')).code).to.equal(1)
    expect((await diff('first', 'second', '--allow-breaking')).code).to.equal(0)
    expect(await changes('second', 'first')).to.deep.equal(['a sql/changed', 'a column/added', 'b endpoint/added'])
    expect(await changes('first~0', git('rev-parse', 'first').trim())).to.deep.equal([])
  })

  it('prints text for people', async () => {
    const { out, err } = await diff('first', 'second')
    expect(err).to.equal('')
    expect(out).to.equal(`a
  breaking    the column kind (STRING) is gone [column/removed]
  to look at  the SQL changed in the only variant [sql/changed]
      - SELECT id,
      -   kind
      + SELECT id
        FROM \`app.events\`
        WHERE day <= @now

b
  breaking    the endpoint is gone [endpoint/removed]

2 breaking, 1 to look at: 3 changes in 2 endpoints
`)
    expect((await diff('first', 'first')).out).to.equal('no changes\n')
  })

  it('takes a revision without endpoints for an empty folder', async () => {
    expect(await changes('empty', 'first')).to.deep.equal(
      ['a', 'b', 'c', 'linked', 'outer'].map(name => `${name} endpoint/added`),
    )
  })

  it('says a changed schema where it changes columns', async () => {
    git('stash', '-u', '-q')
    write('repo/api/tables/app.events.json', SCHEMA.replace('INT64', 'STRING'))
    const retyped = ['a', 'c', 'linked', 'outer'].map(name => `${name} column/retyped`)
    expect(await changes('second')).to.deep.equal(retyped)
    git('checkout', '-q', '.')
    git('stash', 'pop', '-q')
  })

  it('compares folders: checkouts, and folders of endpoints with their schemas beside them', async () => {
    write('old/endpoints/a.yaml', manifest('a'))
    write('old/schemas/tables/app.events.json', SCHEMA)
    write('new/endpoints/deep/a.yaml', manifest('a', 'kind, id'))
    write('new/schemas/tables/app.events.json', SCHEMA)
    const run = (...args: readonly string[]) => command(['diff', ...args, '--engine-memory', '256', '--format', 'json'])
    for (const below of ['', 'endpoints']) {
      const { code, out } = await run(at('old', below), at('new', below))
      expect(JSON.parse(out).changes.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
        'column/moved',
        'sql/changed',
      ])
      expect(code).to.equal(0)
    }
    mkdirSync(at('none'))
    const { out } = await run(at('old/endpoints'), at('new/endpoints'), '--tables', at('none'))
    expect(JSON.parse(out).diagnostics.map(({ rule }: { rule: string }) => rule)).to.deep.equal([
      'sql/error',
      'sql/error',
    ])
  })

  it('is 2 for an unknown revision, and for a word that means two things', async () => {
    const unknown = await diff('nowhere')
    expect(unknown).to.deep.equal({ code: 2, out: '', err: 'sluice: there is no revision and no folder "nowhere"\n' })
    for (const word of ['--output=x', 'trunk^{tree}', 'trunk:api', '']) {
      expect((await diff('--', word)).code, word).to.equal(2)
    }
    git('branch', '-f', 'docs')
    const both = await diff('docs')
    expect(both.code).to.equal(2)
    expect(both.err).to.equal('sluice: "docs" is a folder and a revision: write ./docs for the folder\n')
    git('branch', '-D', 'docs')
  })

  it('is 2 outside a repository, with the reason; and where a clone is shallow', async () => {
    write('bare/endpoints/a.yaml', manifest('a'))
    const outside = await command(['diff', 'main', '--endpoints', at('bare/endpoints')], environment)
    expect(outside.code).to.equal(2)
    expect(outside.err).to.match(/no revision and no folder "main"; .*bare\/endpoints is in no git repository\n$/)
    execFileSync('git', ['clone', '-q', '--depth=1', `file://${at('repo')}`, at('shallow')], { stdio: 'ignore' })
    const shallow = await command(['diff', 'first', '--endpoints', at('shallow/api/endpoints')], environment)
    expect(shallow.code).to.equal(2)
    expect(shallow.err).to.contain('this clone is shallow: git fetch --unshallow')
  })

  it('tells what is broken in the new revision, and is 1; the endpoint is not taken for removed', async () => {
    write('repo/api/endpoints/a.yaml', manifest('a', 'idd'))
    const { code, out, err } = await diff('second')
    expect(code).to.equal(1)
    expect(err).to.contain('api/endpoints/a.yaml:5:10: Unrecognized name: idd; Did you mean id?')
    expect(out).to.equal(
      'd\n  safe        the endpoint is new [endpoint/added]\n\n1 safe: 1 change in 1 endpoint; 1 error: manifests with errors are not compared\n',
    )
  })

  it('tells what is broken in the old revision by its place there, and is 3', async () => {
    commit('broken')
    renameSync(at('repo/api/endpoints/a.yaml'), at('repo/api/endpoints/moved.yaml'))
    write('repo/api/endpoints/moved.yaml', manifest('a'))
    const { code, out, err } = await diff('broken')
    expect(code).to.equal(3)
    expect(err).to.match(/^broken:.*\/repo\/api\/endpoints\/a\.yaml:5:10: Unrecognized name: idd; Did you mean id\?/)
    expect(out).to.equal('no changes; 1 error: manifests with errors are not compared\n')
    const { out: json } = await diff('broken', '--format', 'json')
    expect(JSON.parse(json)).to.deep.include({ breaking: false, changes: [] })
  })

  it('tells mistakes in table schemas, of either side', async () => {
    write('repo/api/tables/app.events.json', '[{ "name": "id", "type": "WORD" }]')
    const head = await diff('first', '--format', 'json')
    expect(head.code).to.equal(1)
    expect(JSON.parse(head.out).diagnostics[0]).to.deep.include({ rule: 'table/unknown-type', line: 1 })
    commit('odd')
    git('checkout', '-q', 'first', '--', 'api/tables')
    const base = await diff('odd', '--format', 'json')
    expect(base.code).to.equal(3)
    expect(JSON.parse(base.out).diagnostics[0].file).to.match(/^odd:.*api\/tables\/app\.events\.json$/)
  })
})
