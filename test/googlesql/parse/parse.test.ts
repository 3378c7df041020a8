/** The parser of GoogleSQL: its trees, the places in them, its error messages, and very deep and very long input. */

import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse as parseYaml } from 'yaml'
import type { Cast, Query, TypeNode } from '../../../googlesql/ast/nodes.js'
import { tokenize } from '../../../googlesql/lex/tokenize.js'
import { parseScript } from '../../../googlesql/parse/parse.js'
import { SqlError } from '../../../googlesql/sql-error.js'

type Case = Readonly<Record<string, string>>
const cases = (file: string): readonly Case[] =>
  parseYaml(readFileSync(new URL(`../../cases/googlesql-syntax/${file}.yaml`, import.meta.url), 'utf8'))

/**
 * A tree as one line: `kind(field: value, …)` without places, null, false and empty lists. Names and literals are written as
 * they are, operators between their operands.
 */
function show(node: unknown): string {
  if (node instanceof Uint8Array) return `b'${Buffer.from(node).toString('hex')}'`
  if (Array.isArray(node)) return `[${node.map(show).join(', ')}]`
  if (typeof node !== 'object' || node === null) return String(node)
  const { at, pathEnd, kind, isQuoted, ...rest } = node as Record<string, unknown>
  if (kind === 'binary') return `(${show(rest['left'])} ${rest['operator']} ${show(rest['right'])})`
  if (kind === 'unary') return `(${rest['operator']} ${show(rest['operand'])})`
  if (kind === 'dot') return `${show(rest['operand'])}.${show(rest['name'])}`
  if (kind === 'string') return JSON.stringify(rest['value'])
  if (kind === 'bool' || kind === 'int' || kind === 'float' || kind === 'bytes') return show(rest['value'])
  if (kind === 'parameter') return `@${rest['name']}`
  if (typeof isQuoted === 'boolean') return isQuoted ? `\`${rest['name']}\`` : String(rest['name'])
  const fields = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${show(value)}`)
  const isBare = kind !== undefined && fields.length === 0
  return isBare ? String(kind) : `${kind ?? ''}(${fields.join(', ')})`
}

const parseQuery = (sql: string): Query => parseScript(sql).query

function onlyExpression(query: Query): unknown {
  const item = query.body.kind === 'select' ? query.body.items[0] : undefined
  return item?.kind === 'expression' ? item.expression : item
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof SqlError) return error.message
    throw error
  }
  return 'nothing was refused'
}

describe('parseQuery reads expressions', () => {
  for (const { sql, is } of cases('expressions')) {
    it(sql!, () => expect(show(onlyExpression(parseQuery(`SELECT ${sql}`)))).to.equal(is))
  }
})

describe('parseQuery reads queries', () => {
  for (const { sql, is } of cases('queries')) {
    it(sql!, () => expect(show(parseQuery(sql!).body)).to.equal(is))
  }

  it('keeps WITH, ORDER BY, LIMIT and OFFSET with the query, not with the SELECT', () => {
    const sql =
      'WITH RECURSIVE a AS (SELECT 1), b AS (SELECT 2) SELECT 3 ORDER BY x DESC NULLS LAST, y LIMIT @n OFFSET 2'
    const { ctes, isRecursive, orderBy, limit, offset } = parseQuery(sql)
    expect(ctes.map(cte => cte.name.name)).to.deep.equal(['a', 'b'])
    expect(isRecursive).to.equal(true)
    expect(show(orderBy)).to.equal('[(expression: x, isDescending: true, nulls: last), (expression: y)]')
    expect(show([limit, offset])).to.equal('[@n, 2]')
  })

  it('skips hints wherever GoogleSQL allows one', () => {
    const bare = 'SELECT f(x) FROM t JOIN u USING (id) GROUP BY y ORDER BY z'
    const hinted =
      '@{a=1} SELECT @{b.c="}"} f(x) @{d=1} FROM t @{e=1} JOIN @5 @{f=2} u USING (id) GROUP @{g=1} BY y ORDER @{h=1} BY z'
    expect(show(parseQuery(hinted))).to.equal(show(parseQuery(bare)))
  })

  it('gives every unquoted name its place in the text, and no place outside the text', () => {
    const { checked, wrong } = checkPlaces(SOURCES)
    expect(wrong).to.deep.equal([])
    expect(checked).to.be.greaterThan(200)
  })

  it('gives an operator its own place and a call the place of its name', () => {
    const sql = 'SELECT a + SAFE.f(b)'
    const sum = onlyExpression(parseQuery(sql)) as { at: number; right: { at: number } }
    expect([sum.at, sum.right.at]).to.deep.equal([sql.indexOf('+'), sql.indexOf('SAFE')])
  })
})

/** The texts of the cases for queries and expressions, as queries. */
const SOURCES = [...cases('queries').map(({ sql }) => sql!), ...cases('expressions').map(({ sql }) => `SELECT ${sql}`)]

/**
 * Finds identifiers whose place does not have their name in the text. The place of a default `offset` alias is the word
 * OFFSET.
 */
function checkPlaces(sources: readonly string[]): { readonly checked: number; readonly wrong: readonly string[] } {
  const wrong: string[] = []
  let checked = 0
  const visit = (node: unknown, source: string): void => {
    if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return
    if ('at' in node && typeof node.at === 'number') {
      if (node.at < 0 || node.at >= source.length) wrong.push(`${node.at} in ${source}`)
      if ('isQuoted' in node && node.isQuoted === false && 'name' in node) {
        const name = String(node.name)
        checked++
        if (source.slice(node.at, node.at + name.length).toLowerCase() !== name.toLowerCase())
          wrong.push(`${name} in ${source}`)
      }
    }
    for (const child of Object.values(node)) visit(child, source)
  }
  for (const source of sources) visit(parseQuery(source), source)
  return { checked, wrong }
}

describe('parseQuery refuses', () => {
  for (const { sql, error } of cases('refused')) {
    it(sql === '' ? 'an empty text' : sql!, () => expect(refusal(() => parseQuery(sql!))).to.equal(error))
  }
})

describe('parseQuery on damaged text', () => {
  it('reads it or refuses it with its place, and never fails in another way', () => {
    const pieces = SOURCES.map(source => tokenize(source).map(({ at, end }) => source.slice(at, end)))
    const damage = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...pieces), fc.nat(), fc.nat(), fc.nat())
    fc.assert(
      fc.property(damage, ([first, second, cut, from, length]) => {
        const middle = second.slice(from % second.length).slice(0, length % 4)
        const head = first.slice(0, cut % first.length)
        const tail = first.slice((cut % first.length) + (from % 3))
        const text = [...head, ...middle, ...tail].join(' ')
        return typeof refusal(() => parseQuery(text)) === 'string'
      }),
      { numRuns: 1000 },
    )
  })
})

describe('parseQuery on deep and long input', () => {
  const nest = (open: string, inside: string, close: string, depth: number): string =>
    open.repeat(depth) + inside + close.repeat(depth)

  const READ: Readonly<Record<string, string>> = {
    'a hundred parentheses around a number': `SELECT ${nest('(', '1', ')', 100)}`,
    'a hundred parentheses around a query': nest('(', 'SELECT 1', ')', 100),
    'a hundred parentheses around a subquery': `SELECT ${nest('(', 'SELECT 1', ')', 100)}`,
    'a hundred parentheses around a subquery in a sum': `SELECT ${nest('(', '(SELECT 1) + 1', ')', 100)}`,
    'five thousand ORs': `SELECT ${'a OR '.repeat(5000)}b`,
    'five thousand ANDs of comparisons': `SELECT ${'a = 1 AND '.repeat(5000)}b`,
    'four hundred additions': `SELECT ${'1 + '.repeat(400)}1`,
    'two thousand UNION ALLs': `${'SELECT 1 UNION ALL '.repeat(2000)}SELECT 1`,
    'twenty thousand items of IN': `SELECT x IN (${'1, '.repeat(20000)}1)`,
  }
  for (const [name, sql] of Object.entries(READ)) {
    it(`reads ${name}`, () => expect(parseQuery(sql).kind).to.equal('query'))
  }

  const REFUSED: Readonly<Record<string, string>> = {
    parentheses: `SELECT ${nest('(', '1', ')', 10_000)}`,
    'open parentheses': '('.repeat(10_000),
    subqueries: `SELECT * FROM ${nest('(SELECT * FROM ', 't', ')', 10_000)}`,
    joins: `SELECT * FROM ${nest('(a JOIN ', 'b', ')', 10_000)}`,
    'joined tables': `SELECT * FROM a${', b'.repeat(5000)}`,
    NOT: `SELECT ${'NOT '.repeat(5000)}a`,
    'minus signs': `SELECT ${'- '.repeat(5000)}1`,
    additions: `SELECT ${'1 + '.repeat(5000)}1`,
    fields: `SELECT a${'.b'.repeat(5000)}`,
    subscripts: `SELECT a${'[0]'.repeat(5000)}`,
    arrays: `SELECT ${nest('[', '1', ']', 10_000)}`,
    calls: `SELECT ${nest('f(', '1', ')', 10_000)}`,
    CASE: `SELECT ${nest('CASE WHEN a THEN ', '1', ' END', 10_000)}`,
    INTERVAL: `SELECT ${'INTERVAL '.repeat(10_000)}`,
    lambdas: `SELECT ${nest('f(e -> ', '1', ')', 10_000)}`,
    types: `SELECT CAST(1 AS ${nest('ARRAY<', 'INT64', '>', 10_000)})`,
    WITH: 'WITH a AS ('.repeat(10_000),
    'every operator': `SELECT ${nest('a OR b AND c = d | e ^ f & g << h + i * -(', '1', ')', 10_000)}`,
  }
  for (const [name, sql] of Object.entries(REFUSED)) {
    it(`refuses thousands of ${name} inside each other`, () =>
      expect(refusal(() => parseQuery(sql))).to.match(/^Query is nested too deeply: at most \d+ /))
  }
})

describe('the type of a CAST', () => {
  const BEFORE = 'SELECT CAST(x AS '
  const typeIn = (text: string): TypeNode => (onlyExpression(parseQuery(`${BEFORE}${text})`)) as Cast).type
  const TYPES: Readonly<Record<string, TypeNode>> = {
    INT64: { kind: 'named', name: 'INT64', parameters: [], at: BEFORE.length },
    'numeric(10, 2)': { kind: 'named', name: 'numeric', parameters: ['10', '2'], at: BEFORE.length },
    INTERVAL: { kind: 'named', name: 'INTERVAL', parameters: [], at: BEFORE.length },
    'ARRAY<STRUCT<a INT64, STRING(5)>>': {
      kind: 'array',
      element: {
        kind: 'struct',
        fields: [
          { name: 'a', type: { kind: 'named', name: 'INT64', parameters: [], at: BEFORE.length + 15 } },
          { name: '', type: { kind: 'named', name: 'STRING', parameters: ['5'], at: BEFORE.length + 22 } },
        ],
        at: BEFORE.length + 6,
      },
      at: BEFORE.length,
    },
    'STRUCT<>': { kind: 'struct', fields: [], at: BEFORE.length },
  }
  for (const [text, type] of Object.entries(TYPES)) {
    it(`reads ${text}`, () => expect(typeIn(text)).to.deep.equal(type))
  }

  const BAD: Readonly<Record<string, string>> = {
    'ARRAY<INT64': 'Syntax error: Expected ">" but got ")" at [1:29]',
    'INT64 STRING': 'Syntax error: Expected ")" but got identifier "STRING" at [1:24]',
    'RANGE<INT64>': 'Unsupported type: RANGE<INT64> is not supported at [1:24]',
    "STRING COLLATE 'und:ci'": 'COLLATE is not supported at [1:25]',
    'NUMERIC(a)': 'Syntax error: Unexpected identifier "a" at [1:26]',
  }
  for (const [text, error] of Object.entries(BAD)) {
    it(`refuses ${text}`, () => expect(refusal(() => typeIn(text))).to.equal(error))
  }
})
