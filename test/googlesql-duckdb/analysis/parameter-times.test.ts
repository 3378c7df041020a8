import { expect } from 'chai'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { translate } from '../../../googlesql-duckdb/translate.js'
import { type EmbeddedEngine, openEmbedded } from '../../../runner/engines/duckdb/embedded.js'
import { wireParameters } from '../../../runner/engines/duckdb/values/parameter-values.js'
import { CLOCK } from '../../engines/duckdb/raw-engine.js'
import { sampleOf } from '../../sample-size.js'

const PARTS = ['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR', 'DAY']
const TIMES = [
  null,
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00.000001Z',
  '0001-01-02T00:00:00Z',
  '1582-10-10T23:59:59.999999Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00Z',
  '2024-02-29T12:34:56.789012Z',
  '9999-12-31T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
]
/** Expressions; `$` marks the place of the time. */
const WRITERS = [
  ...PARTS.flatMap(part => [
    `TIMESTAMP_ADD($, INTERVAL 1 ${part})`,
    `TIMESTAMP_SUB($, INTERVAL 1 ${part})`,
    `TIMESTAMP_TRUNC($, ${part})`,
    `TIMESTAMP_TRUNC(TIMESTAMP_SUB($, INTERVAL 90 ${part}), ${part})`,
    `TIMESTAMP_ADD(TIMESTAMP_TRUNC($, ${part}), INTERVAL 1 DAY)`,
    `TIMESTAMP_SUB(TIMESTAMP_ADD($, INTERVAL 5 ${part}), INTERVAL 5 ${part})`,
  ]),
  'TIMESTAMP_SUB($, INTERVAL 7 * 24 HOUR)',
  'TIMESTAMP_SUB($, INTERVAL -3 HOUR)',
  'TIMESTAMP_ADD($, INTERVAL 9223372036854775807 MICROSECOND)',
  'TIMESTAMP_ADD($, INTERVAL 9007199254740992 DAY)',
  "TIMESTAMP_TRUNC($, DAY, 'America/New_York')",
  "TIMESTAMP_TRUNC($, HOUR, 'UTC')",
  'TIMESTAMP_TRUNC($, MONTH)',
  'TIMESTAMP_TRUNC($, WEEK(MONDAY))',
  'SAFE.TIMESTAMP_SUB($, INTERVAL 1 DAY)',
  'SAFE.TIMESTAMP_TRUNC(TIMESTAMP_SUB($, INTERVAL 1 DAY), HOUR)',
  'IF($ > TIMESTAMP "2000-01-01 00:00:00+00", NULL, TIMESTAMP_SUB($, INTERVAL 1 DAY))',
  'COALESCE(CAST(NULL AS TIMESTAMP), TIMESTAMP_SUB($, INTERVAL 1 HOUR), TIMESTAMP_SUB($, INTERVAL 1 HOUR))',
]

const TIMESTAMP = { kind: 'TIMESTAMP' } as const
const translated = (sql: string) => translate(sql, tableCatalogue([]), { now: TIMESTAMP }, { bindsTimes: true })

describe('times computed from parameters', () => {
  let engine: EmbeddedEngine
  before(async () => {
    engine = await openEmbedded({ tables: {} }, CLOCK)
  })
  after(() => engine.close())

  const outcome = (sql: string, value: string | null): Promise<unknown> =>
    engine.query(sql, { t: { type: 'TIMESTAMP', value } }).then(
      ({ rows }) => rows,
      (error: Error) => `${error.name}: ${error.message}`,
    )

  for (const form of WRITERS) {
    it(`are the same as from a column: ${form}`, async () => {
      const written = (time: string): string => form.replaceAll('$', time)
      for (const time of sampleOf(TIMES)) {
        const asked = await outcome(`SELECT ${written('@t')} AS x`, time)
        const expected = await outcome(`SELECT ${written('t')} AS x FROM (SELECT t FROM UNNEST([@t]) AS t)`, time)
        expect(asked, String(time)).to.deep.equal(expected)
      }
    })
  }

  it('are bound, each once, where they depend only on the parameter and constants', () => {
    const { sql, parameters, times } = translated(
      `SELECT x FROM UNNEST([@now]) AS x WHERE x >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@NOW, INTERVAL 7 DAY), DAY)
         AND x <> TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 7 DAY), DAY) AND x < TIMESTAMP_ADD(@now, INTERVAL 1 SECOND)`,
    )
    expect(sql).to.not.match(/shift|floor|1000000/)
    expect(parameters).to.deep.equal(['now', '@now: add -604800000000, floor 86400000000', '@now: add 1000000'])
    expect(times.map(({ of }) => of)).to.deep.equal(['now', 'now'])
    const wire = wireParameters({ parameters, times }, { now: { type: 'TIMESTAMP', value: '2026-01-31T12:00:00.5Z' } })
    expect(wire?.map(({ name, value }) => [name, value])).to.deep.equal([
      ['now', '2026-01-31T12:00:00.5Z'],
      ['now', '2026-01-24T00:00:00Z'],
      ['now', '2026-01-31T12:00:01.500Z'],
    ])
  })

  it('stay in the SQL where an error must be caught, or where they are not a plain shift or truncation', () => {
    for (const expr of [
      'SAFE.TIMESTAMP_SUB(@now, INTERVAL 1 DAY)',
      'TIMESTAMP_SUB(SAFE.TIMESTAMP_SUB(@now, INTERVAL 1 DAY), INTERVAL 1 DAY)',
      "TIMESTAMP_TRUNC(@now, HOUR, 'UTC')",
      'DATE(@now)',
    ]) {
      expect(translated(`SELECT ${expr} AS x`).times, expr).to.deep.equal([])
    }
  })

  it('raise no error where the query does not evaluate them', async () => {
    const sql = 'SELECT n FROM UNNEST(ARRAY<INT64>[]) AS n WHERE @t > TIMESTAMP_SUB(@t, INTERVAL 1 DAY)'
    expect(await outcome(sql, '0001-01-01T00:00:00Z')).to.deep.equal([])
  })
})
