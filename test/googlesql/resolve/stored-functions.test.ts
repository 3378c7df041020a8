/** Functions that are kept in a dataset: what their calls mean, and what is refused. */
import { expect } from 'chai'
import {
  functionMistakes,
  resolveQuery,
  SqlError,
  type TableDefinition,
  tableCatalogue,
} from '../../../googlesql/index.js'
import { parseTypeName } from '../../../googlesql/types/parse-type-name.js'
import { typeName } from '../../../googlesql/types/types.js'

const ORDERS: TableDefinition = {
  name: 'shop.orders',
  columns: [
    { name: 'id', type: parseTypeName('INT64')! },
    { name: 'price', type: parseTypeName('FLOAT64')! },
  ],
}

const TEXTS: Readonly<Record<string, string>> = {
  'shop.tax': 'CREATE FUNCTION shop.tax(price FLOAT64) AS (price * 0.19)',
  'shop.gross': 'CREATE OR REPLACE FUNCTION `shop`.gross(price FLOAT64) RETURNS FLOAT64 AS (price + shop.tax(price));',
  'shop.first': '-- The first of a list.\nCREATE FUNCTION IF NOT EXISTS first(list ANY TYPE) AS (list[SAFE_OFFSET(0)])',
  'shop.dear':
    'CREATE TABLE FUNCTION shop.dear(least FLOAT64) AS SELECT id, price FROM shop.orders WHERE price >= least',
  'shop.typed':
    'CREATE TABLE FUNCTION shop.typed(n INT64) RETURNS TABLE<id FLOAT64, note STRING> AS SELECT id, "x" AS note FROM `shop.orders` WHERE id = n',
  'other.shop.f': 'CREATE FUNCTION `other.shop.f`(x INT64) AS (x)',
  'shop.count': 'CREATE FUNCTION shop.count() AS ((SELECT COUNT(*) FROM shop.orders))',
  'shop.js': 'CREATE FUNCTION shop.js(x FLOAT64) RETURNS STRING LANGUAGE js AS r"""return String(x)"""',
}

const catalogueOf = (texts: Readonly<Record<string, string>>, project: string | null = 'p') =>
  tableCatalogue([ORDERS], { project, defaultDataset: null }, new Map(), {
    folder: 'functions',
    functions: Object.entries(texts).map(([name, text]) => ({ name, text, file: `functions/${name}.sql` })),
  })
const KNOWN = catalogueOf(TEXTS)

function typesOf(sql: string, tables = KNOWN): readonly string[] {
  return resolveQuery(sql, tables, {}).columns.map(({ name, type }) => `${name} ${typeName(type)}`)
}

function refusal(sql: string, tables = KNOWN): string {
  try {
    resolveQuery(sql, tables, {})
    return 'nothing was refused'
  } catch (error) {
    if (error instanceof SqlError) return error.message
    throw error
  }
}

