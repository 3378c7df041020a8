/** A variant that is implied by another one is valid where that one is, and has the same columns. */
import { expect } from 'chai'
import { tokenize } from '../../../googlesql/lex/tokenize.js'
import { parseScript } from '../../../googlesql/parse/parse.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { INT64, STRING, TIMESTAMP } from '../../../googlesql/types/types.js'
import { translate } from '../../../googlesql-duckdb/translate.js'
import { followsFrom, validQuery } from '../../../runner/manifest/variants/implied-validity.js'

const follows = (sql: string, text: string): boolean => {
  const valid = validQuery(parseScript(text), tokenize(text))
  return valid !== null && followsFrom(tokenize(sql), valid)
}

const FOLLOWING: Readonly<Record<string, readonly [sql: string, valid: string]>> = {
  'itself, written otherwise': ['SELECT a FROM t', 'SELECT a\n  FROM t -- x\n'],
  'without the last condition': ['SELECT a FROM t WHERE b > 1', 'SELECT a FROM t WHERE b > 1 AND c = @c'],
  'without the first condition': ['SELECT a FROM t WHERE c = @c', 'SELECT a FROM t WHERE b > 1 AND c = @c'],
  'without one in the middle': ['SELECT a FROM t WHERE a AND c', 'SELECT a FROM t WHERE a AND b BETWEEN 1 AND 2 AND c'],
  'without any condition': ['SELECT a FROM t ORDER BY a', 'SELECT a FROM t WHERE b > 1 ORDER BY a'],
  'without one in a common table expression': [
    'WITH x AS (SELECT a FROM t WHERE b) SELECT * FROM x',
    'WITH x AS (SELECT a FROM t WHERE b AND c) SELECT * FROM x WHERE a',
  ],
  'without one in a derived table': ['SELECT * FROM (SELECT a FROM t)', 'SELECT * FROM (SELECT a FROM t WHERE b)'],
  'without one in an input of UNION ALL': [
    'SELECT a FROM t UNION ALL SELECT a FROM u',
    'SELECT a FROM t WHERE b UNION ALL SELECT a FROM u WHERE c',
  ],
  'without one of several in parentheses': ['SELECT a FROM t WHERE c', 'SELECT a FROM t WHERE (a AND b) AND c'],
  'with a list of conditions that is a balanced tree': [
    `SELECT a FROM t WHERE ${Array.from({ length: 80 }, (_, i) => `a > ${i}`).join(' AND ')}`,
    `SELECT a FROM t WHERE ${Array.from({ length: 90 }, (_, i) => `a > ${i}`).join(' AND ')}`,
  ],
  'another bucket, in all its places': [
    'SELECT TIMESTAMP_TRUNC(a, DAY) FROM t GROUP BY TIMESTAMP_TRUNC(a, DAY)',
    'SELECT TIMESTAMP_TRUNC(a, HOUR) FROM t GROUP BY TIMESTAMP_TRUNC(a, hour)',
  ],
  'another interval': ['SELECT TIMESTAMP_SUB(@now, INTERVAL 7 DAY)', 'SELECT TIMESTAMP_SUB(@now, INTERVAL 5 MINUTE)'],
}

