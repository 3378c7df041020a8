/** Workbooks: what a cell becomes, what none can hold, and what openpyxl reads of hostile texts. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { read, utils } from '@e965/xlsx'
import { expect } from 'chai'
import { Deriver } from '../../runner/formats/deriver.js'
import type { ResultFacts } from '../../runner/formats/format.js'
import { derive } from '../../runner/formats/index.js'
import { MAX_CELLS, MAX_TEXT } from '../../runner/formats/xlsx-writer.js'
import type { ResultColumn } from '../../runner/model/query.js'
import { systemClock } from '../../runner/platform/clock.js'
import { command } from '../cli/command.js'
import { need, PYTHON, whyPending } from '../installed/installed.js'
import { itInAll } from '../sample-size.js'

const FACTS: ResultFacts = { endpoint: 'logs.all', revision: 'r1', isTruncated: false }

const xlsxOf = (columns: readonly ResultColumn[], rows: readonly string[], facts: Partial<ResultFacts> = {}) =>
  derive('xlsx', columns, Buffer.from(`{"result":[${rows.join()}]}`), { ...FACTS, ...facts })

async function sheetOf(...args: Parameters<typeof xlsxOf>) {
  const { Sheets, SheetNames } = read(await xlsxOf(...args), { cellNF: true })
  return { name: SheetNames[0]!, names: SheetNames, sheet: Sheets[SheetNames[0]!]! }
}

/** What a value becomes: a number as Excel shows it, or a text. */
const CELLS: readonly (readonly [type: string, json: string, kind: 'n' | 's' | 'b', shown: string])[] = [
  ['INT64', '-5', 'n', '-5'],
  ['INT64', '9007199254740992', 'n', '9007199254740992'],
  ['INT64', '"9007199254740993"', 's', '9007199254740993'],
  ['INT64', '"-9223372036854775808"', 's', '-9223372036854775808'],
  ['NUMERIC', '"1234.5678"', 'n', '1234.5678'],
  ['NUMERIC', '"0.000000001"', 'n', '0.000000001'],
  ['NUMERIC', '"1234567890.1234567"', 's', '1234567890.1234567'],
  ['BIGNUMERIC', '"-0.12345678901234567890"', 's', '-0.12345678901234567890'],
  ['FLOAT64', '1e-7', 'n', '0.0000001'],
  ['FLOAT64', '"NaN"', 's', 'NaN'],
  ['FLOAT64', '"-Infinity"', 's', '-Infinity'],
  ['BOOL', 'true', 'b', 'TRUE'],
  ['DATE', '"2026-01-31"', 'n', '2026-01-31'],
  ['DATE', '"1900-03-01"', 'n', '1900-03-01'],
  ['DATE', '"1900-02-28"', 's', '1900-02-28'],
  ['DATE', '"9999-12-31"', 'n', '9999-12-31'],
  ['TIME', '"12:34:56"', 'n', '12:34:56'],
  ['DATETIME', '"2026-01-31T12:34:56"', 'n', '2026-01-31 12:34:56'],
  ['TIMESTAMP', '"2026-01-31T12:34:56Z"', 'n', '2026-01-31 12:34:56'],
  ['TIMESTAMP', '"2100-01-01T00:00:00.000002Z"', 's', '2100-01-01T00:00:00.000002Z'],
  ['TIMESTAMP', '1769862896000000', 'n', '2026-01-31 12:34:56'],
  ['STRING', '"=1+1"', 's', '=1+1'],
  ['STRING', '"0012"', 's', '0012'],
  ['BYTES', '"+/8="', 's', '+/8='],
  ['JSON', '{"n":1.10}', 's', '{"n":1.10}'],
  ['INTERVAL', '"1-2 3 4:5:6"', 's', '1-2 3 4:5:6'],
  ['RANGE<DATE>', '"[2026-01-01, UNBOUNDED)"', 's', '[2026-01-01, UNBOUNDED)'],
  ['ARRAY<INT64>', '[1,2]', 's', '[1,2]'],
  ['STRUCT<a INT64>', '{"a":1}', 's', '{"a":1}'],
]

/** Texts that spreadsheets run, XML lacks, or the file format reads as something else. */
const HOSTILE = [
  ...[
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1+1',
    '=HYPERLINK("http://x.example","y")',
    "'quoted",
    '0012',
    '1e5',
    '2026-01-31',
  ],
  ...[
    'a\u0000b\u0001\u001f',
    'line\r\nfeed\ttab\n',
    '\ufffe\uffff',
    '_x0041_',
    '_x005F_x0041_',
    '_x000D_',
    '  blanks  ',
    ' ',
    '',
  ],
  ...['<b>&amp;</b>]]>', '\u{1f600}é', '\u2028\u0085', 'x'.repeat(MAX_TEXT)],
]