describe('functions that are kept in a dataset', () => {
  const CALLS: readonly (readonly [sql: string, ...columns: string[]])[] = [
    ['SELECT shop.gross(1.5) AS x', 'x FLOAT64'],
    ['SELECT `shop.gross`(1) AS x', 'x FLOAT64'],
    ['SELECT `p.shop.gross`(price => 1) AS x', 'x FLOAT64'],
    ['SELECT p.shop.gross(price) AS x FROM shop.orders', 'x FLOAT64'],
    ['SELECT `p`.`shop`.`gross`(1) AS x', 'x FLOAT64'],
    ["SELECT shop.first(['a']) AS a, shop.first([1.5]) AS b", 'a STRING', 'b FLOAT64'],
    ['SELECT other.shop.f(1) AS x', 'x INT64'],
    ['SELECT shop.count() AS x', 'x INT64'],
    ['SELECT shop.js(1) AS x', 'x STRING'],
    ['SELECT * FROM shop.dear(1)', 'id INT64', 'price FLOAT64'],
    ['SELECT d.* FROM `p.shop.dear`(least => 1) AS d', 'id INT64', 'price FLOAT64'],
    ['SELECT * FROM shop.typed(1)', 'id FLOAT64', 'note STRING'],
    [
      'CREATE TEMP FUNCTION f(x FLOAT64) AS (shop.gross(x) + 1); SELECT f(SUM(price)) AS x FROM shop.orders',
      'x FLOAT64',
    ],
  ]
  for (const [sql, ...columns] of CALLS) it(sql, () => expect(typesOf(sql)).to.deep.equal(columns))

  it('are found only as written where no project is set', () => {
    const tables = catalogueOf(TEXTS, null)
    expect(typesOf('SELECT other.shop.f(1) AS x', tables)).to.deep.equal(['x INT64'])
    expect(refusal('SELECT p.shop.tax(1)', tables)).to.match(/^Function not found: p\.shop\.tax; /)
  })

  it('tell the tables that they read, and no place for them in the text of the query', () => {
    const { tables, tableReferences } = resolveQuery('SELECT shop.count()', KNOWN, {})
    expect(tables).to.deep.equal(['shop.orders'])
    expect(tableReferences).to.deep.equal([])
  })

  it('see no function, parameter, variable or common table expression of the query', () => {
    const tables = catalogueOf({
      'd.f': 'CREATE FUNCTION d.f() AS (g())',
      'd.p': 'CREATE FUNCTION d.p() AS (@now)',
      'd.v': 'CREATE FUNCTION d.v() AS (v)',
      'd.c': 'CREATE FUNCTION d.c() AS ((SELECT MAX(x) FROM c))',
      'd.t': 'CREATE TABLE FUNCTION d.t() AS SELECT x FROM c',
    })
    const before = 'DECLARE v INT64 DEFAULT 1; CREATE TEMP FUNCTION g() AS (1); WITH c AS (SELECT 1 AS x)'
    const after = before.length + ' SELECT '.length + 1
    expect(refusal(`${before} SELECT d.f() FROM c`, tables)).to.equal(
      `Function d.f (functions/d.f.sql:1:27): Function not found: g at [1:${after}]`,
    )
    expect(refusal(`${before} SELECT d.p() FROM c`, tables)).to.match(/:1:27\): Query parameters cannot be used/)
    expect(refusal(`${before} SELECT d.v() FROM c`, tables)).to.match(/:1:27\): Unrecognized name: v/)
    expect(refusal(`${before} SELECT d.c() FROM c`, tables)).to.match(/:1:47\): Table not found: c/)
    expect(refusal(`${before} SELECT * FROM d.t()`, tables)).to.match(/:1:46\): Table not found: c/)
  })

  const REFUSED: readonly (readonly [sql: string, message: string])[] = [
    [
      'SELECT shop.taxx(1)',
      'Function not found: shop.taxx; Did you mean shop.tax? functions/shop.taxx.sql would hold it at [1:8]',
    ],
    [
      'SELECT SHOP.TAX(1)',
      'Function not found: SHOP.TAX; Did you mean shop.tax? functions/SHOP.TAX.sql would hold it at [1:8]',
    ],
    ['SELECT x.y(1)', 'Function not found: x.y; functions/x.y.sql would hold it at [1:8]'],
    ['SELECT `a/../b.c`(1)', 'Function not found: a/../b.c at [1:8]'],
    ["SELECT `a.b'; DROP`(1)", "Function not found: a.b'; DROP at [1:8]"],
    ['SELECT NET.HOTS("a")', 'Function not found: NET.HOTS; Did you mean net.host? at [1:8]'],
    ['SELECT tax(1)', 'Function not found: tax; Did you mean max? at [1:8]'],
    [
      'SELECT shop.tax("a")',
      'No matching signature for function shop.tax for argument types: STRING. Supported signature: shop.tax(FLOAT64) at [1:8]',
    ],
    [
      'SELECT shop.tax(1, 2)',
      'No matching signature for function shop.tax for argument types: INT64, INT64. Supported signature: shop.tax(FLOAT64) at [1:8]',
    ],
    [
      'SELECT shop.tax(cost => 1)',
      'Named argument cost not found in signature for call to function shop.tax at [1:17]',
    ],
    ['SELECT SAFE.shop.tax(1)', 'Function shop.tax does not support SAFE error mode at [1:8]'],
    ['SELECT shop.tax(1) OVER ()', 'Function shop.tax does not support an OVER clause at [1:8]'],
    [
      'SELECT shop.first(1)',
      'Function shop.first (functions/shop.first.sql:2:60): Subscript access using [SAFE_OFFSET] is not supported on values of type INT64 at [1:8]',
    ],
    ['SELECT shop.dear(1)', 'shop.dear is a table function: it stands in FROM at [1:8]'],
    ['SELECT * FROM shop.tax(1)', 'shop.tax is not a table function at [1:15]'],
    [
      'SELECT * FROM shop.deer(1)',
      'Table function not found: shop.deer; Did you mean shop.dear? functions/shop.deer.sql would hold it at [1:15]',
    ],
    [
      'SELECT * FROM shop.dear(TABLE shop.orders)',
      'Function shop.dear takes values: an argument that is a table is not supported at [1:15]',
    ],
    ['SELECT * FROM shop.dear(RAND())', 'A random argument of table function shop.dear is not supported at [1:15]'],
    [
      'SELECT * FROM shop.dear()',
      'No matching signature for function shop.dear with no arguments. Supported signature: shop.dear(FLOAT64) at [1:15]',
    ],
    [
      'SELECT * FROM ML.PREDICT(MODEL `a.b`, TABLE c.d)',
      'Table function ML.PREDICT is not supported: models live in BigQuery, where such a query runs; here a table can hold what a model has predicted at [1:15]',
    ],
  ]
  for (const [sql, message] of REFUSED) it(`refuses ${sql}`, () => expect(refusal(sql)).to.equal(message))

  it('refuses names where there is no folder of functions, without a file', () => {
    expect(refusal('SELECT a.b(1)', tableCatalogue([]))).to.equal('Function not found: a.b at [1:8]')
  })
})

