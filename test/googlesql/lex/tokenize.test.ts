/** The tokens of GoogleSQL text. Texts that the tokenizer refuses are among the parser's cases. */

import { expect } from 'chai'
import { type Token, tokenize } from '../../../googlesql/lex/tokenize.js'

/** A token as `kind:text`; symbols and unquoted words only as their term in the grammar. */
function show({ kind, term, text, bytes }: Token): string {
  if (bytes !== null) return `${kind}:${Buffer.from(bytes).toString('hex')}`
  return term === '' ? `${kind}:${text}` : term
}
const shown = (source: string): string => tokenize(source).slice(0, -1).map(show).join(' ')

const TOKENS: readonly { readonly name: string; readonly source: string; readonly is: string }[] = [
  { name: 'words are compared in upper case', source: 'select Foo _b1', is: 'SELECT FOO _B1' },
  { name: 'a word after a dot is a name', source: 'a.select . from', is: 'A . identifier:select . identifier:from' },
  {
    name: 'digits after a dot of a path are a name',
    source: 'a.1.2b .3',
    is: 'A . identifier:1 . identifier:2b . identifier:3',
  },
  { name: 'digits after any other dot are a number', source: 'AND .5 + (.5)', is: 'AND float:.5 + ( float:.5 )' },
  { name: 'a quoted name keeps its case and its spaces', source: '`a B`.`c\\`d`', is: 'quoted:a B . quoted:c`d' },
  { name: 'two greater-than signs stay apart for types', source: 'a>>b<<c', is: 'A > > B << C' },
  { name: 'the longest symbol wins', source: '<=<>!=>=||=>->|>@@', is: '<= <> != >= || => -> |> @@' },
  { name: 'integers are decimal', source: '0xFF 007 0', is: 'int:255 int:7 int:0' },
  { name: 'hexadecimal may be longer than 64 bits', source: '0x1FFFFFFFFFFFFFFFFF', is: 'int:590295810358705651711' },
  { name: 'floats stay as written', source: '1. .5e3 1E-7', is: 'float:1. float:.5e3 float:1E-7' },
  {
    name: 'the dot behind a dashed name is not a decimal point',
    source: 'p-1.d 2-1.',
    is: 'P - int:1 . identifier:d int:2 - float:1.',
  },
  { name: 'comments are skipped', source: 'a # b\nc -- d\r\n/* e * / */f--', is: 'A C F' },
  { name: 'white space may be Unicode', source: 'a\u00a0b\u3000c\td\u2003e', is: 'A B C D E' },
  {
    name: 'quotes inside other quotes are text',
    source: `'a"b' "c'd" '''e'f''g'''`,
    is: `string:a"b string:c'd string:e'f''g`,
  },
  {
    name: 'every simple escape',
    source: "'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\\"\\'\\`'",
    is: 'string:\x07\b\f\n\r\t\v\\?"\'`',
  },
  { name: 'escapes by number', source: String.raw`'\x41\X42\103\u0044\U00000045'`, is: 'string:ABCDE' },
  {
    name: 'raw strings keep backslashes',
    source: String.raw`r'\n\'' R"""\""""`,
    is: String.raw`string:\n\' string:\"`,
  },
  { name: 'bytes are UTF-8, escapes are bytes', source: String.raw`b'é\xff\200'`, is: 'bytes:c3a9ff80' },
  { name: 'raw bytes in either order of letters', source: String.raw`rb'\x' Br"\y"`, is: 'bytes:5c78 bytes:5c79' },
  { name: 'letters that only look like a prefix are a word', source: `rank b r 'c'`, is: 'RANK B R string:c' },
  {
    name: 'line ends inside triple quotes become one line feed',
    source: "'''a\r\nb\rc\nd'''",
    is: 'string:a\nb\nc\nd',
  },
  { name: 'so do they in raw ones, behind a backslash', source: "r'''a\\\r\nb'''", is: 'string:a\\\nb' },
  {
    name: 'any Unicode may stand in strings and quoted names',
    source: "'日本😀' `naïve`",
    is: 'string:日本😀 quoted:naïve',
  },
]

describe('tokenize', () => {
  for (const { name, source, is } of TOKENS) {
    it(name, () => expect(shown(source)).to.equal(is))
  }

  it('gives the offsets of each token, and ends with an end token', () => {
    const source = " a+ r'''b''' /* c */ 0x1F"
    const places = tokenize(source).map(({ kind, at, end }) => [kind, source.slice(at, end)])
    expect(places).to.deep.equal([
      ['identifier', 'a'],
      ['symbol', '+'],
      ['string', "r'''b'''"],
      ['int', '0x1F'],
      ['end', ''],
    ])
  })
})
