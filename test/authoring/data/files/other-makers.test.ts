/**
 * Files that programs of other makers write, each put into the data folder, inferred, queried in place, and imported: every cell is what
 * was written, or the file is refused by its name. At the end it prints what was read and what was refused.
 */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { scratchFolder } from '../../../engines/duckdb/raw-engine.js'
import { need, PYTHON, whyPending } from '../../../installed/installed.js'
import { isColumnOf, isSame, type Written } from './cells.js'
import { type MadeTable, type Reading, type Readings, readThreeWays } from './three-ways.js'

const NEEDED = ['the Python packages', 'soffice', 'jq']
const SEED = process.env['SLUICE_TEST_FILES_SEED'] ?? '926694'

interface OtherTable extends MadeTable {
  readonly maker: string
  readonly what: string
  /** The keys in the files. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Written[])[]
  /** A part of the message, where the files may be refused; without rows they must be. */
  readonly refused: string | null
}

/** Why what was read is not what was written; null where every cell is. */
function difference({ columns, rows, refused }: OtherTable, reading: Reading, inferred: string): string | null {
  if ('refused' in reading)
    return refused !== null && reading.refused.includes(refused) ? null : `refused: ${reading.refused.trim()}`
  // Digits that are cut, and durations that are numbers, are in doubt.
  if (refused !== null && rows.length === 0 && inferred.includes('\ndoubt: v ')) return null
  if (refused !== null && rows.length === 0) return `read, and should be refused: ${JSON.stringify(reading.rows[0])}`
  const at = columns.map(key => reading.columns.findIndex(({ name }) => isColumnOf(key, name)))
  const missing = columns.filter((_, i) => at[i]! < 0)
  const names = reading.columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  if (missing.length > 0) return `no column for ${missing.join(', ')} in ${names}`
  if (reading.columns.length > columns.length) return `more columns than keys: ${names}`
  if (reading.rows.length !== rows.length) return `${reading.rows.length} rows of ${rows.length}`
  for (const [row, values] of rows.entries()) {
    for (const [i, value] of values.entries()) {
      const found = reading.rows[row]![at[i]!]
      if (!isSame(value, found))
        return `row ${row + 1}, ${columns[i]} (${reading.columns[at[i]!]!.type}): wrote ${JSON.stringify(value)}, read ${JSON.stringify(found)}`
    }
  }
  return null
}

describe(`Files by programs of other makers, seed ${SEED}${whyPending(...NEEDED)}`, () => {
  const scratch = scratchFolder()
  let tables: readonly OtherTable[] = []
  let readings: readonly Readings[] = []

  before(async function () {
    need(this, ...NEEDED)
    this.timeout(0)
    const script = 'test/authoring/data/files/other_makers.py'
    const printed = execFileSync(PYTHON, [script, `${scratch.path}/data/in`, SEED], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    tables = printed
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as OtherTable)
    readings = await readThreeWays(scratch.path, tables)
  })
  after(() => scratch.remove())

  it('there are 200 files and more', () => {
    expect(tables.length).to.be.at.least(200)
  })

  for (const way of ['inPlace', 'imported'] as const) {
    it(`every cell is what was written, or the file is refused by name: ${way === 'inPlace' ? 'in place' : 'imported'}`, () => {
      const differences = tables.flatMap((table, i) => {
        const reason = difference(table, readings[i]![way], readings[i]!.inferred)
        return reason === null ? [] : [`${table.maker}: ${table.what} (${table.table}): ${reason}`]
      })
      expect(differences.length, differences.join('\n')).to.equal(0)
    })
  }

  after(() => {
    for (const maker of new Set(tables.map(table => table.maker))) {
      const own = tables.flatMap((table, i) =>
        table.maker === maker ? [{ table, reading: readings[i]!.inPlace }] : [],
      )
      const refused = own.filter(({ reading }) => 'refused' in reading)
      console.log(`      ${maker}: ${own.length - refused.length} read, ${refused.length} refused`)
      for (const { table, reading } of refused)
        console.log(`        ${table.what}: ${'refused' in reading && reading.refused.trim().split('\n', 1)[0]}`)
    }
  })
})
