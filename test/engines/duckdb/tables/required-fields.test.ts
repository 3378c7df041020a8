/** What the modes of a table's nested fields promise holds over files with NULL records, whatever a query reads of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { fieldsToColumns, requiredPaths, type SchemaField } from '../../../../googlesql/index.js'
import type { DuckdbEngine } from '../../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/open-engine.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import type { CheckedColumn, ColumnPromise } from '../../../../runner/model/query.js'
import { runOptions } from '../../ask-engine.js'
import { CLOCK, scratchFolder } from '../raw-engine.js'

const required = (name: string, type: string, fields?: readonly SchemaField[]): SchemaField => ({
  name,
  type,
  mode: 'REQUIRED',
  ...(fields && { fields }),
})
const SCHEMA: readonly SchemaField[] = [
  required('id', 'STRING'),
  required('buyer', 'RECORD', [
    required('name', 'STRING'),
    { name: 'note', type: 'STRING' },
    { name: 'home', type: 'RECORD', fields: [required('zip', 'STRING')] },
    required('work', 'RECORD', [required('zip', 'STRING')]),
  ]),
  {
    name: 'ship',
    type: 'RECORD',
    fields: [
      required('city', 'STRING'),
      required('on', 'DATE'),
      required('at', 'TIMESTAMP'),
      required('cost', 'NUMERIC'),
      required('seal', 'BYTES'),
      required('extra', 'JSON'),
      required('place', 'RECORD', [required('lat', 'FLOAT')]),
    ],
  },
  {
    name: 'items',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      required('sku', 'STRING'),
      { name: 'box', type: 'RECORD', fields: [required('width', 'INTEGER')] },
      { name: 'parts', type: 'RECORD', mode: 'REPEATED', fields: [required('n', 'INTEGER')] },
    ],
  },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
]
const buyer = { name: 'Ann', note: null, home: null, work: { zip: '10115' } }
const ship = {
  ...{ city: 'Rome', on: '2026-01-05', at: '2026-01-05T10:00:00Z', cost: '1.5', seal: 'aGk=', extra: { a: 1 } },
  place: { lat: 41.9 },
}
const ROWS = [
  { id: '1', buyer, ship: null, items: [{ sku: 'x', box: null, parts: [{ n: 1 }] }], tags: ['a'] },
  { id: '2', buyer: { ...buyer, home: { zip: '1' } }, ship, items: [], tags: [] },
  { id: '3', buyer, ship, items: null, tags: null },
  { id: '4', buyer, ship: null, items: [{ sku: 'y', box: { width: 2 }, parts: [] }, { sku: 'z' }], tags: ['b', 'c'] },
]

const SHIP = '{!, !, !, !, !, ?, ! {!}}'
const ITEMS = '{!, ? {!}, ! {!}}'
const BUYER = '{!, ?, ? {!}, ! {!}}'

/** `!` is never NULL, `?` may be; in braces what is known of fields, by position. Then the values of the rows, by id. */
const CASES: readonly {
  readonly says: string
  readonly sql: string
  readonly facts: string
  readonly rows?: object
}[] = [
  {
    says: 'whole columns',
    sql: 'SELECT id, buyer, ship, items, tags FROM shop.orders ORDER BY id',
    facts: `id !, buyer ! ${BUYER}, ship ? ${SHIP}, items ! ${ITEMS}, tags !`,
    rows: [
      { id: '1', buyer, ship: null, items: [{ sku: 'x', box: null, parts: [{ n: 1 }] }], tags: ['a'] },
      { id: '2', buyer: { ...buyer, home: { zip: '1' } }, ship, items: [], tags: [] },
      { id: '3', buyer, ship, items: [], tags: [] },
      {
        ...{ id: '4', buyer, ship: null, tags: ['b', 'c'] },
        items: [
          { sku: 'y', box: { width: 2 }, parts: [] },
          { sku: 'z', box: null, parts: [] },
        ],
      },
    ],
  },
  {
    says: 'fields of a REQUIRED record, and of a nullable one within it',
    sql: 'SELECT buyer.name AS a, buyer.note AS b, buyer.home AS c, buyer.home.zip AS d, buyer.work.zip AS e FROM shop.orders WHERE id < "3" ORDER BY id',
    facts: 'a !, b ?, c ? {!}, d ?, e !',
    rows: [
      { a: 'Ann', b: null, c: null, d: null, e: '10115' },
      { a: 'Ann', b: null, c: { zip: '1' }, d: '1', e: '10115' },
    ],
  },
  {
    says: 'fields of a nullable record, which are NULL with it',
    sql: 'SELECT ship.city AS a, ship.place AS b, ship.place.lat AS c, ship.cost AS d FROM shop.orders WHERE id < "3" ORDER BY id',
    facts: 'a ?, b ? {!}, c ?, d ?',
    rows: [
      { a: null, b: null, c: null, d: null },
      { a: 'Rome', b: { lat: 41.9 }, c: 41.9, d: '1.5' },
    ],
  },
  {
    says: 'all fields of records, by a star',
    sql: 'SELECT buyer.*, ship.* FROM shop.orders',
    facts: 'name !, note ?, home ? {!}, work ! {!}, city ?, on ?, at ?, cost ?, seal ?, extra ?, place ? {!}',
  },
  {
    says: 'elements of REPEATED records',
    sql: 'SELECT i.sku AS a, i.box AS b, i.box.width AS c, i AS d FROM shop.orders, UNNEST(items) AS i ORDER BY a',
    facts: `a !, b ? {!}, c ?, d ! ${ITEMS}`,
    rows: [
      { a: 'x', b: null, c: null, d: { sku: 'x', box: null, parts: [{ n: 1 }] } },
      { a: 'y', b: { width: 2 }, c: 2, d: { sku: 'y', box: { width: 2 }, parts: [] } },
      { a: 'z', b: null, c: null, d: { sku: 'z', box: null, parts: [] } },
    ],
  },
  {
    says: 'elements within elements, and scalars',
    sql: 'SELECT p.n AS a, t AS b FROM shop.orders AS o, o.items AS i, i.parts AS p, o.tags AS t',
    facts: 'a !, b !',
    rows: [{ a: 1, b: 'a' }],
  },
  {
    says: 'elements of a LEFT JOIN, which may have none',
    sql: 'SELECT o.id AS a, i.sku AS b, i AS c, t AS d FROM shop.orders AS o LEFT JOIN o.items AS i LEFT JOIN o.tags AS t WHERE o.id < "3" ORDER BY a',
    facts: `a !, b ?, c ? ${ITEMS}, d ?`,
    rows: [
      { a: '1', b: 'x', c: { sku: 'x', box: null, parts: [{ n: 1 }] }, d: 'a' },
      { a: '2', b: null, c: null, d: null },
    ],
  },
  {
    says: 'elements by their places',
    sql: 'SELECT items[SAFE_OFFSET(0)].sku AS a, items[SAFE_OFFSET(0)] AS b, tags[SAFE_OFFSET(0)] AS c FROM shop.orders WHERE id IN ("2", "4") ORDER BY id',
    facts: 'a ?, b ?, c ?',
    rows: [
      { a: null, b: null, c: null },
      { a: 'y', b: { sku: 'y', box: { width: 2 }, parts: [] }, c: 'b' },
    ],
  },
  {
    says: 'a side of a join that may be padded',
    sql: 'SELECT o.id AS a, p.buyer AS b, p.buyer.name AS c, p.ship AS d, p.items AS e FROM shop.orders AS o LEFT JOIN shop.orders AS p ON p.id = CONCAT(o.id, "0") WHERE o.id = "1"',
    facts: `a !, b ? ${BUYER}, c ?, d ? ${SHIP}, e ! ${ITEMS}`,
    rows: [{ a: '1', b: null, c: null, d: null, e: [] }],
  },
  {
    says: 'both sides of a full join',
    sql: 'SELECT o.buyer.name AS a, p.ship AS b FROM shop.orders AS o FULL JOIN shop.orders AS p ON FALSE',
    facts: `a ?, b ? ${SHIP}`,
  },
  {
    says: 'aggregates',
    sql: 'SELECT id, ANY_VALUE(ship) AS a, ANY_VALUE(buyer) AS b, MAX(ship.city) AS c, MAX(buyer.name) AS d, ARRAY_AGG(ship IGNORE NULLS) AS e, ARRAY_CONCAT_AGG(items) AS f FROM shop.orders GROUP BY id ORDER BY id LIMIT 2',
    facts: `id !, a ? ${SHIP}, b ! ${BUYER}, c ?, d !, e ! ${SHIP}, f ! ${ITEMS}`,
    rows: [
      {
        ...{ id: '1', a: null, b: buyer, c: null, d: 'Ann', e: [] },
        f: [{ sku: 'x', box: null, parts: [{ n: 1 }] }],
      },
      { id: '2', a: ship, b: { ...buyer, home: { zip: '1' } }, c: 'Rome', d: 'Ann', e: [ship], f: [] },
    ],
  },
  {
    says: 'aggregates over no row',
    sql: 'SELECT ANY_VALUE(buyer) AS a, MAX(buyer.name) AS b FROM shop.orders WHERE id = "0"',
    facts: `a ? ${BUYER}, b ?`,
    rows: [{ a: null, b: null }],
  },
  {
    says: 'group keys of a ROLLUP',
    sql: 'SELECT buyer.name AS a, ship.city AS b FROM shop.orders GROUP BY ROLLUP (a, b)',
    facts: 'a ?, b ?',
  },
  {
    says: 'functions of windows',
    sql: 'SELECT LAG(buyer) OVER (ORDER BY id) AS a, FIRST_VALUE(buyer.name) OVER (ORDER BY id) AS b FROM shop.orders ORDER BY id LIMIT 2',
    facts: 'a ?, b ?',
    rows: [
      { a: null, b: 'Ann' },
      { a: buyer, b: 'Ann' },
    ],
  },
  {
    says: 'subqueries',
    sql: 'SELECT ARRAY(SELECT AS STRUCT i.sku, i.box.width FROM o.items AS i) AS a, (SELECT i.sku FROM o.items AS i LIMIT 1) AS b, (SELECT AS STRUCT o.buyer.name, o.ship.city) AS c FROM shop.orders AS o WHERE id IN ("2", "4") ORDER BY id',
    facts: 'a ! {!, ?}, b ?, c ! {!, ?}',
    rows: [
      { a: [], b: null, c: { name: 'Ann', city: 'Rome' } },
      {
        a: [
          { sku: 'y', width: 2 },
          { sku: 'z', width: null },
        ],
        b: 'y',
        c: { name: 'Ann', city: null },
      },
    ],
  },
  {
    says: 'conditions and unions',
    sql: 'SELECT IF(id = "1", ship, NULL) AS a, COALESCE(ship.city, "") AS b FROM shop.orders UNION ALL SELECT ship, buyer.name FROM shop.orders',
    facts: 'a ?, b !',
  },
  {
    says: 'a table expression, and a view of its rows that are DISTINCT',
    sql: 'WITH o AS (SELECT ship, buyer FROM shop.orders) SELECT DISTINCT o.buyer.work.zip AS a, o.ship.city AS b FROM o ORDER BY b',
    facts: 'a !, b ?',
    rows: [
      { a: '10115', b: null },
      { a: '10115', b: 'Rome' },
    ],
  },
]

