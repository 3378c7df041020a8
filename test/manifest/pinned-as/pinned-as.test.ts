/** Which patterns `pinned_as` may be, and that a pin never matches the text of another value. */
import { expect } from 'chai'
import fc from 'fast-check'
import { openEmbeddedEngine } from '../../../runner/compose/engine.js'
import { compilePinnedAs, pinnedAsMistake, textOfSeveral } from '../../../runner/manifest/pinned-as/pinned-as.js'

/** Valid patterns: for URLs, for texts that are only the value, for lists and for paths. */
const SOUND: readonly string[] = [
  '^https?://{pin}\\.',
  '^https?://{pin}[.:/]',
  '^https?://{pin}\\.[a-z0-9-]+\\.[a-z0-9-]+(:[0-9]+)?([/?#]|$)',
  '^(?:http|wss?)://{pin}(\\.|/|$)',
  '^{pin}$',
  '\\A{pin}\\z',
  '^{pin}/',
  '^{pin}\\s',
  '^[a-z]{2}-{pin}\\x2e',
  '^tenants/{pin}/[^/]*$',
  '(^|[,;]){pin}([,;]|$)',
  '^.*/{pin}/',
  '/{pin}/',
  '^{pin}(?:\\.[a-z]+)?/',
  '^\\[{pin}\\]',
  '^[]a]{pin}[^\\w\\-\\x{80}-\\x{10ffff}]',
]

