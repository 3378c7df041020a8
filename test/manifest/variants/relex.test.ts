import { expect } from 'chai'
import { type Random, seededRandom } from '../../../authoring/sample/random.js'
import { type Token, tokenize } from '../../../googlesql/lex/tokenize.js'
import { SqlError } from '../../../googlesql/sql-error.js'
import { type TokenizedText, tokenizeAlike } from '../../../runner/manifest/variants/relex.js'

const textOf = (source: string): TokenizedText => ({ source, tokens: tokenize(source) })

const PAIRS: readonly { readonly what: string; readonly known: string; readonly source: string }[] = [
  { what: 'the same text', known: 'SELECT a FROM t', source: 'SELECT a FROM t' },
  { what: 'another word', known: 'SELECT DAY, a.b FROM t', source: 'SELECT MINUTE, a.b FROM t' },
  { what: 'several other words', known: 'SELECT DAY, 1, DAY FROM t', source: 'SELECT HOUR, 24, HOUR FROM t' },
  {
    what: 'a condition more',
    known: 'SELECT a FROM t WHERE b GROUP BY a',
    source: 'SELECT a FROM t WHERE b AND c GROUP BY a',
  },
  {
    what: 'a condition less',
    known: 'SELECT a FROM t WHERE b AND c GROUP BY a',
    source: 'SELECT a FROM t WHERE b GROUP BY a',
  },
  { what: 'a longer text', known: 'SELECT a', source: 'SELECT a FROM t' },
  { what: 'a shorter text', known: 'SELECT a FROM t', source: 'SELECT a' },
  { what: 'a word that goes on', known: 'SELECT a FROM t', source: 'SELECT ab FROM t' },
  { what: 'a dot before a word', known: 'SELECT t, select FROM t', source: 'SELECT t. select FROM t' },
  { what: 'a dot after a number', known: 'SELECT a-1 .b', source: 'SELECT a-1.b' },
  { what: 'a name with dashes', known: 'SELECT * FROM x, p-1.d.t', source: 'SELECT * FROM x-p-1.d.t' },
  { what: 'what becomes a comment', known: 'SELECT a - 1, b\n, c', source: 'SELECT a --1, b\n, c' },
  { what: 'what was a comment', known: 'SELECT a /* b, */ , c', source: 'SELECT a / * b, */ , c' },
  { what: 'a quote that is no end', known: "SELECT 'a', 'b'", source: "SELECT 'a\\', 'b'" },
  { what: 'nothing', known: 'SELECT a', source: '' },
]

describe('tokenize alike', () => {
  for (const { what, known, source } of PAIRS) {
    it(`reads ${what} as if nothing were known`, () => {
      expect(outcomeOf(() => tokenizeAlike(source, textOf(known)))).to.deep.equal(outcomeOf(() => tokenize(source)))
    })
  }

  it('reads texts that were changed at random as if nothing were known', () => {
    const random = seededRandom(11)
    let compared = 0
    while (compared < 3_000) {
      const known = randomText(random, 20)
      const read = outcomeOf(() => tokenize(known))
      if (typeof read === 'string') continue
      const source = changed(random, known)
      const said = JSON.stringify([known, source])
      const alike = outcomeOf(() => tokenizeAlike(source, { source: known, tokens: read }))
      expect(alike, said).to.deep.equal(outcomeOf(() => tokenize(source)))
      compared += 1
    }
  })

  it('reuses the tokens before the first difference', () => {
    const known = textOf('SELECT a, b FROM t WHERE c = 1')
    const tokens = tokenizeAlike('SELECT a, b FROM t WHERE c = 2', known)
    expect(tokens[0]).to.equal(known.tokens[0])
    expect(tokens[5]).to.equal(known.tokens[5])
  })
})

/** The tokens, or the reason and place of the mistake in the text. */
function outcomeOf(read: () => readonly Token[]): readonly Token[] | string {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof SqlError) return `${thrown.reason} at ${thrown.offset}`
    throw thrown
  }
}

const PARTS =
  'SELECT from a . .b `x y` 1 1. .5 1e5 0x1F - -- p-1.d.t /* */ # \' " """ r"x" b\'x\' @ @name < << >= | |> ( ) , ; ?'

function randomText(random: Random, length: number): string {
  const parts = [...PARTS.split(' '), '\n']
  return Array.from({ length }, () => random.pick(parts) + (random.isTrue(0.7) ? ' ' : '')).join('')
}

function changed(random: Random, text: string): string {
  let result = text
  for (let changes = random.int(1, 4); changes > 0; changes -= 1) {
    const at = random.int(0, result.length)
    result = result.slice(0, at) + randomText(random, random.int(0, 2)) + result.slice(at + random.int(0, 5))
  }
  return result
}