const textOf = ({ required: isRequired, fields }: Partial<ColumnPromise>): string =>
  (isRequired ? '!' : '?') + (fields ? ` {${fields.map(textOf).join(', ')}}` : '')
const promiseOf = ({ required: isRequired, json, fields }: CheckedColumn): ColumnPromise => ({
  required: isRequired ?? false,
  json: json ?? null,
  ...(fields && { fields }),
})

const SHIP_TYPE = `STRUCT(city VARCHAR, "on" DATE, "at" TIMESTAMPTZ, cost DECIMAL(38, 9), seal BLOB, extra JSON, place STRUCT(lat DOUBLE))`
const ITEM_TYPE = 'STRUCT(sku VARCHAR, box STRUCT(width BIGINT), parts STRUCT(n BIGINT)[])'
const BUYER_TYPE = 'STRUCT("name" VARCHAR, note VARCHAR, home STRUCT(zip VARCHAR), "work" STRUCT(zip VARCHAR))'

describe('REQUIRED fields of records', function () {
  this.timeout(60_000)
  const scratch = scratchFolder()
  const lines = (rows: readonly object[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('')
  const open = (dataDir: string): Promise<DuckdbEngine> =>
    openDuckdbEngine({
      dataDir,
      database: null,
      tables: [
        {
          definition: { name: 'shop.orders', columns: fieldsToColumns(SCHEMA)!, required: requiredPaths(SCHEMA) },
        },
      ],
      memoryLimitMb: 256,
      threads: 1,
      tempDir: scratch.path,
      observe: () => {},
      clock: CLOCK,
    })
  /** The columns' facts, and the rows of the query, which are held to these facts. */
  const ask = async (engine: DuckdbEngine, sql: string): Promise<{ facts: string; rows: object[] }> => {
    const checked = await engine.check(sql, {})
    if (!checked.ok) expect.fail(JSON.stringify(checked))
    const { columns } = checked
    const { body } = await engine.run({ sql, parameters: {} }, runOptions({ contract: columns.map(promiseOf) }))
    return {
      facts: columns.map(column => `${column.name} ${textOf(column)}`).join(', '),
      rows: JSON.parse(Buffer.from(body).toString()).result,
    }
  }
  after(() => scratch.remove())

  for (const format of ['ndjson', 'parquet'] as const) {
    describe(`over ${format}`, () => {
      let engine: DuckdbEngine
      before(async () => {
        const folder = join(scratch.path, format, 'shop')
        mkdirSync(folder, { recursive: true })
        const file = join(folder, 'orders.ndjson')
        writeFileSync(format === 'ndjson' ? file : join(scratch.path, 'orders.ndjson'), lines(ROWS))
        if (format === 'parquet') {
          const instance = await DuckDBInstance.create()
          await (await instance.connect()).run(
            `COPY (SELECT * FROM read_json('${join(scratch.path, 'orders.ndjson')}', format = 'newline_delimited', columns = {
              id: 'VARCHAR', buyer: '${BUYER_TYPE}', ship: '${SHIP_TYPE}', items: '${ITEM_TYPE}[]', tags: 'VARCHAR[]'
            })) TO '${join(folder, 'orders.parquet')}' (FORMAT parquet)`,
          )
          instance.closeSync()
        }
        engine = await open(join(scratch.path, format))
      })
      after(() => engine?.close())

      for (const { says, sql, facts, rows } of CASES) {
        it(`is known of ${says}`, async () => {
          const found = await ask(engine, sql)
          expect(found.facts).to.equal(facts)
          // Parquet has the bytes of the text here, NDJSON their base64.
          const told = JSON.stringify(found.rows).replaceAll('YUdrPQ==', 'aGk=')
          if (rows !== undefined) expect(JSON.parse(told)).to.deep.equal(rows)
        })
      }
    })
  }

  it('fails where a text file breaks them, and names column and row', async () => {
    const folder = join(scratch.path, 'broken')
    mkdirSync(join(folder, 'shop'), { recursive: true })
    const broken = { ...ROWS[1]!, ship: { ...ship, place: { lat: null } } }
    writeFileSync(join(folder, 'shop', 'orders.ndjson'), lines([ROWS[0]!, broken]))
    const engine = await open(folder)
    try {
      const failed = await ask(engine, 'SELECT ship FROM shop.orders').then(
        () => expect.fail('it did not fail'),
        (thrown: unknown) => thrown as RunnerError,
      )
      expect(failed).to.be.instanceOf(RunnerError)
      expect((failed.cause as Error).message).to.match(
        /orders\.ndjson:2:\d+: ship\.place\.lat: found null, expected a value: the field is REQUIRED$/,
      )
    } finally {
      await engine.close()
    }
  })
})
