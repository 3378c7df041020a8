/** LIKE has the result of a simple reference implementation, in a time that does not explode for any text and pattern. */
import { expect } from 'chai'
import { STRING } from '../../../googlesql/types/types.js'
import { sampleOf, sampleSize } from '../../sample-size.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

const PAIRS = 6_000

/** Whether the pattern matches, by a table over all positions of the pattern and of the text; null for an invalid pattern. */
function reference(text: readonly string[], pattern: readonly string[]): boolean | null {
  const tokens: { readonly kind: '%' | '_' | 'char'; readonly char: string }[] = []
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (char === '\\') {
      if (++i === pattern.length) return null
      tokens.push({ kind: 'char', char: pattern[i]! })
    } else {
      tokens.push({ kind: char === '%' || char === '_' ? char : 'char', char })
    }
  }
  let reached = text.map(() => false)
  reached.unshift(true)
  for (const { kind, char } of tokens) {
    const next = reached.map(() => false)
    for (let at = 0; at <= text.length; at++) {
      if (kind === '%') next[at] = reached[at]! || (at > 0 && next[at - 1]!)
      else next[at] = at > 0 && reached[at - 1]! && (kind === '_' || text[at - 1] === char)
    }
    reached = next
  }
  return reached[text.length]!
}

const random = ((state: number) => (bound: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * bound)
})(7)
const drawn = (alphabet: readonly string[], most: number): string =>
  Array.from({ length: random(most + 1) }, () => alphabet[random(alphabet.length)]!).join('')

const TEXT = ['a', 'a', 'b', '%', '_', '\\', 'ä', '😀', '\n', '\r']
const PATTERN = ['a', 'a', 'b', '%', '%', '%', '_', '_', '\\%', '\\_', '\\\\', '\\a', 'ä', '😀', '\n']
/** Texts and patterns; one pattern of forty ends in a backslash. A text of several hundred characters leaves DuckDB's LIKE. */
const pairs = Array.from({ length: PAIRS }, (_, i) => [
  drawn(TEXT, 10).repeat(i % 3 === 0 ? 60 : 1),
  drawn(PATTERN, 9) + (i % 40 === 0 ? '\\' : ''),
])

const A60 = 'a'.repeat(60)
const SENTENCE = 'the seals of the eastern sea were seen between the three green reefs near the steep street '.repeat(3)
const LONG = 32_000
/** Pairs that took seconds to years, and the longest ones. */
const WORST: readonly (readonly [name: string, text: string, pattern: string])[] = [
  ['many %', A60, '%a%a%a%a%a%a%a%a%b'],
  ['many % and _', A60, '%a_%a_%a_%a_%a_%a_%a_%a_%b'],
  ['an escape', A60, '%\\a%a%a%a%a%a%a%a%a%b'],
  ['a sentence', SENTENCE, '%e%e%e%e%e%e%e%e%e%x'],
  ['two % and a long text', 'a'.repeat(LONG), '%a%b'],
  ['three % and a long text', 'a'.repeat(LONG), '%a%a%b'],
  ['a long part', 'a'.repeat(LONG), `%${'a'.repeat(LONG / 2)}b`],
  ['a long part that occurs', 'a'.repeat(LONG), `%${'a'.repeat(LONG / 4)}_b`],
  ['a long part between others', 'a'.repeat(LONG), `%${'a'.repeat(LONG / 4)}_b%a`],
  ['only _', 'a'.repeat(LONG), `${'_'.repeat(LONG)}b`],
  ['% and _', 'a'.repeat(LONG), '%_'.repeat(LONG / 2)],
  ['only %', 'a'.repeat(LONG), `${'%'.repeat(LONG)}b`],
  ['escapes', '%'.repeat(LONG), `${'\\%'.repeat(LONG / 2)}b`],
  ['% after each character', 'a'.repeat(LONG), `${'a%'.repeat(LONG / 2)}b`],
]
/** DuckDB makes a call of constants several times, and parses and plans the query. The slowest pair takes a third of it. */
const MOST_QUERY_MS = 400
/** What `yardstick` takes on the machine on which MOST_QUERY_MS was measured: where it takes longer, so may a pair. */
const YARDSTICK_MS = 24
/** Compares characters; as slow as LIKE where functions are counted for coverage. */
function yardstick(): number {
  let equal = 0
  for (let start = 0; start < 300; start++) {
    for (let at = 0; at < LONG; at++) if (YARDSTICK_TEXT.charCodeAt(at) === YARDSTICK_TEXT.charCodeAt(start)) equal++
  }
  return equal
}
const YARDSTICK_TEXT = 'a'.repeat(LONG)
/** Only a pair that takes too long each time is too slow: other programs and the collection of garbage only add to its time. */
const MOST_ATTEMPTS = 10

