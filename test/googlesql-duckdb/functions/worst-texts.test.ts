/**
 * Every scalar function of the catalogue, and every cast of a text, with long texts that cost a careless algorithm the most:
 * it takes milliseconds, whether it succeeds, fails or is refused.
 */
import type { DuckDBPreparedStatement } from '@duckdb/node-api'
import { expect } from 'chai'
import { allFunctions } from '../../../googlesql/functions/all.js'
import type { FunctionEntry } from '../../../googlesql/functions/catalogue.js'
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { mayCast } from '../../../googlesql/types/cast-rules.js'
import { SCALAR_TYPES, STRING, type Type, typeName } from '../../../googlesql/types/types.js'
import { castSql } from '../../../googlesql-duckdb/emit/expressions/cast.js'
import { duckdbType } from '../../../googlesql-duckdb/emit/type.js'
import { failureOf } from '../../../runner/engines/duckdb/child/failure.js'
import { sampleOf } from '../../sample-size.js'
import { callsOf, sqlOf } from '../catalogue-calls.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'
import { worstTexts } from './worst-texts.js'

/** The length of the texts, in bytes. */
const LENGTH = 32_000
/** The most processor time of a call on a slow machine. An algorithm that is worse than linear takes a second and more. */
const MOST_MS = 250
/** Only a call that takes too long each time is too slow: other programs and the collection of garbage only add to its time. */
const MOST_ATTEMPTS = 10
/** Where the quarter of a text takes less than this, a time that grows as the square of the length is below MOST_MS for the whole. */
const MOST_MS_OF_QUARTER = MOST_MS / 4 ** 2

/** The SQL of a value of each type from the text `$1`; other types have no long texts. */
const FROM_TEXT: Readonly<Record<string, (text: string) => string>> = {
  STRING: text => text,
  BYTES: text => `encode(${text})`,
  JSON: text => `CAST(coalesce(TRY(bq_json_parse(${text}, 'round')), CAST(to_json(${text}) AS VARCHAR)) AS JSON)`,
  'ARRAY<STRING>': text => `[${text}]`,
}

/** The SQL of a usual value of each type. */
const USUAL: Readonly<Record<string, string>> = {
  INT64: '1::BIGINT',
  FLOAT64: '1.5::DOUBLE',
  NUMERIC: '1.5::DECIMAL(38,9)',
  BOOL: 'true',
  BYTES: `'a'::BLOB`,
  JSON: `'{"a":[1]}'::JSON`,
  DATE: `DATE '2024-01-02'`,
  DATETIME: `TIMESTAMP '2024-01-02 03:04:05'`,
  TIME: `TIME '03:04:05'`,
  TIMESTAMP: `TIMESTAMPTZ '2024-01-02 03:04:05+00'`,
  INTERVAL: 'INTERVAL 1 DAY',
}

/** A text that is valid as a path, a format or a time zone, where the function takes one. */
function usualText(name: string): string {
  if (name.startsWith('JSON_')) return '$.a'
  if (/^(?:PARSE|FORMAT)_/.test(name)) return '%Y'
  if (/DATE|TIME|^STRING$|^\$extract$/.test(name)) return 'UTC'
  return 'a'
}

/** Pairs of a label and the SQL. */
type Calls = readonly (readonly [label: string, sql: string])[]

/** The calls with `$1` in place of each argument in turn, beside usual arguments and beside long ones (`$2`), and of all. */
function callsWithTexts(entry: FunctionEntry): Calls {
  const calls = new Map<string, string>()
  for (const { args, type } of callsOf(entry)) {
    const values = args.flatMap((arg, index) => (isValue(arg) ? [{ index, type: arg.type }] : []))
    const texts = values.filter(value => Object.hasOwn(FROM_TEXT, typeName(value.type)))
    for (const { index } of texts) {
      for (const [beside, other] of BESIDE) {
        const columns = values.map(value => {
          const write = FROM_TEXT[typeName(value.type)]
          const text = value.index === index ? '$1::VARCHAR' : other
          return `unnest([${write && text !== null ? write(text) : usualOf(value.type, entry.name)}]) AS a${value.index}`
        })
        const types = values.map(value => typeName(value.type)).join(', ')
        const sql = `SELECT ${sqlOf(entry, args, type)} FROM (SELECT ${columns.join(', ')})`
        calls.set(sql, `(${types}), argument ${index + 1} beside ${beside}`)
      }
    }
  }
  return [...calls].map(([sql, label]) => [label, sql])
}

/** The SQL of the other texts; null for usual ones. */
const BESIDE: readonly (readonly [name: string, sql: string | null])[] = [
  ['usual arguments', null],
  ['long arguments', '$2::VARCHAR'],
  ['itself', '$1::VARCHAR'],
]

/** The calls with the constant `$1` as each of several texts. */
function callsOfConstants(entry: FunctionEntry): readonly string[] {
  const calls = callsOf(entry).flatMap(({ args, type }) => {
    const values = args.map(arg => {
      if (!arg || !isValue(arg)) return ''
      return FROM_TEXT[typeName(arg.type)]?.('$1') ?? usualOf(arg.type, entry.name)
    })
    if (values.filter(value => value.includes('$1')).length < 2) return []
    return [`SELECT ${sqlOf(entry, args, type).replace(/\ba(\d+)\b/g, (_, index) => `(${values[Number(index)]})`)}`]
  })
  return [...new Set(calls)]
}