const NOT_FOLLOWING: Readonly<Record<string, readonly [sql: string, valid: string]>> = {
  'one more condition': ['SELECT a FROM t WHERE b AND c', 'SELECT a FROM t WHERE b'],
  'other conditions': ['SELECT a FROM t WHERE b > 2', 'SELECT a FROM t WHERE b > 1'],
  'conditions in another order': ['SELECT a FROM t WHERE c AND b', 'SELECT a FROM t WHERE b AND c AND d'],
  'half of an OR': ['SELECT a FROM t WHERE b', 'SELECT a FROM t WHERE b OR c'],
  'other columns': ['SELECT b FROM t', 'SELECT a FROM t'],
  'another table': ['SELECT a FROM u', 'SELECT a FROM t'],
  'another limit': ['SELECT a FROM t LIMIT 1', 'SELECT a FROM t LIMIT 2'],
  'another alias': ['SELECT a AS x FROM t', 'SELECT a AS y FROM t'],
  'without a HAVING': ['SELECT a FROM t GROUP BY a', 'SELECT a FROM t GROUP BY a HAVING a'],
  'without a condition of a join': ['SELECT a FROM t JOIN u ON a', 'SELECT a FROM t JOIN u ON a AND b'],
  'without a subquery': ['SELECT a FROM t', 'SELECT a FROM t WHERE a IN (SELECT b FROM u)'],
  'without a random value': ['SELECT a FROM t', 'SELECT a FROM t WHERE RAND() < 0.5'],
  'without a condition inside a subquery': [
    'SELECT (SELECT MAX(a) FROM u WHERE b) FROM t',
    'SELECT (SELECT MAX(a) FROM u WHERE b AND c) FROM t',
  ],
  'where there are functions': [
    'CREATE TEMP FUNCTION f() AS (1); SELECT a FROM t',
    'CREATE TEMP FUNCTION f() AS (1); SELECT a FROM t WHERE b',
  ],
  'a bucket that differs in one place alone': [
    'SELECT TIMESTAMP_TRUNC(a, DAY) FROM t GROUP BY TIMESTAMP_TRUNC(a, HOUR)',
    'SELECT TIMESTAMP_TRUNC(a, HOUR) FROM t GROUP BY TIMESTAMP_TRUNC(a, HOUR)',
  ],
  'buckets that become equal': [
    'SELECT TIMESTAMP_TRUNC(a, DAY), TIMESTAMP_TRUNC(a, DAY) FROM t',
    'SELECT TIMESTAMP_TRUNC(a, HOUR), TIMESTAMP_TRUNC(a, DAY) FROM t',
  ],
  'a bucket that only a condition takes for another': [
    'SELECT TIMESTAMP_TRUNC(a, HOUR) FROM t WHERE TIMESTAMP_TRUNC(a, SECOND) < b ORDER BY TIMESTAMP_TRUNC(a, SECOND)',
    'SELECT TIMESTAMP_TRUNC(a, DAY) FROM t WHERE TIMESTAMP_TRUNC(a, DAY) < b AND TIMESTAMP_TRUNC(a, DAY) < b ORDER BY TIMESTAMP_TRUNC(a, DAY)',
  ],
  'an interval under a name': [
    'SELECT TIMESTAMP_ADD(a, x => INTERVAL 1 HOUR) FROM t',
    'SELECT TIMESTAMP_ADD(a, INTERVAL 1 HOUR) FROM t WHERE b',
  ],
  'a bucket that not every function knows': ['SELECT DATE_TRUNC(a, HOUR)', 'SELECT DATE_TRUNC(a, DAY)'],
  'a part that is not among the plain ones': ['SELECT TIMESTAMP_TRUNC(a, WEEK)', 'SELECT TIMESTAMP_TRUNC(a, DAY)'],
  'an interval of months': ['SELECT TIMESTAMP_SUB(a, INTERVAL 1 MONTH)', 'SELECT TIMESTAMP_SUB(a, INTERVAL 1 DAY)'],
  'a count that could overflow': [
    'SELECT TIMESTAMP_ADD(a, INTERVAL 9000000000000 DAY)',
    'SELECT TIMESTAMP_ADD(a, INTERVAL 1 DAY)',
  ],
  'an interval by itself': ['SELECT a - INTERVAL 1 HOUR', 'SELECT a - INTERVAL 1 DAY'],
  'half of what stands in parentheses': ['SELECT a FROM t WHERE (a)', 'SELECT a FROM t WHERE (a AND b)'],
  'half of what a CASE asks': [
    'SELECT a FROM t WHERE CASE WHEN a THEN b END',
    'SELECT a FROM t WHERE CASE WHEN a AND c THEN b END',
  ],
  'more than a condition': ['SELECT a FROM t WHERE a = 1 OR b', 'SELECT a FROM t WHERE a = 1 AND c'],
  'without a condition before LEFT UNION': [
    'SELECT a FROM t LEFT UNION ALL BY NAME SELECT a FROM u',
    'SELECT a FROM t WHERE b LEFT UNION ALL BY NAME SELECT a FROM u',
  ],
  'a name with dashes that is a difference here': ['SELECT a FROM my - project.t', 'SELECT a FROM my-project.t'],
  'other bytes': ["SELECT b'ab'", "SELECT b'abc'"],
}

describe('a query that is implied by a valid one', () => {
  for (const [name, [sql, valid]] of Object.entries(FOLLOWING))
    it(name, () => expect(follows(sql, valid)).to.equal(true))
  for (const [name, [sql, valid]] of Object.entries(NOT_FOLLOWING)) {
    it(`is not: ${name}`, () => expect(follows(sql, valid)).to.equal(false))
  }

  it('compiles with every date part and number that can replace another one', () => {
    const columns = [
      { name: 'a', type: TIMESTAMP },
      { name: 'b', type: STRING },
      { name: 'c', type: INT64 },
    ]
    const tables = tableCatalogue([{ name: 'd.t', columns }])
    const query = (bucket: string, part: string, count: string, shift: string): string =>
      `SELECT TIMESTAMP_TRUNC(a, ${bucket}) AS x, COUNT(*) AS n FROM d.t
       WHERE a >= TIMESTAMP_${shift}(TIMESTAMP_TRUNC(@now, ${bucket}), INTERVAL ${count} ${part}) GROUP BY x`
    const parts = ['SECOND', 'MINUTE', 'HOUR', 'DAY']
    for (const bucket of parts) {
      for (const part of parts) {
        for (const count of ['0', '1', '999999']) {
          for (const shift of ['ADD', 'SUB']) {
            const { columns } = translate(query(bucket, part, count, shift), tables, { now: TIMESTAMP })
            expect(columns.map(({ name, type }) => `${name} ${type.kind}`)).to.deep.equal(['x TIMESTAMP', 'n INT64'])
            expect(follows(query(bucket, part, count, shift), query('DAY', 'HOUR', '7', shift))).to.equal(true)
          }
        }
      }
    }
  })
})
