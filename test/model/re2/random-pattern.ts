/** Random regular expressions and texts, with every construct of RE2's syntax and with mistakes. */

/** A random number below `below`. */
export type Random = (below: number) => number

/** Random numbers from a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!

const CHARACTERS = [...'abcABCkKsS019_- .,/:@é中ſK😀\n\t\r\u000b\u00a0\u2028\u0085\u0001']
const LITERALS = [
  ...CHARACTERS,
  ...['\\.', '\\*', '\\-', '\\/', '\\_', '\\{', ']', '}', '{', ',', '=', '<', '>', '#', '&'],
]
const ESCAPES = [
  ...[
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\b',
    '\\B',
    '\\A',
    '\\z',
    '\\Z',
    '\\n',
    '\\t',
    '\\r',
    '\\f',
    '\\v',
    '\\a',
  ],
  ...[
    '\\x41',
    '\\x{41}',
    '\\x{1F600}',
    '\\x{110000}',
    '\\x4',
    '\\0',
    '\\012',
    '\\101',
    '\\1',
    '\\8',
    '\\07',
    '\\Qa.b\\E',
    '\\Q*',
    '\\E',
  ],
  ...[
    '\\pL',
    '\\PL',
    '\\pN',
    '\\p{Lu}',
    '\\P{Lu}',
    '\\p{Greek}',
    '\\p{^Greek}',
    '\\p{Han}',
    '\\p{Any}',
    '\\p{Zs}',
    '\\p{Nope}',
    '\\pq',
  ],
  ...['\\C', '\\u0041', '\\cA', '\\h', '\\R', '\\K', '\\G', '\\X', '\\é', '\\y', '\\'],
]
const CLASS_MEMBERS = [
  ...[
    'a-z',
    'A-Z',
    '0-9',
    'a',
    'b',
    'k',
    'é',
    '😀',
    '中',
    '-',
    '_',
    '.',
    '^',
    '[',
    ':',
    '\\]',
    '\\-',
    '\\\\',
    '\\n',
    '\\d',
    '\\W',
    '\\s',
  ],
  ...[
    '[:alpha:]',
    '[:^alpha:]',
    '[:word:]',
    '[:space:]',
    '[:nope:]',
    '[=a=]',
    '[.a.]',
    '\\pL',
    '\\PN',
    '\\p{Greek}',
    '\\x41',
    '\\x{e9}-\\x{ff}',
  ],
  ...['\\b', '\\B', '\\Q', '\\C', 'z-a', 'a-\\d', '\\d-z', ' ', '\n', '&&', '--', 'A-z', '\\101', '\\0', '+--', '!-~'],
]
const QUANTIFIERS = [
  ...[
    '*',
    '+',
    '?',
    '*?',
    '+?',
    '??',
    '{2}',
    '{0}',
    '{1,3}',
    '{2,}',
    '{0,1}?',
    '{,3}',
    '{3,1}',
    '{1000}',
    '{1001}',
    '{1,',
    '{}',
    '{a}',
  ],
  ...['**', '+*', '?+', '*+', '{2}{3}', '{2}*', '{ 2}', '{02}', '{1,2}?', '{20}', '{30,40}'],
]
const GROUPS = [
  ...[
    '(',
    '(',
    '(',
    '(?:',
    '(?:',
    '(?i)',
    '(?i:',
    '(?s)',
    '(?s:',
    '(?m)',
    '(?m:',
    '(?U)',
    '(?U:',
    '(?-i:',
    '(?i-s:',
    '(?is)',
    '(?-)',
    '(?i-)',
  ],
  ...[
    '(?P<n>',
    '(?<n>',
    '(?P<é>',
    "(?'n'",
    '(?P=n)',
    '(?=',
    '(?!',
    '(?<=',
    '(?<!',
    '(?>',
    '(?#c)',
    '(?x)',
    '(?',
    '(?P<n',
    '(?i',
    '(?ii:',
    '(?^:',
  ],
]

function classOf(random: Random): string {
  const members = Array.from({ length: 1 + random(4) }, () => pick(random, CLASS_MEMBERS)).join('')
  const start = pick(random, ['[', '[', '[', '[^', '[]', '[^]'])
  return start + members + (random(12) === 0 ? '' : ']')
}

/** A random pattern; about half of them are valid. */
export function randomPattern(random: Random, depth = 0): string {
  const alternatives = Array.from({ length: random(5) === 0 ? 2 + random(2) : 1 }, () => {
    const pieces = Array.from({ length: random(depth === 0 ? 5 : 3) + (depth === 0 ? 1 : 0) }, () => {
      const kind = random(20)
      if (kind < 7) return pick(random, LITERALS) + quantifier(random)
      if (kind < 9) return '.' + quantifier(random)
      if (kind < 11) return pick(random, ['^', '$', '\\b', '^', '$'])
      if (kind < 13) return pick(random, ESCAPES) + quantifier(random)
      if (kind < 16) return classOf(random) + quantifier(random)
      if (depth > 3) return pick(random, CHARACTERS)
      const opening =
        random(4) === 0 ? pick(random, GROUPS) : pick(random, ['(', '(?:', '(?i:', '(?i)', '(?s:', '(?m:'])
      if (/^\(\?[\w-]*\)$/.test(opening)) return opening
      return opening + randomPattern(random, depth + 1) + (random(15) === 0 ? '' : ')') + quantifier(random)
    })
    return pieces.join('')
  })
  return alternatives.join('|')
}

const quantifier = (random: Random): string =>
  random(3) > 0 ? '' : random(3) === 0 ? pick(random, QUANTIFIERS) : pick(random, ['*', '+', '?', '{2}', '{1,3}'])

/** A random text, often one of the few characters that patterns have. */
export function randomText(random: Random): string {
  const few = random(2) === 0 ? CHARACTERS : [...'abc1 -']
  return Array.from({ length: random(9) }, () => pick(random, few)).join('')
}
