/** Files that the engine may not or cannot read: authors and the log get the reason. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import type { SchemaField } from '../../../../googlesql/tables.js'
import { causeText } from '../../../../runner/model/cause-text.js'
import { createRunner } from '../../../../runner/serve/runner.js'
import { command } from '../../../cli/command.js'
import { itInAll } from '../../../sample-size.js'
import { settingsOf } from '../../../serve/folder-settings.js'
import { openRawEngine, type RawEngine, scratchFolder, source } from '../raw-engine.js'

const ROWS = 5_000
const COMPRESSIONS = ['snappy', 'zstd', 'gzip', 'lz4_raw', 'uncompressed']
const BAD_PAGES = 'SELECT COUNT(DISTINCT id) AS ids FROM logs.bad_pages'
const SHEET: readonly SchemaField[] = [
  { name: 'id', type: 'STRING' },
  { name: 'n', type: 'INTEGER' },
]
const LZ4_RAW = Buffer.from([0x15, 0x0e, 0x16])
/** The file with damaged pages: 2,000 bytes after the first four are overwritten; the footer stays intact. */
const damaged = (parquet: Buffer): Buffer =>
  Buffer.concat([parquet.subarray(0, 4), Buffer.alloc(2_000, 0xff), parquet.subarray(2_004)])

/** The file with 300 bytes overwritten at some places before its footer. */
function damagedEverywhere(whole: Buffer): readonly (readonly [name: string, bytes: Buffer])[] {
  const end = whole.length - 8 - whole.readUInt32LE(whole.length - 8)
  return [0, 0.2, 0.5, 0.8, 0.95].map(share => {
    const at = 4 + Math.floor(share * (end - 304))
    return [`at byte ${at}`, Buffer.from(whole).fill(0xff, at, at + 300)] as const
  })
}

