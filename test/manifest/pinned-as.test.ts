/** Which patterns `pinned_as` may be, and that a pin never matches the text of another value. */
import { expect } from 'chai'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { compilePinnedAs, pinnedAsMistake } from '../../runner/manifest/pinned-as.js'
import { openEmbeddedEngine } from '../../runner/serve/engine.js'

const PIN = '{pin}'

/** Valid patterns: for URLs, for texts that are only the value, and for paths. */
const SOUND: readonly string[] = [
  '^https?://{pin}\\.',
  '^https?://{pin}[.:/]',
  '^https?://{pin}\\.[a-z0-9-]+\\.[a-z0-9-]+(:[0-9]+)?([/?#]|$)',
  '^https?://{pin}([/:]|$)',
  '^{pin}$',
  '^{pin}/',
  '^{pin}/+x',
  '^[a-z][a-z]-{pin}\\.',
  '^[a-z]*/{pin}/',
  '^tenants/{pin}/[a-z]*$',
  '^x?-{pin} (?:[0-9]-)?([,;]|$)',
  '^\\[{pin}\\]',
]

/** Invalid patterns, each with the message. */
const REFUSED: readonly (readonly [pinnedAs: string, mistake: RegExp])[] = [
  ...['', '.', '.*', '\\.?', '\\.*', '(\\.)?', '[a-z.]', 'a', '-', '_', '[.é]', '(\\.)?([/]|$)', '([/a]|$)'].map(
    end => [`^https?://{pin}${end}`, /where a value ends|holds \./] as const,
  ),
  ...['{pin}\\.', '{pin}$', '/{pin}/', '(?i)^{pin}$', '\\A{pin}$', 'x{pin}\\.', '*{pin}$', '\\Q{pin}\\E$'].map(
    text => [text, /does not begin with \^/] as const,
  ),
  ...['^[a-z]+', '^x?', '^/*', '^x?y?/', '^[a-z]+x/', '^a?a', '^s?[s:]/', '^x*y*/'].map(
    start => [`${start}{pin}\\.`, /where a value begins/] as const,
  ),
  ['', /holds no {pin}/],
  ['^https?://', /holds no {pin}/],
  ['^{pin}\\.{pin}$', /holds {pin} twice/],
  ...['*', '+', '?', '{2}', '{0,}'].map(sign => [`^{pin}${sign}\\.`, /^holds [*+?{]/] as const),
  ...[
    '^\\',
    '^({pin})$',
    '^[{',
    '^a{',
    '^.*/',
    '^(/)?',
    '^(^|,)',
    '^x|',
    '^\\d/',
    '^\\x2e',
    '^[^/]/',
    '^[[:alpha:]]/',
  ].map(start => [start.includes(PIN) ? start : `${start}${PIN}$`, /^holds .*which is not allowed here/] as const),
  ...[
    '\\b',
    '\\s',
    '\\pL',
    '\\W',
    '\\.|x',
    '[[:space:]]',
    '(\\.',
    '\\.)',
    '[.',
    '\\',
    '(\\.|/)',
    '(\\.)+',
    '((/)?)?',
    '[^.]',
    '/{2}',
    '$x',
  ].map(end => [`^${PIN}${end}`, /^holds .*which is not allowed here|without its \)\?/] as const),
  ['^{pin}/[z-a]', /not a valid RE2 regular expression/],
]

/** Values that have a special meaning as a regular expression or inside one. */
const HOSTILE: readonly string[] = [
  ...[
    '.',
    '.*',
    '..',
    'a|b',
    '|',
    '||',
    '(?i)abc',
    '(?s).',
    '(?:',
    '(',
    ')',
    '()',
    '[a-z]',
    '[',
    ']',
    '[^x]',
    '{',
    '}',
  ],
  ...[
    'a{0}',
    '{2}',
    '*',
    '+',
    '?',
    '^',
    '$',
    '^abc$',
    'abc$',
    'abc|',
    '\\',
    '\\\\',
    '\\E',
    '\\Q',
    '\\Qabc\\E',
    '\\E.*',
  ],
  ...['\\b', '\\d', '\\x41', '\\pL', '\\C', '{pin}', 'a{pin}', '$&', '$1', '\\1', '\n', 'a\nb', 'abc\n', '\r\n', '\t'],
  ...[
    '\u0001',
    '\u007f',
    'é',
    'ａｂｃ',
    '\u200babc',
    '😀',
    'a b',
    ' abc',
    "a'b",
    'a"b',
    '`',
    '%61',
    '#',
    '&',
    '--',
    '/*',
  ],
]

