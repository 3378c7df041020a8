/** Files and folders that cannot be written: each gives a message that names the setting, and no stack trace. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { SETTING } from '../../runner/platform/write-failure.js'
import { SETTINGS } from '../../runner/settings/settings.js'
import { command, scratch } from './command.js'

const FILE = 'a part of the path is a file, where a folder should be (ENOTDIR)'
const LINK = 'something else has this name: a file, or a link that leads nowhere (EEXIST)'

describe('a place that cannot be written', () => {
  const folder = scratch()
  const schema = [{ name: 'n', type: 'INTEGER' }]

  before(() => {
    mkdirSync(folder.path('tables'))
    writeFileSync(folder.path('tables', 'd.t.json'), JSON.stringify(schema))
    writeFileSync(folder.path('rows.ndjson'), '{"n": 1}\n{"n": "x"}\n')
    writeFileSync(folder.path('file'), '')
    symlinkSync(folder.path('nowhere'), folder.path('link'))
  })
  after(() => folder.remove())

  const token = ['token', 'create', '--name', 'a', '--allow', '*']
  const rows = (...more: readonly string[]) => ['d.t', folder.path('rows.ndjson'), ...more]
  const tables = ['--tables', folder.path('tables')]
  const at = folder.path

  const refusals: readonly { readonly argv: readonly string[]; readonly message: string }[] = [
    {
      argv: ['sample', '--data', at('file')],
      message: `cannot write sample entries into ${at('file/logs')}: ${FILE}; --data or SLUICE_DATA names another place`,
    },
    {
      argv: ['sample', '--data', at('link')],
      message: `cannot write sample entries into ${at('link/logs')}: ${LINK}; --data or SLUICE_DATA names another place`,
    },
    {
      argv: ['import', ...rows('--data', at('file/data')), ...tables],
      message: `cannot write the table's files into ${at('file/data/d/t')}: ${FILE}; --data or SLUICE_DATA names another place`,
    },
    {
      argv: ['import', ...rows('--data', at('data'), '--skip-bad', at('file/bad')), ...tables],
      message: `cannot write bad rows into ${at('file/bad')}: ${FILE}; --skip-bad names another place`,
    },
    {
      argv: [...token, '--tokens', at('file/tokens.json')],
      message: `cannot write the tokens file ${at('file/tokens.json')}: ${FILE}; --tokens or SLUICE_TOKENS names another place`,
    },
    {
      argv: [...token, '--data', at('link')],
      message: `cannot write the tokens file ${at('link/tokens.json')}: ${LINK}; --tokens or SLUICE_TOKENS names another place`,
    },
    {
      argv: [...token, '--tokens', at('tables')],
      message: `cannot read the tokens file ${at('tables')}: it is a folder (EISDIR); --tokens or SLUICE_TOKENS names another place`,
    },
    {
      argv: ['token', 'list', '--tokens', at('file/tokens.json')],
      message: `cannot read the tokens file ${at('file/tokens.json')}: ${FILE}; --tokens or SLUICE_TOKENS names another place`,
    },
    {
      argv: ['token', 'list', '--tokens', at('rows.ndjson')],
      message: `the tokens file ${at('rows.ndjson')} is not valid JSON`,
    },
  ]
  for (const { argv, message } of refusals) {
    it(message.replaceAll(`${at()}/`, ''), async () => {
      expect(await command(argv)).to.deep.equal({ code: 3, out: '', err: `sluice: ${message}\n` })
    })
  }

  it('may be the folder of temporary files, which TMPDIR names', async () => {
    const before = process.env['TMPDIR']
    try {
      for (const [path, reason] of [
        ['file', FILE],
        ['file/below', FILE],
        ['link', LINK],
      ] as const) {
        process.env['TMPDIR'] = at(path)
        const message = `cannot write the engine's temporary files into ${at(path)}: ${reason}; TMPDIR names another place`
        expect(await command(['query', 'SELECT 1'])).to.deep.equal({ code: 3, out: '', err: `sluice: ${message}\n` })
      }
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    }
  })

  it('gets no files, and an error at once below /proc', async function () {
    if (!existsSync('/proc/self')) this.skip()
    const { code, err } = await command(['sample', '--data', '/proc/sluice'])
    expect([code, err]).to.deep.equal([
      3,
      'sluice: cannot write sample entries into /proc/sluice/logs: there is no such file or folder (ENOENT); --data or SLUICE_DATA names another place\n',
    ])
    expect(readdirSync(at()).sort()).to.deep.equal(['data', 'file', 'link', 'rows.ndjson', 'tables'])
    expect(readFileSync(at('file'), 'utf8')).to.equal('')
  })

  it('does not matter for table schemas, which are only read: a file in place of their folder is a diagnostic', async () => {
    const told = `${at('file')}: cannot be read: it is not a folder [manifest/unreadable]\n`
    const wrong = ['--tables', at('file')]
    for (const argv of [['query', 'SELECT 1'], ['tables', 'ddl'], ['validate'], ['serve', '--data', at('tables')]]) {
      const { code, err } = await command([...argv, ...wrong])
      expect([code, err.split('\n')[0]], argv.join(' ')).to.deep.equal([1, told.trimEnd()])
    }
  })

  it('is reported with the names of the settings', () => {
    const named = Object.values(SETTING).filter(names => names.includes(' or '))
    expect(named).to.have.length(3)
    const known = SETTINGS.map(({ flag, variable }) => `${flag} or ${variable}`)
    expect(known).to.include.members(named)
  })
})