/** Invalid patterns, each with the message. */
const REFUSED: readonly (readonly [pinnedAs: string, mistake: RegExp])[] = [
  ['^https?://{pin}', /where a value ends: .*"http:\/\/aa" would belong to "aa" and to "a"/],
  ['^{pin}', /where a value ends/],
  ['^https?://{pin}.', /where a value ends/],
  ['^https?://{pin}.*', /where a value ends/],
  ['^https?://{pin}\\.?', /where a value ends/],
  ['^https?://{pin}\\.*', /where a value ends/],
  ['^https?://{pin}(\\.|)', /where a value ends/],
  ['^https?://{pin}(\\.|x)', /where a value ends/],
  ['^https?://{pin}[a-z.]', /where a value ends/],
  ['^https?://{pin}-', /where a value ends/],
  ['^https?://{pin}_', /where a value ends/],
  ['^https?://{pin}\\W', /where a value ends: .*"a-"/],
  ['^https?://{pin}[^a-zA-Z0-9_-]', /where a value ends: .*é/],
  ['{pin}\\.', /where a value begins: .*"aa\." would belong to/],
  ['{pin}$', /where a value begins/],
  ['^.*{pin}\\.', /where a value begins/],
  ['^[a-z]+{pin}\\.', /where a value begins/],
  ['^(https?://)?{pin}\\.|', /outside of a group/],
  ['x{pin}\\.', /where a value begins/],
  ['-{pin}-', /where a value begins/],
  ['', /holds no {pin}/],
  ['^https?://', /holds no {pin}/],
  ['^\\{pin}$', /holds no {pin}/],
  ['^{pin}\\.{pin}$', /holds {pin} twice/],
  ['^({pin})$', /in a group/],
  ['^(?:{pin}\\.|x)', /in a group/],
  ['^[{pin}]$', /in a class/],
  ['^x|{pin}\\.', /outside of a group/],
  ['^{pin}\\.|x', /outside of a group/],
  ...['*', '+', '?', '{2}', '{0,}'].map(sign => [`^{pin}${sign}\\.`, /repeats {pin}/] as const),
  ['(?i)^{pin}$', /begins with \(\?/],
  ['(?m)^{pin}$', /begins with \(\?/],
  ['^{pin}(?=\\.)', /begins with \(\?/],
  ['\\Q{pin}\\E$', /holds \\Q/],
  ['^{pin}\\b', /holds \\b/],
  ['^{pin}\\pL', /holds \\p/],
  ['^\\0{pin}$', /holds \\0/],
  ['^\\1{pin}$', /holds \\1/],
  ['^\\x4{pin}$', /holds \\x/],
  ['^a{{pin}}$', /write \\{/],
  ['^{pin}[[:space:]]', /write a range/],
  ['^{pin}(\\.', /not a regular expression/],
  ['^{pin}\\.)', /not a regular expression/],
  ['^{pin}[.', /not a regular expression/],
  ['^{pin}\\', /not a regular expression/],
  ['*{pin}$', /not a regular expression/],
  ['^a**{pin}$', /not a regular expression/],
  ['^a{2,1}{pin}$', /not a regular expression/],
  ['^[z-a]{pin}$', /not a regular expression/],
  ['^[\\d-z]{pin}$', /not a regular expression/],
  ['^^*{pin}$', /repeats \^/],
  ['^a{1001}{pin}$', /more than 1000 times/],
  ['^(a{1000}){1000}{pin}$', /too large/],
  [`^${'('.repeat(60)}a${')'.repeat(60)}{pin}$`, /too deeply/],
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
  it('finds one value in a text if it begins with ^, otherwise it may find several', () => {
    const several = SOUND.filter(pinnedAs => textOfSeveral(pinnedAs) !== null)
    expect(several).to.deep.equal(['(^|[,;]){pin}([,;]|$)', '^.*/{pin}/', '/{pin}/'])
    expect(textOfSeveral('/{pin}/')).to.match(/^\/[\w-]\/\/?[\w-]\/$/)
  })

  for (const [pinnedAs, mistake] of REFUSED) {
    it(`may not be ${pinnedAs.slice(0, 40)}`, () => {
      expect(pinnedAsMistake(pinnedAs)).to.match(mistake)
      expect(compilePinnedAs(pinnedAs).textFor('abc.d/e'), 'and would be of no use').to.equal(null)
    })
  }

  it('is judged in bounded time, however large it is', () => {
    const began = performance.now()
    const parts = Array.from({ length: 90 }, (_, i) => `(a${i}|b)?.*`).join('')
    for (const large of [
      `^${parts}{pin}${parts}$`,
      `^${'.*'.repeat(150)}/{pin}/`,
      `^[a-z]{0,150}/{pin}/${'.?'.repeat(100)}`,
    ]) {
      expect(pinnedAsMistake(large)).to.match(/too large|where a value/)
    }
    expect(performance.now() - began).to.be.below(50_000)
  })

  it('turns a value into an expression that matches only the value', () => {
    const whole = compilePinnedAs('^{pin}$')
    for (const value of HOSTILE) {
      const text = whole.textFor(value)!
      expect(text, value).to.match(/^\^[\s\S]+\$$/)
      // In this subset RE2 and JavaScript agree, except in the syntax of code points.
      const expression = new RegExp(text.replace(/\\x\{([0-9a-f]+)\}/g, (_, hex) => `\\x${hex.padStart(2, '0')}`))
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
    ['(^|,){pin}(,|$)', ['abc', 'abc.def'], ['abc,def', ',']],
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

  it('is judged in the same way as by trying all texts', () => {
    const piece = fc.constantFrom(
      'a',
      '\\.',
      '/',
      '.',
      '[^.]',
      '[a.]',
      'a?',
      '\\.?',
      '/*',
      '(a|/)',
      '(\\.|/)+',
      'a+',
      '(\\./)?',
    )
    const part = fc.array(piece, { maxLength: 3 }).map(pieces => pieces.join(''))
    const start = fc.constantFrom('', '^', '(^|/)')
    const end = fc.constantFrom('', '$', '($|\\.)')
    const texts = allTexts(['a', '.', '/'], 5)
    fc.assert(
      fc.property(start, part, part, end, (first, before, after, last) => {
        const pinnedAs = `${first}${before}{pin}${after}${last}`
        if (/\{pin\}[*+?]/.test(pinnedAs)) return
        const mistake = pinnedAsMistake(pinnedAs)
        const confused = texts.find(text => isConfused(text, first + before, after + last))
        if (confused !== undefined) expect(mistake, `${pinnedAs} and ${confused}`).to.match(/where a value/)
        if (mistake === null) return
        const [, example] = /the text (".*?") would belong/.exec(mistake)!
        expect(isConfused(JSON.parse(example!), first + before, after + last), `${pinnedAs}: ${mistake}`).to.equal(true)
      }),
      { numRuns: 500 },
    )
  })
})

function allTexts(letters: readonly string[], length: number): readonly string[] {
  const texts = ['']
  for (let i = 0; i < texts.length; i++) {
    if (texts[i]!.length < length) for (const letter of letters) texts.push(texts[i]! + letter)
  }
  return texts
}

/** Whether two values of word characters and hyphens can be found in the text at different places that overlap. */
function isConfused(text: string, before: string, after: string): boolean {
  const [ahead, behind] = [new RegExp(`(?:${before})$`), new RegExp(`^(?:${after})`)]
  const places: (readonly [number, number])[] = []
  for (const { index, 0: run } of text.matchAll(/[\w-]+/g)) {
    for (let from = index; from < index + run.length; from++) {
      if (!ahead.test(text.slice(0, from))) continue
      for (let to = from + 1; to <= index + run.length; to++) if (behind.test(text.slice(to))) places.push([from, to])
    }
  }
  return places.some(([a, b]) => places.some(([c, d]) => a < d && c < b && (a !== c || b !== d)))
}