describe('pinned_as', () => {
  for (const pinnedAs of SOUND) {
    it(`may be ${pinnedAs}`, () => expect(pinnedAsMistake(pinnedAs)).to.equal(null))
  }
  for (const [pinnedAs, mistake] of REFUSED) {
    it(`may not be ${pinnedAs.slice(0, 40)}`, () => {
      expect(pinnedAsMistake(pinnedAs)).to.match(mistake)
      expect(compilePinnedAs(pinnedAs).textFor('abc.d/e'), 'and would be of no use').to.equal(null)
    })
  }

  it('turns a value into an expression that matches only the value', () => {
    const whole = compilePinnedAs('^{pin}$')
    for (const value of HOSTILE) {
      const text = whole.textFor(value)!
      expect(text, value).to.match(/^\^[\s\S]+\$$/)
      const expression = RE2JS.compile(text)
      for (const other of [...HOSTILE, 'abc', 'ABC', 'xabc', 'abcc', 'a', 'b', '', 'a.b']) {
        expect(expression.test(other), `${JSON.stringify(value)} and ${JSON.stringify(other)}`).to.equal(
          other === value,
        )
      }
    }
    expect(whole.textFor('abc-1_D'), 'and is easy to read').to.equal('^abc-1_D$')
  })

  it('gives null for a value that is empty or not text', () => {
    const whole = compilePinnedAs('^{pin}$')
    for (const value of ['', '\0', 'abc\0', '\0abc']) expect(whole.textFor(value)).to.equal(null)
  })

  const widened: readonly (readonly [pinnedAs: string, taken: readonly string[], refused: readonly string[]])[] = [
    ['^https?://{pin}\\.', ['abc', 'abc-1', 'a/b'], ['abc.def', '.', 'abc.', '.abc']],
    ['^https?://{pin}[.:/]', ['abc', 'a@b'], ['abc.def', 'abc:80', 'abc/', 'abc.supabase.co/rest']],
    ['^{pin}([,;]|$)', ['abc', 'abc.def'], ['abc,def', ',']],
    [
      '^https?://{pin}\\.[a-z]+\\.[a-z]+(:[0-9]+)?([/?#]|$)',
      ['abc', 'abc.def', 'abc.def.ghi', '.'],
      ['abc.example.com/x', 'a.b.c/d.e.f', 'a.b.c?d', 'a.b.c#d'],
    ],
  ]
  for (const [pinnedAs, taken, refused] of widened) {
    it(`${pinnedAs} gives null for a value that contains its delimiters`, () => {
      const { textFor } = compilePinnedAs(pinnedAs)
      for (const value of taken) expect(textFor(value), value).to.be.a('string')
      for (const value of refused) expect(textFor(value), value).to.equal(null)
    })
  }

  it('is accepted by RE2 too, with every value', async () => {
    const schema = [
      { name: 'pinned_as', type: 'STRING' },
      { name: 'value', type: 'STRING' },
      { name: 'pattern', type: 'STRING' },
    ]
    const rows = SOUND.flatMap(pinned_as => {
      const { textFor } = compilePinnedAs(pinned_as)
      return [...HOSTILE, 'abc'].flatMap(value => {
        const pattern = textFor(value)
        return pattern === null ? [] : [{ pinned_as, value, pattern }]
      })
    })
    const engine = await openEmbeddedEngine({ tables: { 't.patterns': { schema, rows } } })
    try {
      const sql =
        "SELECT COUNT(*), COUNTIF(pinned_as = '^{pin}$' AND REGEXP_CONTAINS(value, pattern)), LOGICAL_OR(REGEXP_CONTAINS('', pattern)) FROM `t.patterns`"
      const found = await engine.query(sql)
      expect(found.rows).to.deep.equal([[rows.length, HOSTILE.length + 1, false]])
      const others = `SELECT COUNT(*) FROM \`t.patterns\` AS p JOIN \`t.patterns\` AS o ON p.pinned_as = o.pinned_as
        WHERE p.pinned_as = '^{pin}$' AND p.value <> o.value AND REGEXP_CONTAINS(o.value, p.pattern)`
      expect((await engine.query(others)).rows).to.deep.equal([[0]])
    } finally {
      await engine.close()
    }
  })

  it('finds in no text two values, as trying all texts shows', () => {
    const piece = fc.constantFrom(
      'a',
      '\\.',
      '/',
      '[./]',
      '[a.]',
      'a?',
      '\\.?',
      '/*',
      'a+',
      '[./]+',
      '(\\./)?',
      '(a/)?',
    )
    const part = fc.array(piece, { maxLength: 3 }).map(pieces => pieces.join(''))
    const end = fc.constantFrom('', '$', '([.]|$)', '([./]|$)')
    const pins = ['a', '.', '/', 'a.', '/a', './']
    const texts = allTexts(['a', '.', '/'], 6)
    let sound = 0
    fc.assert(
      fc.property(part, part, end, (before, after, last) => {
        const { textFor } = compilePinnedAs(`^${before}{pin}${after}${last}`)
        for (const pin of pins.filter(one => textFor(one) !== null)) {
          sound++
          const confused = texts.find(text => isConfused(text, `^${before}`, after + last, pin))
          expect(confused, `^${before}{pin}${after}${last} for ${pin}`).to.equal(undefined)
        }
      }),
      { numRuns: 1_500, seed: 4 },
    )
    expect(sound).to.be.at.least(100)
  })
})

function allTexts(letters: readonly string[], length: number): readonly string[] {
  const texts = ['']
  for (let i = 0; i < texts.length; i++) {
    if (texts[i]!.length < length) for (const letter of letters) texts.push(texts[i]! + letter)
  }
  return texts
}

/** Whether two values that may hold the characters of this pin, besides `a`, can be found in the text at different places. */
function isConfused(text: string, before: string, after: string, pin: string): boolean {
  const [ahead, behind] = [new RegExp(`${before}$`), new RegExp(`^(?:${after})`)]
  const places: string[] = []
  for (let from = 0; from < text.length; from++) {
    if (!ahead.test(text.slice(0, from))) continue
    for (let to = from + 1; to <= text.length && (text[to - 1] === 'a' || pin.includes(text[to - 1]!)); to++) {
      if (behind.test(text.slice(to))) places.push(`${from} ${to}`)
    }
  }
  return places.length > 1
}