describe('LIKE', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
    await session.connection.run('CREATE TABLE pairs (text VARCHAR, pattern VARCHAR)')
    const values = pairs.map(pair => `(${pair.map(quoted).join(', ')})`)
    await session.connection.run(`INSERT INTO pairs VALUES ${values.join(', ')}`)
  })
  after(() => session.close())

  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
  const outcome = async (condition: string, values: readonly string[]): Promise<unknown> => {
    const types = Object.fromEntries(values.map((_, i) => [`p${i}`, STRING]))
    try {
      return (await session.query(`SELECT ${condition}`, types, values as never[]))[0]![0]
    } catch (error) {
      const { message } = error as Error
      if (message.includes('LIKE pattern ends with a backslash')) return null
      if (message.includes('Resources exceeded during query execution')) return 'refused'
      throw error
    }
  }

  for (const [type, units] of [
    ['STRING', (text: string): string[] => [...text]],
    ['BYTES', (text: string): string[] => [...Buffer.from(text).toString('latin1')]],
  ] as const) {
    it(`of columns of ${type} is what a simple implementation computes`, async () => {
      const isValid = pairs.map(([text, pattern]) => reference(units(text!), units(pattern!)) !== null)
      expect(isValid.filter(valid => !valid).length).to.be.greaterThan(PAIRS / 50)
      const value = (column: string): string => (type === 'BYTES' ? `encode(${column})` : column)
      const macro = type === 'BYTES' ? 'bq_bytes_like' : 'bq_like'
      const like = `${macro}(${value('text')}, ${value('pattern')})`
      const rows = await session.rows(
        `SELECT text, pattern, ${like} FROM pairs WHERE NOT regexp_full_match(pattern, '(?s)([^\\\\]|\\\\.)*\\\\')`,
      )
      expect(rows.length).to.equal(isValid.filter(Boolean).length)
      const wrong = rows.filter(([text, pattern, result]) => {
        return result !== reference(units(text as string), units(pattern as string))
      })
      expect(wrong).to.deep.equal([])
      const failing = `SELECT ${like} FROM pairs WHERE regexp_full_match(pattern, '(?s)([^\\\\]|\\\\.)*\\\\')`
      const error = await session.rows(failing).catch((error: Error) => error.message)
      expect(error).to.contain('LIKE pattern ends with a backslash')
    })
  }

  it('of a literal, and of an argument, is what a simple implementation computes', async function () {
    this.timeout(60_000)
    for (const [text, pattern] of pairs.slice(0, sampleSize(50)) as [string, string][]) {
      const expected = reference([...text], [...pattern])
      const literal = JSON.stringify(pattern)
      const label = JSON.stringify([text, pattern])
      expect(await outcome('@p0 LIKE @p1', [text, pattern]), label).to.equal(expected)
      expect(await outcome(`@p0 LIKE ${literal}`, [text]), label).to.equal(expected)
      expect(await outcome(`@p0 NOT LIKE ${literal}`, [text]), label).to.equal(expected === null ? null : !expected)
      expect(await outcome(`@p0 LIKE ANY (${literal}, 'no')`, [text]), label).to.equal(expected)
      expect(await outcome('@p0 LIKE ALL UNNEST([@p1])', [text, pattern]), label).to.equal(expected)
    }
  })

  it('is NULL where the text or the pattern is', async () => {
    const sql = 'SELECT x LIKE p, CAST(x AS BYTES) LIKE CAST(p AS BYTES) FROM UNNEST(@p0) x, UNNEST(@p1) p'
    const nulls = sql.replace('@p0', "[CAST(NULL AS STRING), '']").replace('@p1', "[CAST(NULL AS STRING), '%a%a%a%a']")
    expect(await session.query(nulls)).to.have.deep.members([
      [null, null],
      [null, null],
      [null, null],
      [false, false],
    ])
  })

  it('finds a phrase in a text of a megabyte', async () => {
    const text = 'some words and more of them. '.repeat(36_000)
    for (const [condition, pattern, expected] of [
      ["@p0 LIKE CONCAT('%', @p1, '%')", 'needle in the haystack of', false],
      ["CONCAT(@p0, 'a needle in the haystack') LIKE CONCAT('%', @p1, '%')", 'needle in the haystack', true],
      ["@p0 LIKE CONCAT('%', @p1, '%')", 'more_of_them. some_words', true],
      ['@p0 LIKE @p1', 'some words and more of%', true],
      ['@p0 LIKE @p1', '%more of them%some words%and more of them. ', true],
      ['CAST(@p0 AS BYTES) LIKE CAST(@p1 AS BYTES)', 'some words and more of%', true],
      ['CAST(@p0 AS BYTES) LIKE CAST(@p1 AS BYTES)', '%more of them%some words%_hem. ', true],
    ] as const) {
      expect(await outcome(condition, [text, pattern]), `${condition} ${pattern}`).to.equal(expected)
    }
  })

  const WRITERS: Readonly<Record<string, string>> = {
    'of arguments': '@p0 LIKE @p1',
    'of BYTES': 'CAST(@p0 AS BYTES) LIKE CAST(@p1 AS BYTES)',
    'of columns': '(SELECT LOGICAL_OR(x LIKE p) FROM UNNEST([@p0]) x, UNNEST([@p1]) p)',
    'of an array of patterns': '@p0 LIKE ANY UNNEST([@p1])',
  }
  /** Milliseconds of processor time that `run` takes. */
  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const started = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
  for (const [form, condition] of sampleOf(Object.entries(WRITERS))) {
    it(`${form} takes milliseconds for each pair of long text and pattern, or is refused`, async function () {
      this.timeout(120_000)
      for (const [name, text, pattern] of WORST) {
        const label = `${name}: ${text.slice(0, 20)}… LIKE ${pattern.slice(0, 20)}…`
        let [ms, most, result]: [number, number, unknown] = [Number.POSITIVE_INFINITY, 0, null]
        for (let attempt = 0; attempt < MOST_ATTEMPTS && ms >= most; attempt++) {
          most = (MOST_QUERY_MS * (await timed(async () => yardstick()))) / YARDSTICK_MS
          ms = await timed(async () => {
            result = await outcome(condition, [text, pattern])
          })
        }
        expect(ms, label).to.be.lessThan(most)
        if (result !== 'refused') expect(result, label).to.equal(name === '% and _')
      }
    })
  }
})
