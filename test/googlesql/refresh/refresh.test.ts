/** The proof that a query is kept: what it finds, what it refuses, and the boundaries between cells. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import {
  boundaryAfter,
  boundaryBefore,
  bucketBoundary,
  bucketMicros,
  closedWindow,
  datetimeText,
  firstTime,
  justBefore,
  type KeptQuery,
  keptQuery,
  lastTime,
  type NotKept,
  parseTypeName,
  resolveQuery,
  type Type,
  timeValue,
} from '../../../googlesql/index.js'
import { askedOf, CASES, type KeptCase, keptOf, NOW, type RefusedCase, resolved, TABLES, typesOf } from './cases.js'

const REFUSED = CASES.refused
const BOUNDARIES = parse(readFileSync('test/cases/refresh/boundaries.yaml', 'utf8')) as readonly {
  readonly cells: string
  readonly t: string
  readonly before: string | null
  readonly after: string | null
}[]

describe('a kept query', () => {
  for (const one of CASES.kept) {
    it(one.says, () => {
      const kept = keptOf(one)
      expect(found(kept)).to.deep.equal(expected(one))
      const window = closedWindow(kept, name => (name === 'now' ? NOW : one.parameters?.[name]?.value))
      expect(window && [shown(window.from), shown(window.until)]).to.deep.equal(one.window ?? null)
    })

    it(`${one.says}: its texts are queries with the same columns`, () => {
      const kept = keptOf(one)
      const type = parseTypeName(kept.timeType)!
      const types: Readonly<Record<string, Type>> = { ...typesOf(one), _from: type, _until: type }
      const names = resolved(one).columns.map(({ name }) => name)
      for (const text of [kept.narrowed, kept.narrowedWithNulls]) {
        expect(resolveQuery(text, TABLES, types).columns.map(({ name }) => name)).to.deep.equal(names)
      }
      expect(kept.narrowed === kept.narrowedWithNulls).to.equal(!kept.hasNulls)
    })
  }

  it('reads the whole table at the place of the table alone', () => {
    const of = (sql: string): KeptQuery => keptOf({ sql })
    expect(of('SELECT day, COUNT(*) FROM `logs`.hits GROUP BY day').narrowed).to.equal(
      'SELECT day, COUNT(*) FROM (SELECT * FROM `logs`.hits WHERE `day` >= @_from AND `day` <= @_until) AS `hits` GROUP BY day',
    )
    expect(of('SELECT h.day, COUNT(*) FROM logs.hits h, h.tags GROUP BY day').narrowedWithNulls).to.equal(
      'SELECT h.day, COUNT(*) FROM (SELECT * FROM logs.hits WHERE (`day` >= @_from AND `day` <= @_until) OR `day` IS NULL) h, h.tags GROUP BY day',
    )
  })

  it('is plain data', () => {
    const kept = keptOf(CASES.kept[2]!)
    expect(JSON.parse(JSON.stringify(kept))).to.deep.equal(kept)
  })
})

describe('a query that is not kept', () => {
  for (const one of REFUSED) {
    it(one.sql, () => {
      const result = tried(one)
      expect(result).to.have.property('reason').that.includes(one.reason)
      const { at } = result as NotKept
      expect(one.sql.slice(at)).to.match(new RegExp(`^${one.at.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`))
    })
  }
})

describe('a part of a query', () => {
  for (const one of CASES.split) {
    it(`${one.lower === undefined ? 'is not kept' : 'is kept'}: ${one.sql}`, () => {
      const kept = keptQuery(one.sql, resolved(one), askedOf(one))
      if (one.lower === undefined || 'reason' in kept) {
        expect(kept).to.have.property('reason')
        expect(one.lower).to.equal(undefined)
        return
      }
      expect(kept.lower.trim()).to.equal(one.lower)
      expect(kept.upper?.sql.replace(/SELECT _kept\.c0 AS.*? GROUP BY _kept\.c\d(?:, _kept\.c\d)*/, '@_rows')).to.equal(
        one.upper,
      )
      expect([...kept.boundParameters].sort()).to.deep.equal(one.bound ?? [])
    })
  }
})

