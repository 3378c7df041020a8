import { expect } from 'chai'
import { BOOL, INT64, STRING } from '../../googlesql/types/types.js'
import { generate } from '../../tools/fuzz/families.js'
import { literal } from '../../tools/fuzz/literals.js'
import { questionOf } from '../../tools/fuzz/render.js'
import { shrink, smaller } from '../../tools/fuzz/shrink.js'
import { simplerValues } from '../../tools/fuzz/simpler-values.js'
import { clause, column, expr, list, type Node, query, relation, sizeOf, sql } from '../../tools/fuzz/tree.js'

const textOf = (node: Node): string => questionOf(node).sql
const shrunk = async (node: Node, differs: (sql: string) => boolean, attempts = 2_000): Promise<string> =>
  textOf(await shrink(node, async candidate => differs(textOf(candidate)), attempts))

const text = (value: string): Node => literal(STRING, value)
const TABLE = relation`${'`d.t`'} AS t`

describe('the shrinker', () => {
  it('leaves the call that differs, with the simplest arguments', async () => {
    const call = expr(
      STRING,
    )`UPPER(${expr(STRING)`CONCAT(${text('hello')}, ${expr(STRING)`LOWER(${text('World')})`})`})`
    const node = query`SELECT ${list([sql`${literal(INT64, '42')} AS c1`, sql`${call} AS c2`])}${clause` FROM ${TABLE}`}${clause` WHERE ${literal(BOOL, true)}`}`
    expect(await shrunk(node, sql => sql.includes('LOWER('))).to.equal('SELECT LOWER(CAST(NULL AS STRING)) AS c1')
  })

  it('drops clauses, members of lists and sides of joins', async () => {
    const id = column('t.id', INT64, ['1', '2'])
    const join = relation`${TABLE} JOIN ${relation`${'`d.u`'} AS u`} ON ${expr(BOOL)`${id} = ${literal(INT64, '1')}`}`
    const node = query`SELECT ${list([sql`${id} AS c1`, sql`COUNT(*) OVER () AS c2`])} FROM ${join}${clause` WHERE ${expr(BOOL)`${id} > ${literal(INT64, '7')}`}`}${clause` LIMIT 1`}`
    expect(await shrunk(node, sql => sql.includes('OVER'))).to.equal('SELECT COUNT(*) OVER () AS c2 FROM `d.t` AS t')
  })

  it('puts values of a column in its place', async () => {
    const node = query`SELECT ${expr(STRING)`UPPER(${column('t.s', STRING, ['long value', 'x', null])})`} AS c1 FROM ${TABLE}`
    expect(await shrunk(node, sql => /UPPER\('/.test(sql))).to.equal("SELECT UPPER('a') AS c1")
  })

  it('takes a query within for the whole', async () => {
    const inner = query`SELECT ${expr(INT64)`ABS(${literal(INT64, '-5')})`} AS c1`
    const node = query`SELECT ${column('s.c1', INT64)} AS c1 FROM (${inner}) AS s`
    expect(await shrunk(node, sql => sql.includes('ABS(-5)'))).to.equal('SELECT ABS(-5) AS c1')
  })

  it('keeps what differs, whatever the query, and ends', async () => {
    for (let i = 0; i < 25; i++) {
      const { node } = generate('shrink', i)
      const words = textOf(node).match(/[A-Z_]{4,}(?=\()/g) ?? ['SELECT']
      const word = words.at(-1)!
      const small = await shrunk(node, sql => sql.includes(word), 400)
      expect(small).to.include(word)
      expect(small.length).to.be.at.most(textOf(node).length + 40)
    }
  })

  it('tries smaller trees only, or the same with simpler values', () => {
    for (let i = 0; i < 15; i++) {
      const { node } = generate('smaller', i)
      let tried = 0
      for (const candidate of smaller(node)) {
        expect(sizeOf(candidate)).to.be.at.most(sizeOf(node) + 3)
        if (++tried === 200) break
      }
    }
  })

  it('makes values simpler until there is no simpler one', () => {
    const types = [
      INT64,
      STRING,
      { kind: 'FLOAT64' },
      { kind: 'NUMERIC' },
      { kind: 'BYTES' },
      { kind: 'TIMESTAMP' },
    ] as const
    const values = [
      '9223372036854775807',
      'Straße 12',
      -123.456,
      '-12345.678',
      'AAECAw==',
      '9999-12-31T23:59:59.999999Z',
    ]
    for (const [i, type] of types.entries()) {
      let steps = 0
      let value: unknown = values[i]
      for (let next = simplerValues(value, type).at(-1); next !== undefined; next = simplerValues(value, type).at(-1)) {
        value = next
        expect(++steps, String(value)).to.be.below(80)
      }
      expect(value).to.equal(null)
    }
  })
})
