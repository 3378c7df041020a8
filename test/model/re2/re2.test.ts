/** Regular expressions are read as DuckDB's RE2 reads them, are small, and match in linear time. */
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { RE2JS } from 're2js'
import { patternSize } from '../../../googlesql/data.js'
import { Pattern, quoteForRe2, re2Problem, UNICODE_CLASS } from '../../../runner/model/re2.js'
import { processorMs } from '../../processor-time.js'
import { sampleSize } from '../../sample-size.js'
import { randomOf, randomPattern, randomText } from './random-pattern.js'

describe('a regular expression', () => {
  it('means what it means to DuckDB, which takes every one that is taken here', async function () {
    this.timeout(600_000)
    const random = randomOf(7)
    const texts = Array.from({ length: 200 }, () => randomText(random))
    const instance = await DuckDBInstance.create(':memory:')
    try {
      const duckdb = await instance.connect()
      await duckdb.run('CREATE TABLE texts (text VARCHAR, nth INTEGER)')
      for (const [at, text] of texts.entries()) await duckdb.run('INSERT INTO texts VALUES ($1, $2)', [text, at])
      // DuckDB rewrites some calls with a constant pattern, and a few of those wrongly, so the pattern is not constant here.
      const pattern = 'CASE WHEN random() >= 0 THEN $1 END'
      const asked = await duckdb.prepare(
        `SELECT regexp_matches(text, ${pattern}), regexp_full_match(text, ${pattern}) FROM texts WHERE nth >= $2 AND nth < $2 + 16 ORDER BY nth`,
      )
      let compared = 0
      for (let i = 0; i < sampleSize(1_500); i++) {
        const source = randomPattern(random)
        if (re2Problem(source) !== null) continue
        const from = random(texts.length - 16)
        asked.bindVarchar(1, source)
        asked.bindInteger(2, from)
        const rows = (await asked.runAndReadAll()).getRows()
        const [anywhere, whole] = [RE2JS.compile(source), new Pattern(source)]
        for (const [j, row] of rows.entries()) {
          const text = texts[from + j]!
          const about = `${JSON.stringify(source)} over ${JSON.stringify(text)}`
          expect([anywhere.test(text), whole.matches(text)], about).to.deep.equal(row)
          compared++
        }
      }
      expect(compared).to.be.at.least(sampleSize(8_000))
    } finally {
      instance.closeSync()
    }
  })

  it('has a program that is bounded by the size that is told before it is compiled', () => {
    const random = randomOf(11)
    for (let i = 0; i < 5_000; i++) {
      const source = randomPattern(random)
      if (re2Problem(source) !== null) continue
      const size = RE2JS.compile(source).programSize()
      expect(size, source).to.be.at.most(4 * patternSize(source, UNICODE_CLASS).pieces + 8)
    }
  })

  for (const [source, problem] of [
    ['a{1,1000}', null],
    ['(?i)^(?P<name>[a-z\\d]{2,20})\\.(?:x|\\Q{2}\\E)$', null],
    ['\\p{Greek}{40}', null],
    ['a{1,1000}b{1,1000}', 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    ['(?:a{2}){3}{4}', 'is not a valid RE2 regular expression: invalid nested repetition operator'],
    ['((?:(?:a{10}b){10}){10})', 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    ['\\PL{1000}', 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    ['[\\pL\\pN]'.repeat(100), 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    [`[${'äöü'.repeat(30)}]{100}`, 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    ['a{99999999999}', 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    [
      `${'('.repeat(200)}a${'){1000}'.repeat(200)}{1}`,
      'is too large: its repetitions and classes may stand for at most 1000 characters',
    ],
    ['[Ā-\uffff]'.repeat(200), null],
    ['(?i)[à-ž]{3}\\pL', null],
    ['(?i)[Ā-\uffff]x[Ā-\uffff]', 'is too large: its repetitions and classes may stand for at most 1000 characters'],
    [
      '(?s:(?-s:(?i:[\\x{100}-\\x{10FFFF}])))',
      'is too large: its repetitions and classes may stand for at most 1000 characters',
    ],
    ['(?<name>a)', 'is not a valid RE2 regular expression: write (?P<name>…) instead of (?<name>…)'],
    ['[(?<]', null],
    ['\\(?<', null],
    ['abc(', 'is not a valid RE2 regular expression: missing closing )'],
    ['(?=a)', 'is not a valid RE2 regular expression: invalid or unsupported Perl syntax'],
    ['(a)\\1', 'is not a valid RE2 regular expression: invalid escape sequence'],
    ['\\C', 'is not a valid RE2 regular expression: invalid escape sequence'],
  ] as const) {
    it(`${problem === null ? 'may' : 'may not'} be ${source.slice(0, 50)}`, () => {
      expect(re2Problem(source)).to.equal(problem)
    })
  }

  it('costs at most 50 ms to check, whatever its text of 1 kB is', () => {
    const pieces = [
      '\\pL',
      'a{1,1000}',
      '(a{9}){9}',
      '[^\\PL]',
      '(',
      '(?:a*)*',
      'a?',
      '|',
      '[[:',
      '\\p{',
      '\\Q',
      '(?a',
      '{1',
      '[a-zß-ÿ]',
      '[Ā-\uffff]',
      '[B-\u{10ffff}]',
      '\\p{Lu}',
      '.{9}',
    ]
    for (const piece of pieces) {
      for (const flags of ['', '(?i)', '(?s)']) {
        const source = (flags + piece.repeat(1_024)).slice(0, 1_024)
        // The last character differs, so that no result is remembered.
        let nth = 0
        const took = processorMs(() => re2Problem(source.slice(0, -1) + nth++))
        expect(took, source.slice(0, 30)).to.be.below(50)
      }
    }
  })

  it('is not checked again when it is sent again', () => {
    const source = `(?i)${'[^\\PL]'.repeat(40)}`
    re2Problem(source)
    expect(
      processorMs(() => {
        for (let i = 0; i < 1_000; i++) re2Problem(source)
      }),
    ).to.be.below(10)
  })

  it('matches long texts in time linear in them, also where repetitions overlap', () => {
    for (const source of ['[äöü]*[äöü]*[äöü]*[äöü]*', 'ä*ä*ä*ä*', '(a+)+', '(?:a|a)*b', '(x+x+)+y', '.*.*.*=.*']) {
      const pattern = new Pattern(source)
      for (const unit of ['ä', 'a', 'x', 'ab', '=']) {
        expect(
          processorMs(() => pattern.matches(`${unit.repeat(32_768)}!`)),
          `${source} ${unit}`,
        ).to.be.below(100)
      }
    }
  })

  it('is quoted, so that it matches its own text and no other', () => {
    for (const text of ['a.b', '^$', '\\E', '[a]{2}', '|', '\n', 'é😀', '(?i)', '-', '#']) {
      expect(new Pattern(quoteForRe2(text)).matches(text), text).to.equal(true)
      for (const other of ['axb', '', 'A', `${text} `, `x${text}`]) {
        expect(new Pattern(quoteForRe2(text)).matches(other), `${text} and ${other}`).to.equal(false)
      }
    }
  })
})