const isValue = (arg: Expr | null): arg is Expr => arg !== null && arg.kind !== 'word' && arg.kind !== 'lambda'

function usualOf(type: Type, name: string): string {
  if (type.kind === 'ARRAY') return `[${usualOf(type.element, name)}]`
  if (type.kind === 'STRING') return `'${usualText(name)}'`
  return USUAL[type.kind] ?? `NULL::${duckdbType(type)}`
}

const TEXTS = new Map([LENGTH, LENGTH / 4].map(length => [length, worstTexts(length)]))
const textsOf = (length: number): Readonly<Record<string, string>> => TEXTS.get(length)!

const CAST_TARGETS = SCALAR_TYPES.filter(kind => kind !== 'STRING' && mayCast(STRING, { kind }))

const CASTS: Calls = CAST_TARGETS.map(kind => [
  `AS ${kind}`,
  `SELECT ${castSql('a0', STRING, { kind })} FROM (SELECT unnest([$1::VARCHAR]) AS a0)`,
])

const FUNCTIONS: readonly (readonly [name: string, calls: Calls])[] = allFunctions()
  .filter(({ kind }) => kind === 'scalar')
  .map(entry => [entry.name, callsWithTexts(entry)])

describe('a function with a long text', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession([], ['SET threads = 1'])
  })
  after(() => session.close())

  /** Runs the statement; returns what an author could not have caused. */
  const problemOf = async (
    statement: DuckDBPreparedStatement,
    text: string,
    beside: string,
  ): Promise<string | null> => {
    statement.bindVarchar(1, text)
    if (statement.parameterCount > 1) statement.bindVarchar(2, beside)
    try {
      await statement.runAndReadAll()
      return null
    } catch (error) {
      const failure = failureOf(error)
      if (failure.kind === 'query' && !failure.message.includes('Internal error')) return null
      return String(error).slice(0, 200)
    }
  }

  /** The processor time of a call with a text of a length: the least of its attempts, of which one below `enoughMs` is the last. */
  const measured = async (
    statement: DuckDBPreparedStatement,
    name: string,
    length: number,
    attempts: number,
    enoughMs: number,
  ) => {
    const { [name]: text = '', letters = '' } = textsOf(length)
    let [ms, problem]: [number, string | null] = [Number.POSITIVE_INFINITY, null]
    for (let attempt = 0; attempt < attempts && ms > enoughMs; attempt++) {
      const started = process.cpuUsage()
      problem = await problemOf(statement, text, letters)
      const { user, system } = process.cpuUsage(started)
      ms = Math.min(ms, (user + system) / 1000)
    }
    return { ms, problem }
  }

  /** The time of a text, whose quarter is tried first. */
  const timeOf = async (statement: DuckDBPreparedStatement, name: string) => {
    const quarter = await measured(statement, name, LENGTH / 4, 1, 0)
    if (quarter.problem !== null || quarter.ms <= MOST_MS_OF_QUARTER) return quarter
    return measured(statement, name, LENGTH, MOST_ATTEMPTS, MOST_MS)
  }

  for (const [name, calls] of [...FUNCTIONS, ['CAST', CASTS] as const]) {
    if (calls.length === 0) continue
    it(`takes milliseconds: ${name}`, async function () {
      this.timeout(0)
      const wrong: string[] = []
      // To prepare a statement takes longer than to run it.
      for (const [label, sql] of sampleOf(calls)) {
        const statement = await session.connection.prepare(sql)
        for (const text of sampleOf(Object.keys(textsOf(LENGTH)))) {
          const { ms, problem } = await timeOf(statement, text)
          if (ms > MOST_MS) wrong.push(`${label}, ${text}: ${Math.round(ms)} ms`)
          if (problem !== null) wrong.push(`${label}, ${text}: ${problem}`)
        }
        statement.destroySync()
      }
      expect(wrong).to.deep.equal([])
    })
  }

  it('takes milliseconds where DuckDB computes constants while it plans, also in branches that are not taken', async function () {
    this.timeout(0)
    const wrong: string[] = []
    for (const entry of allFunctions().filter(({ kind }) => kind === 'scalar')) {
      for (const sql of callsOfConstants(entry)) {
        let ms = Number.POSITIVE_INFINITY
        for (let attempt = 0; attempt < MOST_ATTEMPTS && ms > MOST_MS; attempt++) {
          const started = process.cpuUsage()
          await session.connection.run(sql.replaceAll('$1', `'${textsOf(LENGTH)['letters']}'`)).catch(() => null)
          const { user, system } = process.cpuUsage(started)
          ms = Math.min(ms, (user + system) / 1000)
        }
        if (ms > MOST_MS) wrong.push(`${entry.name}: ${Math.round(ms)} ms`)
      }
    }
    expect(wrong).to.deep.equal([])
  })
})