describe('mistakes in functions that are kept in a dataset', () => {
  const mistakesIn = (texts: Readonly<Record<string, string>>): readonly string[] =>
    functionMistakes(catalogueOf(texts)).map(({ source, error }) => `${source.name}: ${error.message}`)

  it('are none in functions that can be called', () => expect(mistakesIn(TEXTS)).to.deep.equal([]))

  const WRONG: readonly (readonly [text: string, mistake: string])[] = [
    ['', 'Syntax error: Expected keyword CREATE but got end of script at [1:1]'],
    ['SELECT 1', 'Syntax error: Expected keyword CREATE but got keyword SELECT at [1:1]'],
    ['CREATE TEMP FUNCTION f() AS (1)', 'A function that is kept in a dataset is created without TEMP at [1:8]'],
    ['CREATE FUNCTION d.f() AS (1); SELECT 1', 'Syntax error: Expected end of input but got keyword SELECT at [1:31]'],
    ['CREATE FUNCTION d.g() AS (1)', 'The text defines d.g, not d.f at [1:17]'],
    ['CREATE FUNCTION d.f(x INT64,\n  X INT64) AS (x)', 'Duplicate argument name X at [2:3]'],
    [
      'CREATE FUNCTION d.f() AS (SELECT 1)',
      'The body of a SQL function is an expression, not a query; to use a query as an expression, the query must be wrapped with additional parentheses to make it a scalar subquery expression at [1:27]',
    ],
    [
      'CREATE FUNCTION d.f() RETURNS INT64 AS ("a")',
      'Function declared to return INT64 but the function body produces incompatible type STRING at [1:41]',
    ],
    ['CREATE AGGREGATE FUNCTION d.f(x INT64) AS (SUM(x))', 'CREATE AGGREGATE FUNCTION is not supported at [1:1]'],
    ['CREATE PROCEDURE d.f() BEGIN END', 'CREATE PROCEDURE is not supported at [1:1]'],
    [
      'CREATE FUNCTION d.f() AS (d.g())',
      'Function not found: d.g; Did you mean d.f? functions/d.g.sql would hold it at [1:27]',
    ],
    ['CREATE FUNCTION d.f() AS ((SELECT 1 FROM d.none))', 'Table not found: d.none at [1:42]'],
    [
      'CREATE FUNCTION d.f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS "return ("',
      "The body of d.f is not valid JavaScript: Unexpected token '}' at [1:63]",
    ],
    [
      'CREATE FUNCTION d.f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js OPTIONS (library="gs://a/b.js") AS ""',
      'OPTIONS (library = …) of a JavaScript function is not supported at [1:69]',
    ],
    [
      'CREATE FUNCTION d.f(x FLOAT64) RETURNS FLOAT64 LANGUAGE python AS ""',
      'A function with LANGUAGE python is not supported at [1:57]',
    ],
    [
      'CREATE FUNCTION d.f(x FLOAT64) RETURNS FLOAT64 REMOTE WITH CONNECTION `a.b`',
      'A remote function is not supported at [1:48]',
    ],
    ['CREATE TABLE FUNCTION d.f(x ANY TABLE) AS SELECT 1 AS a', 'A parameter of ANY TABLE is not supported at [1:29]'],
    ['CREATE TABLE FUNCTION d.f() AS SELECT 1', 'Column 1 of table function d.f has no name at [1:32]'],
    [
      'CREATE TABLE FUNCTION d.f() RETURNS TABLE<a STRING> AS SELECT 1 AS a',
      'Table function d.f returns TABLE<a STRING>, but its query has a INT64 at [1:56]',
    ],
    ['CREATE TABLE FUNCTION d.f(n INT64) AS SELECT id FROM shop.orders WHERE id = m', 'Unrecognized name: m at [1:77]'],
  ]
  for (const [text, mistake] of WRONG) {
    it(JSON.stringify(text), () => expect(mistakesIn({ 'd.f': text })).to.deep.equal([`d.f: ${mistake}`]))
  }

  it('are a cycle, told in each of its functions and in none that only calls them', () => {
    const texts = {
      'd.a': 'CREATE FUNCTION d.a(x INT64) AS (d.b(x))',
      'd.b': 'CREATE FUNCTION d.b(x INT64) AS ((SELECT MAX(y) FROM d.t(x)))',
      'd.t': 'CREATE TABLE FUNCTION d.t(x INT64) AS SELECT d.a(x) AS y',
      'd.self': 'CREATE FUNCTION d.self(x INT64) AS (d.self(x))',
      'd.outside': 'CREATE FUNCTION d.outside(x INT64) AS (d.a(x))',
    }
    expect(mistakesIn(texts)).to.deep.equal([
      'd.a: Function d.a calls itself: d.a → d.b → d.t → d.a at [1:34]',
      'd.b: Function d.b calls itself: d.b → d.t → d.a → d.b at [1:54]',
      'd.t: Function d.t calls itself: d.t → d.a → d.b → d.t at [1:46]',
      'd.self: Function d.self calls itself: d.self → d.self at [1:37]',
    ])
    expect(refusal('SELECT 1 + d.outside(1)', catalogueOf(texts))).to.equal(
      'Function d.a calls itself: d.a → d.b → d.t → d.a at [1:12]',
    )
  })

  it('are told once, in the function that has them, and at the calls', () => {
    const texts = {
      'd.a': 'CREATE FUNCTION d.a(x INT64) AS (d.b(x))',
      'd.b': 'CREATE FUNCTION d.b(x INT64) AS (d.c(x))',
      'd.c': 'CREATE FUNCTION d.c(x INT64)\nAS (x + y)',
      'd.broken': 'CREATE FUNCTION d.broken(x INT64',
    }
    expect(mistakesIn(texts)).to.deep.equal([
      'd.c: Unrecognized name: y at [2:9]',
      'd.broken: Syntax error: Expected ")" or "," but got end of script at [1:33]',
    ])
    expect(refusal('SELECT d.a(1)', catalogueOf(texts))).to.equal(
      'Function d.c (functions/d.c.sql:2:9): Unrecognized name: y at [1:8]',
    )
    expect(refusal('SELECT d.broken(1)', catalogueOf(texts))).to.match(
      /^Function d\.broken cannot be used: Syntax error/,
    )
  })

  it('are calls that grow without limit', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `d.f${i}`,
        `CREATE FUNCTION d.f${i}(x INT64) AS (${i === 0 ? 'x' : `d.f${i - 1}(x) + d.f${i - 1}(x)`})`,
      ]),
    )
    expect(mistakesIn(texts).join()).to.match(/More than 1000 calls of functions with a body are not supported/)
  })
})
