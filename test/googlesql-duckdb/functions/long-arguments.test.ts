/** Functions of two long arguments, whose work or result would be one length times the other. */
import { expect } from 'chai'
import type { Type } from '../../../googlesql/types/types.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

const STRING: Type = { kind: 'STRING' }

describe('two long arguments', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession([], ['SET threads = 1'])
  })
  after(() => session.close())

  /** The value of an expression of two texts. */
  const answerOf = async (expression: string, a: string, b: string): Promise<unknown> => {
    const [row] = await session.query(`SELECT ${expression}, @a, @b`, { a: STRING, b: STRING }, [a, b] as never[])
    return row![0]
  }

  const letters = (count: number): string => 'ab'.repeat(count / 2)

  /** Expressions that are refused for two texts of this length, and not for two of a tenth of it. */
  const BOUNDED: readonly (readonly [expression: string, length: number, reason: string])[] = [
    ["ARRAY_TO_STRING(SPLIT(@a, ''), @b)", 3_000, 'ARRAY_TO_STRING joins'],
    ["ARRAY_TO_STRING(SPLIT(@a, ''), UPPER(@b), '')", 3_000, 'ARRAY_TO_STRING joins'],
    [
      "ARRAY_TO_STRING(ARRAY(SELECT CAST(x AS BYTES) FROM UNNEST(SPLIT(@a, '')) AS x), CAST(@b AS BYTES))",
      3_000,
      'ARRAY_TO_STRING joins',
    ],
    ["ARRAY_LENGTH(ARRAY_FILTER(SPLIT(@a, ''), e -> e IN UNNEST(SPLIT(@b, ''))))", 3_000, 'a lambda reads'],
    ["ARRAY_LENGTH(ARRAY_TRANSFORM(SPLIT(@a, ''), (e, i) -> LENGTH(@b) + i))", 3_000, 'a lambda reads'],
    ["ARRAY_INCLUDES(SPLIT(@a, ''), e -> CONCAT(e, @b) = @b)", 3_000, 'a lambda reads'],
    [
      "ARRAY_INCLUDES_ALL(ARRAY(SELECT AS STRUCT x FROM UNNEST(SPLIT(@a, '')) AS x), ARRAY(SELECT AS STRUCT x FROM UNNEST(SPLIT(@b, '')) AS x))",
      1_000,
      'arrays of STRUCTs',
    ],
    ["@a LIKE ANY UNNEST(ARRAY(SELECT CONCAT(x, '%c') FROM UNNEST(SPLIT(@b, '')) AS x))", 8_000, 'LIKE compares'],
    [
      "CAST(@a AS BYTES) LIKE ALL UNNEST(ARRAY(SELECT CAST(CONCAT(x, '%') AS BYTES) FROM UNNEST(SPLIT(@b, '')) AS x))",
      8_000,
      'LIKE compares',
    ],
  ]
  for (const [expression, length, reason] of BOUNDED) {
    it(`are refused where they are too long: ${expression}`, async () => {
      expect(await answerOf(expression, letters(length / 10), letters(length / 10))).to.not.equal(null)
      const failure = await answerOf(expression, letters(length), letters(length)).catch(String)
      expect(failure).to.include(`Resources exceeded during query execution: ${reason}`)
    })
  }

  it('are joined in linear time by a delimiter that is computed', async () => {
    const joined = "LENGTH(ARRAY_TO_STRING(SPLIT(@a, ''), LOWER(@b)))"
    expect(await answerOf(joined, letters(400_000), '--')).to.equal('1199998')
  })

  it('are looked for in each other in linear time where they are numbers', async () => {
    const numbers = (text: string): string => `ARRAY(SELECT x + 0.5 FROM UNNEST(TO_CODE_POINTS(${text})) AS x)`
    for (const [name, found] of [
      ['ARRAY_INCLUDES_ANY', 'false'],
      ['ARRAY_INCLUDES_ALL', 'false'],
    ])
      expect(
        String(await answerOf(`${name}(${numbers('@a')}, ${numbers('@b')})`, letters(32_000), 'c'.repeat(32_000))),
      ).to.equal(found)
  })
})