describe('the boundaries of cells', () => {
  for (const { cells, t, before, after } of BOUNDARIES) {
    it(`${cells} around ${t}`, () => {
      const kept = ofCells(cells)
      const at = micros(t)
      expect([shown(boundaryBefore(kept, at)), shown(boundaryAfter(kept, at))]).to.deep.equal([before, after])
    })
  }

  it('are found again from themselves and from the microseconds beside them', () => {
    for (const cells of ['HOUR Europe/Berlin', 'DAY America/New_York', 'WEEK_SUNDAY Pacific/Apia', 'MONTH Asia/Gaza']) {
      const kept = ofCells(cells)
      const end = micros(cells.startsWith('HOUR') ? '2026-04-05T00:00:00' : '2028-01-01T00:00:00')
      let at: bigint = boundaryAfter(kept, micros('2026-03-15T00:00:00'))!
      while (at < end) {
        const next: bigint = boundaryAfter(kept, at + 1n)!
        expect(boundaryBefore(kept, at), cells).to.equal(at)
        expect(boundaryAfter(kept, at), cells).to.equal(at)
        expect(boundaryBefore(kept, next - 1n), cells).to.equal(at)
        at = next
      }
    }
  })
})

describe('the times of a kept query', () => {
  const bySql = (column: string, key: string): KeptQuery =>
    keptOf({ sql: `SELECT ${key} AS bucket, COUNT(*) FROM logs.hits WHERE ${column} IS NOT NULL GROUP BY bucket` })
  const hours = bySql('ts', 'TIMESTAMP_TRUNC(ts, HOUR)')
  const days = bySql('ts', "DATE(ts, 'Europe/Berlin')")
  const dates = bySql('day', 'day')
  const weeks = bySql('dt', 'DATETIME_TRUNC(dt, WEEK)')

  it('are texts of the type of the column', () => {
    const at = micros('2026-03-15T00:00:00')
    expect([hours, days, dates, weeks].map(kept => timeValue(kept, at))).to.deep.equal([
      '2026-03-15T00:00:00Z',
      '2026-03-15T00:00:00Z',
      '2026-03-15',
      '2026-03-15T00:00:00',
    ])
    expect([hours, dates, weeks].map(kept => timeValue(kept, justBefore(kept, at)))).to.deep.equal([
      '2026-03-14T23:59:59.999999Z',
      '2026-03-14',
      '2026-03-14T23:59:59.999999',
    ])
    expect([hours, dates].map(kept => timeValue(kept, firstTime(kept)))).to.deep.equal([
      '0001-01-01T00:00:00Z',
      '0001-01-01',
    ])
    expect([weeks, dates].map(kept => timeValue(kept, lastTime(kept)))).to.deep.equal([
      '9999-12-31T23:59:59.999999',
      '9999-12-31',
    ])
  })

  it('are compared with the values of the bucket', () => {
    const boundary = micros('2026-03-14T23:00:00')
    expect(shown(bucketBoundary(hours, boundary))).to.equal('2026-03-14T23:00:00')
    expect(shown(bucketBoundary(days, boundary))).to.equal('2026-03-15T00:00:00')
    expect(bucketMicros(days, '2026-03-15')).to.equal(micros('2026-03-15T00:00:00'))
    expect(bucketMicros(hours, '2026-03-14T23:00:00.5Z')).to.equal(boundary + 500_000n)
    expect(bucketMicros(hours, Number(boundary))).to.equal(boundary)
    expect(bucketMicros(hours, String(boundary))).to.equal(boundary)
    expect(bucketMicros(weeks, '2026-03-15T00:00:00')).to.equal(micros('2026-03-15T00:00:00'))
    expect(bucketMicros(weeks, null)).to.equal(null)
  })
})

const found = (kept: KeptQuery): object => ({
  table: kept.table,
  column: kept.column,
  cells: `${kept.cells.part} ${kept.cells.zone}`,
  bucket: `${kept.bucketColumn} ${kept.bucketType}`,
  order: kept.order && `${kept.order.isDescending ? 'desc' : 'asc'}, nulls ${kept.order.nullsFirst ? 'first' : 'last'}`,
  nulls: kept.hasNulls,
  bound: kept.boundParameters,
})

const expected = (one: KeptCase): object => ({
  table: one.table ?? 'logs.hits',
  column: one.column,
  cells: one.cells,
  bucket: one.bucket,
  order: one.order ?? null,
  nulls: one.nulls ?? false,
  bound: one.bound ?? [],
})

function tried(one: RefusedCase): KeptQuery | NotKept {
  return keptQuery(one.sql, resolved(one), askedOf(one))
}

function ofCells(cells: string): KeptQuery {
  const [part, zone] = cells.split(' ') as [string, string]
  return { ...keptOf({ sql: 'SELECT DATE(ts) AS day, COUNT(*) FROM logs.hits GROUP BY day' }), cells: { part, zone } }
}

const micros = (text: string): bigint => bucketMicros({ bucketType: 'DATETIME' } as KeptQuery, text)!
const shown = (time: bigint | null): string | null => (time === null ? null : datetimeText(time)!)