describe('a workbook', () => {
  for (const [type, json, kind, shown] of CELLS) {
    it(`has ${json} of ${type} as ${{ n: 'a number', s: 'a text', b: 'a truth value' }[kind]}`, async () => {
      const { sheet } = await sheetOf([{ name: 'c', type }], [`{"c":${json}}`])
      expect([sheet['A2'].t, sheet['A2'].w]).to.deep.equal([kind, shown])
      expect(sheet['A2'].f).to.equal(undefined)
    })
  }

  it('has no cell for NULL, names of columns above, and more than 26 of them', async () => {
    const columns = Array.from({ length: 30 }, (_, i) => ({ name: `=c${i}`, type: 'INT64' }))
    const row = columns.map(({ name }, i) => `"${name}":${i % 2 === 0 ? 'null' : i}`)
    const { sheet } = await sheetOf(columns, [`{${row.join()}}`])
    expect(utils.sheet_to_json(sheet)[0]).to.deep.equal(
      Object.fromEntries(columns.flatMap(({ name }, i) => (i % 2 === 0 ? [] : [[name, i]]))),
    )
    expect([sheet['AD1'].t, sheet['AD1'].v, sheet['AD2'].v]).to.deep.equal(['s', '=c29', 29])
  })

  it('says in the name of its sheet that the result was cut, and can be empty', async () => {
    const columns = [{ name: 'c', type: 'INT64' }]
    expect((await sheetOf(columns, [])).names).to.deep.equal(['result'])
    expect((await sheetOf(columns, ['{"c":1}'], { isTruncated: true })).names).to.deep.equal(['result (cut)'])
  })

  it('has the same bytes whenever it is written', async () => {
    const write = () => xlsxOf([{ name: 'c', type: 'STRING' }], ['{"c":"x"}'])
    const first = await write()
    await new Promise(done => setTimeout(done, 2_100)) // The times in a zip file are of two seconds.
    expect(Buffer.from(await write()).equals(Buffer.from(first))).to.equal(true)
  })

  itInAll('is refused by name above a million cells, and above the length of a cell', async function () {
    this.timeout(60_000)
    const deriver = new Deriver(systemClock())
    try {
      const two = ['a', 'b'].map(name => ({ name, type: 'INT64' }))
      const rows = Array<string>(MAX_CELLS / 2).fill('{"a":1,"b":2}')
      const many = (more: readonly string[]) =>
        deriver.derive(
          { caller: 'a', endpoint: 'e' },
          'xlsx',
          two,
          Buffer.from(`{"result":[${[...rows, ...more].join()}]}`),
          FACTS,
        )
      expect((await many([])).byteLength).to.be.greaterThan(1_000_000)
      const refused = async (promise: Promise<unknown>): Promise<object> =>
        promise.then(
          () => ({}),
          error => error,
        )
      expect(await refused(many(['{"a":1,"b":2}']))).to.include({
        code: 'RESULT_TOO_LARGE',
        detail:
          'A workbook (xlsx) has at most 1,000,000 cells, and this result has more. Ask for csv or parquet, or for fewer rows.',
      })
      const text = Buffer.from(`{"result":[{"c":"${'x'.repeat(MAX_TEXT + 1)}"}]}`)
      expect(
        await refused(
          deriver.derive({ caller: 'a', endpoint: 'e' }, 'xlsx', [{ name: 'c', type: 'STRING' }], text, FACTS),
        ),
      ).to.include({
        code: 'RESULT_TOO_LARGE',
        detail:
          'A cell of a workbook (xlsx) has at most 32,767 characters, and a text of this result has more. Ask for csv or parquet.',
      })
      const bounded = deriver.derive({ caller: 'a', endpoint: 'e' }, 'xlsx', two, Buffer.from('{"result":[]}'), {
        ...FACTS,
        maxBytes: 100,
      })
      expect(await refused(bounded)).to.include({ code: 'RESULT_TOO_LARGE' })
    } finally {
      deriver.close()
    }
  })

  it('is refused by the command line in the same words', async () => {
    const sql = `SELECT REPEAT('x', ${MAX_TEXT + 1}) AS text`
    const { code, err } = await command(['query', sql, '--format', 'xlsx', '--data', tmpdir()])
    expect(code).to.equal(1)
    expect(err).to.contain('A cell of a workbook (xlsx) has at most 32,767 characters')
  })
})

const READ = `
import json, re, sys, warnings
import openpyxl
warnings.simplefilter('error')
sheet = openpyxl.load_workbook(sys.argv[1]).active
# The file writes a character that XML lacks as _x0001_, which Excel reads and openpyxl does not.
plain = lambda text: re.sub('_x([0-9A-F]{4})_', lambda found: chr(int(found[1], 16)), text)
print(json.dumps([[cell.data_type, cell.number_format, plain(cell.value or '')] for cell in sheet['A']]))
`

describe(`a workbook in openpyxl${whyPending('the Python packages')}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has hostile texts as texts, to the letter', async function () {
    this.timeout(60_000)
    need(this, 'the Python packages')
    const file = join(folder, 'hostile.xlsx')
    const rows = HOSTILE.map(text => JSON.stringify({ '=head': text }))
    writeFileSync(file, await xlsxOf([{ name: '=head', type: 'STRING' }], rows))
    const cells = JSON.parse(execFileSync(PYTHON, ['-c', READ, file], { encoding: 'utf8' })) as [
      string,
      string,
      string,
    ][]
    expect(cells.map(([, , text]) => text)).to.deep.equal(['=head', ...HOSTILE])
    expect(new Set(cells.filter(([, , text]) => text !== '').map(([kind]) => kind))).to.deep.equal(new Set(['s']))
    expect(new Set(cells.map(([, format]) => format))).to.deep.equal(new Set(['@']))
  })
})