describe('a data file that cannot be read', () => {
  const scratch = scratchFolder()
  const inside = (name: string): string => join(scratch.path, 'data/logs', name)
  const outside = (name: string): string => join(scratch.path, 'elsewhere', name)
  let raw: RawEngine

  before(async () => {
    for (const folder of ['data/logs', 'elsewhere/folder']) mkdirSync(join(scratch.path, folder), { recursive: true })
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const rows = `SELECT md5(i::VARCHAR) AS id, i AS n FROM range(${ROWS}) t(i)`
    await connection.run(`COPY (${rows}) TO '${outside('p.parquet')}' (FORMAT parquet)`)
    for (const compression of COMPRESSIONS) {
      const options = `FORMAT parquet, COMPRESSION ${compression}, ROW_GROUP_SIZE 2500`
      await connection.run(`COPY (${rows}) TO '${outside(`${compression}.parquet`)}' (${options})`)
    }
    instance.closeSync()
    writeFileSync(outside('j.ndjson'), '{"id":"a"}\n')
    writeFileSync(outside('c.csv'), 'id\na\n')
    writeFileSync(outside('folder/1.ndjson'), '{"id":"a"}\n')
    const links: readonly (readonly [link: string, target: string])[] = [
      ['linked_parquet.parquet', outside('p.parquet')],
      ['unknown.parquet', outside('p.parquet')],
      ['linked_json.ndjson', outside('j.ndjson')],
      ['linked_csv.csv', outside('c.csv')],
      ['linked_folder', outside('folder')],
      ['linked_here.ndjson', inside('own.ndjson')],
    ]
    for (const [link, target] of links) symlinkSync(target, inside(link))
    writeFileSync(inside('own.ndjson'), '{"id":"a","n":1}\n')
    writeFileSync(inside('mixed_ends.csv'), 'id,n\r\na,1\nb,2\r\n')
    writeFileSync(inside('mixed_head.csv'), 'id,n\na,1\r\n')
    writeFileSync(inside('long.csv'), `id,n\na,1,${'r'.repeat(100_000)}\n`)
    writeFileSync(inside('bad_pages.parquet'), damaged(readFileSync(outside('p.parquet'))))
    const names = [...links.map(([link]) => link), 'mixed_ends', 'mixed_head', 'long', 'bad_pages', 'own']
      .map(name => name.replace(/\..*/, ''))
      .filter(name => name !== 'unknown')
      .concat(COMPRESSIONS.map(compression => `in_${compression}`))
    raw = await openRawEngine({
      dataDir: join(scratch.path, 'data'),
      tables: names.map(name => source(`logs.${name}`, SHEET)),
    })
  })
  after(async () => {
    await raw.engine.close()
    scratch.remove()
  })

  const rows = (table: string) =>
    raw.rows({
      sql: `SELECT id, n FROM "logs.${table}"`,
      columns: [
        { name: 'id', type: { kind: 'STRING' } },
        { name: 'n', type: { kind: 'INT64' } },
      ],
      tables: [`logs.${table}`],
    })
  const failureOf = async (table: string): Promise<Error> => {
    const thrown = await rows(table).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(Error)
    return thrown as Error
  }

  for (const table of ['linked_parquet', 'linked_json', 'linked_csv', 'linked_folder']) {
    it(`since a link leads out of the data folder, as ${table}, is reported with that reason`, async () => {
      expect((await failureOf(table)).cause)
        .to.have.property('message')
        .that.matches(/logs\/linked_\w+[./].*: it is a link, or is in a folder that is one, which leads out/)
    })
  }

  it('is reported where it is the only file of a table without a schema', async () => {
    const { err } = await command(['query', 'SELECT id FROM logs.unknown', '--data', join(scratch.path, 'data')])
    expect(err).to.match(/its data file \S+ is not used, since it is a link/)
  })

  it('does not include a file that a link inside its dataset points to', async () => {
    expect(await rows('linked_here')).to.deep.equal([['a', 1]])
  })

  it('does not include one whose lines end in different ways', async () => {
    expect(await rows('mixed_ends')).to.deep.equal([
      ['a', 1],
      ['b', 2],
    ])
    expect(await rows('mixed_head')).to.deep.equal([['a', 1]])
  })

  it('since a row is bad is reported without the whole row', async () => {
    const text = causeText(await failureOf('long'))
    expect(text).to.match(/long\.csv:2:1: found 3 cells, expected 2, as the header has$/)
    expect(text.length).to.be.below(5_000)
  })

  it('since the pages of a Parquet file are damaged is named, with that reason', async () => {
    const failure = await failureOf('bad_pages')
    expect(failure.message).to.equal('The query failed')
    expect(failure.cause)
      .to.have.property('message')
      .that.matches(/bad_pages\.parquet: it cannot be decoded as Parquet: /)
    expect(causeText(failure)).to.match(/caused by: Invalid (?:Input )?Error: /)
  })

  for (const compression of COMPRESSIONS) {
    it(`as Parquet of ${compression}, damaged at any place, is named with that reason, or read whole`, async () => {
      const whole = readFileSync(outside(`${compression}.parquet`))
      for (const [name, bytes] of damagedEverywhere(whole)) {
        writeFileSync(inside(`in_${compression}.parquet`), bytes)
        const outcome = await rows(`in_${compression}`).then(
          all => all.length,
          (error: Error) => (error.cause as Error).message,
        )
        const isNamed = new RegExp(`in_${compression}\\.parquet: it cannot be (?:decoded|read) as Parquet`)
        if (outcome !== ROWS) expect(outcome, name).to.match(isNamed)
      }
    })
  }

  it('since its pages are damaged is named by `tables infer`', async () => {
    const path = inside('bad_pages.parquet')
    const { code, err } = await command(['tables', 'infer', 'shop.bad', path])
    expect(code).to.equal(1)
    expect(err.replace(path, 'FILE')).to.match(/^sluice: FILE: it cannot be read as Parquet: \w[^\n]*\n$/)
  })

  it('since its codec is not known is named by its own path, with the codec', async () => {
    const bytes = Buffer.from(readFileSync(outside('lz4_raw.parquet')))
    // In the metadata of a column: an integer, LZ4_RAW in zigzag, then the number of values. LZO is 3.
    for (let at = bytes.indexOf(LZ4_RAW); at >= 0; at = bytes.indexOf(LZ4_RAW)) bytes[at + 1] = 6
    writeFileSync(inside('codec.parquet'), bytes)
    const codec = 'it cannot be read as Parquet: its column id has the codec LZO; write the file with ZSTD, for example'
    const data = ['--data', join(scratch.path, 'data')]
    const { err } = await command(['query', 'SELECT id FROM logs.codec', ...data])
    expect(err).to.include(`its data file ${inside('codec.parquet')} is not used, since ${codec}`)
    expect((await command(['tables', 'list', ...data])).err).to.include(`codec.parquet is not used, since ${codec}`)
    const inferred = await command(['tables', 'infer', 'shop.codec', inside('codec.parquet')])
    expect(inferred.err).to.include(`sluice: ${inside('codec.parquet')}: ${codec}`)
  })

  it('since it is no Parquet is reported with the reason, without the path of the engine', async () => {
    writeFileSync(inside('text.parquet'), 'a text of more than twelve bytes')
    const { err } = await command(['query', 'SELECT id FROM logs.text', '--data', join(scratch.path, 'data')])
    expect(err).to.include(
      `Table not found: logs.text; its data file ${inside('text.parquet')} is not used, since it cannot be read as Parquet: No magic bytes found at end of file at [1:16]`,
    )
  })

  it('since its folder has the ending of a file and is empty does not keep the engine from opening', async () => {
    mkdirSync(inside('empty.parquet'))
    const ask = (sql: string) => command(['query', sql, '--data', join(scratch.path, 'data')])
    expect((await ask('SELECT 1 AS a')).code).to.equal(0)
    expect((await ask('SELECT * FROM logs.empty')).err).to.include(
      'Table not found: logs.empty; there is no file for it',
    )
  })

  itInAll('since its pages are damaged is reported by `query` and `call`, and by `serve --dev`', async () => {
    const manifests = join(scratch.path, 'endpoints')
    mkdirSync(manifests)
    const manifest = `id: 00000000-0000-4000-8000-00000000000f\nname: bad\nsql: |\n  ${BAD_PAGES}\n`
    writeFileSync(join(manifests, 'bad.yaml'), manifest)
    const data = ['--data', join(scratch.path, 'data')]
    const reason =
      /bad_pages\.parquet: it cannot be decoded as Parquet: |A Parquet file of a table that the query reads/
    const asked = await command(['query', BAD_PAGES, ...data])
    expect(asked.err).to.match(reason).and.not.include('/open/')
    expect((await command(['call', 'bad', '--endpoints', manifests, ...data])).err).to.match(reason)
    const runner = await createRunner({ ...settingsOf(scratch.path), dev: true })
    const server = await runner.listen()
    const token = { 'X-API-KEY': 'unrestricted-token-of-32-letters' }
    const response = await fetch(`${server.url}/api/endpoints/query/bad`, { headers: token })
    expect(await response.text()).to.match(reason)
    await server.close()
    await runner.close()
  })
})
