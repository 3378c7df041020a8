/**
 * SEARCH in one text: the grammar of search_query, and the tokens of LOG_ANALYZER and NO_OP_ANALYZER. Source: the language
 * reference, "Search functions" and "Text analysis". A search whose result those pages do not define, or define in two ways, is
 * refused.
 */

/** Returns whether the search finds something in the text. @throws SearchRefusal */
export type TextSearch = (text: string) => boolean

/** Begins to search a value, whose texts share one bound of steps. */
export type ValueSearch = () => TextSearch

/** The search query is not valid: it has no tokens, or its grammar is wrong. */
export class SearchError extends Error {
  override readonly name: string = 'SearchError'
}

/** BigQuery may accept the search query, but its documentation does not say what the result is. */
export class SearchRefusal extends SearchError {
  override readonly name = 'SearchRefusal'
}

function fail(why: string): never {
  throw new SearchError(`SEARCH: ${why}`)
}
function refuse(message: string): never {
  throw new SearchRefusal(message)
}

const JSON_SCOPES: readonly string[] = ['JSON_VALUES', 'JSON_KEYS', 'JSON_KEYS_AND_VALUES']

/** @throws SearchError */
export function checkScope(scope: string): void {
  if (!JSON_SCOPES.includes(scope)) fail(`json_scope must be one of ${JSON_SCOPES.join(', ')}`)
}

/** `options` is a JSON text; null without options. @throws SearchError */
export function textSearch(query: string, analyzer: string, options: string | null): ValueSearch {
  switch (analyzer) {
    case 'LOG_ANALYZER': {
      const analysis = analysisOf(options)
      const expression = new QueryReader(query, analysis).read()
      return () => {
        const taken: Taken = { steps: 0 }
        return text => isFound(expression, analyze(text, analysis, taken))
      }
    }
    case 'NO_OP_ANALYZER':
      if (options !== null) fail('NO_OP_ANALYZER takes no analyzer_options')
      return () => text => isSame(text, query)
    case 'PATTERN_ANALYZER':
      return refuse(
        'SEARCH with PATTERN_ANALYZER is not supported: the documented results do not follow from the documented rules',
      )
    default:
      fail(`analyzer must be LOG_ANALYZER or NO_OP_ANALYZER, not ${analyzer}`)
  }
}

/** The documentation says both that two texts in double quotes match if only their case differs, and that they do not. */
function isSame(text: string, query: string): boolean {
  if (text === query) return true
  if (query.includes('"') && lower(text) === lower(query))
    refuse('SEARCH: whether NO_OP_ANALYZER tells the letter case in double quotes is not documented')
  return false
}

const lower = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())

// Tokens

interface Analysis {
  /** Matches every delimiter, longer delimiters first. */
  readonly delimiter: RegExp
  /** Whether the delimiters are the documented default. Its `\s` may mean any white space. */
  readonly isDefault: boolean
  /** Applied to each token in this order; a filter that returns null removes the token. */
  readonly filters: readonly ((token: string) => string | null)[]
}

type AnalyzedText = ReturnType<typeof analyze>

/** How many steps a search has taken so far in one value. */
interface Taken {
  steps: number
}

const DELIMITERS =
  `[ ] < > ( ) { } | ! ; , ' " * & ? + / : = @ . - $ % \\ _ %21 %26 %2526 %3B %3b %7C %7c %20 %2B %2b %3D %3d %2520 %5D %5d %5B %5b %3A %3a %0A %0a %2C %2c %28 %29`
    .split(' ')
    .concat('\n', '\r', ' ', '\t')

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const delimiterPattern = (delimiters: readonly string[]): RegExp =>
  new RegExp(
    [...delimiters]
      .sort((a, b) => b.length - a.length)
      .map(escapePattern)
      .join('|'),
    'g',
  )

const DEFAULT_ANALYSIS: Analysis = { delimiter: delimiterPattern(DELIMITERS), isDefault: true, filters: [lower] }

function analyze(text: string, { delimiter, isDefault, filters }: Analysis, taken: Taken = { steps: 0 }) {
  if (isDefault && /[\f\v]/.test(text))
    refuse('SEARCH: whether LOG_ANALYZER splits texts at form feeds and vertical tabs is not documented')
  // The offsets of the starts and ends of the delimiters, and those inside delimiters of several characters.
  const starts = new Set<number>()
  const ends = new Set<number>()
  const inner = new Set<number>()
  const tokens: string[] = []
  let from = 0
  const add = (word: string): void => {
    let token: string | null = word
    for (const filter of filters) if (token !== null && token !== '') token = filter(token)
    if (token !== null && token !== '') tokens.push(token)
  }
  for (const { index, 0: match } of text.matchAll(delimiter)) {
    add(text.slice(from, index))
    from = index + match.length
    starts.add(index)
    ends.add(from)
    for (let place = index + 1; place < from; place++) inner.add(place)
  }
  add(text.slice(from))
  return {
    text,
    tokens,
    distinct: new Set(tokens),
    starts,
    ends,
    inner,
    taken,
  }
}

// analyzer_options

function analysisOf(options: string | null): Analysis {
  if (options === null) return DEFAULT_ANALYSIS
  const { delimiters, token_filters: filters, ...others } = membersOf(parseOptions(options))
  const [other] = Object.keys(others)
  if (other !== undefined) fail(`LOG_ANALYZER has no option ${other}`)
  return {
    ...DEFAULT_ANALYSIS,
    ...(delimiters === undefined ? {} : { delimiter: delimiterPattern(delimitersOf(delimiters)), isDefault: false }),
    ...(filters === undefined ? {} : { filters: listOf(filters, 'token_filters').map(filterOf) }),
  }
}

function parseOptions(options: string): unknown {
  try {
    return JSON.parse(options)
  } catch {
    fail('analyzer_options must be JSON')
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  fail('analyzer_options and token filters must be JSON objects')
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value
  fail(`${name} must be a JSON array with elements`)
}

const textsOf = (value: unknown, name: string): readonly string[] =>
  listOf(value, name).map(text => {
    if (typeof text === 'string' && text !== '') return text
    return fail(`${name} must hold texts that are not empty`)
  })

const MAX_DELIMITERS = 256

function delimitersOf(value: unknown): readonly string[] {
  const texts = textsOf(value, 'delimiters')
  if (texts.length > MAX_DELIMITERS) refuse('SEARCH: there are too many delimiters')
  const wrong = texts.find(text => text.length > 16 || !/^[\0-\x7f]*$/.test(text))
  if (wrong !== undefined) fail('delimiters are ASCII texts of at most 16 characters')
  return texts
}

function filterOf(value: unknown): (token: string) => string | null {
  const { stop_words: stopWords, normalizer, ...others } = membersOf(value)
  const hasOneSetting = (stopWords === undefined) !== (normalizer === undefined) && Object.keys(others).length === 0
  if (!hasOneSetting) fail('a token filter has either stop_words or a normalizer')
  if (stopWords !== undefined) {
    const words = new Set(textsOf(stopWords, 'stop_words'))
    return token => (words.has(token) ? null : token)
  }
  const settings = membersOf(normalizer)
  if (Object.keys(settings).join() === 'mode') {
    if (settings['mode'] === 'LOWER') return lower
    if (settings['mode'] === 'NONE') return token => token
  }
  refuse('SEARCH with another normalizer than LOWER and NONE is not supported: it hangs on the version of ICU')
}

// The query

type Expression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  /** Texts in backticks, which are not analyzed. */
  | { readonly kind: 'exact'; readonly text: string }
  | { readonly kind: 'tokens' | 'phrase'; readonly tokens: readonly string[] }

function isFound(expression: Expression, analyzed: AnalyzedText): boolean {
  countSteps(analyzed)
  switch (expression.kind) {
    case 'and':
      return expression.parts.every(part => isFound(part, analyzed))
    case 'or':
      return expression.parts.some(part => isFound(part, analyzed))
    case 'exact':
      return hasExactly(expression.text, analyzed)
    case 'tokens':
      return expression.tokens.every(token => {
        countSteps(analyzed)
        return analyzed.distinct.has(token)
      })
    case 'phrase':
      return hasPhrase(expression.tokens, analyzed)
    default:
      return expression satisfies never
  }
}

/** The most steps that one search takes in one value: about 10 ms of processor time. */
const MAX_STEPS = 1_000_000

/** The number of characters that one step compares. */
const CHARACTERS_PER_STEP = 64

/** Counts the steps of one search in one value. @throws SearchRefusal */
function countSteps(analyzed: AnalyzedText, count = 1): void {
  analyzed.taken.steps += count
  if (analyzed.taken.steps > MAX_STEPS)
    refuse('Resources exceeded during query execution: SEARCH compares too long a text with too long a search query')
}

function hasPhrase(phrase: readonly string[], analyzed: AnalyzedText): boolean {
  return analyzed.tokens.some((_, at) =>
    phrase.every((token, index) => {
      countSteps(analyzed)
      return analyzed.tokens[at + index] === token
    }),
  )
}

/** Whether `sought` occurs between two delimiters; the start and the end of the searched text count as delimiters. */
function hasExactly(sought: string, analyzed: AnalyzedText): boolean {
  const { text, starts, ends, inner } = analyzed
  let isUndocumented = false
  // `sought` begins at the start, after a delimiter or inside a delimiter. Trying every place would take time proportional to text × query.
  for (const places of [[0], ends, inner]) {
    for (const at of places) {
      countSteps(analyzed, 1 + Math.floor(sought.length / CHARACTERS_PER_STEP))
      if (!text.startsWith(sought, at)) continue
      const end = at + sought.length
      const isBeforeDelimiter = end === text.length || starts.has(end)
      if (places !== inner && isBeforeDelimiter) return true
      isUndocumented ||= isBeforeDelimiter || inner.has(end)
    }
  }
  if (!isUndocumented) return false
  refuse('SEARCH: whether a text in backticks may begin or end within a delimiter is not documented')
}

const RESERVED = `[]<>(){}|!'"*&?+/:=-\\~^`
const RESERVED_WORDS: readonly string[] = ['AND', 'NOT', 'OR', 'IN', 'NEAR']

type Piece = { readonly kind: '(' | ')' | 'AND' | 'OR' | 'end' } | { readonly kind: 'term'; readonly term: Expression }

const MAX_DEPTH = 100

/** Reads a query: terms joined by AND, by white space (which means AND), and by OR, which binds less than AND. */
class QueryReader {
  #at = 0
  #depth = 0
  #piece: Piece

  readonly query: string
  readonly analysis: Analysis

  constructor(query: string, analysis: Analysis) {
    this.query = query
    this.analysis = analysis
    if (query.trim() === '') fail('search_query contains no tokens')
    this.#piece = this.#next()
  }

  read(): Expression {
    const expression = this.#alternatives()
    if (this.#piece.kind !== 'end') this.#failMisplaced()
    return expression
  }

  #alternatives(): Expression {
    const parts = [this.#terms()]
    while (this.#piece.kind === 'OR') {
      this.#piece = this.#next()
      parts.push(this.#terms())
    }
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts }
  }

  #terms(): Expression {
    const parts = [this.#term()]
    while (this.#piece.kind === 'AND' || this.#piece.kind === 'term' || this.#piece.kind === '(') {
      if (this.#piece.kind === 'AND') this.#piece = this.#next()
      parts.push(this.#term())
    }
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts }
  }

  #term(): Expression {
    const piece = this.#piece
    if (piece.kind === 'term') {
      this.#piece = this.#next()
      return piece.term
    }
    if (piece.kind !== '(') this.#failMisplaced()
    if (++this.#depth > MAX_DEPTH) refuse('SEARCH: search_query has too many parentheses in each other')
    this.#piece = this.#next()
    const expression = this.#alternatives()
    this.#depth--
    if ((this.#piece as Piece).kind !== ')') this.#failMisplaced()
    this.#piece = this.#next()
    return expression
  }

  #failMisplaced(): never {
    const { kind } = this.#piece
    fail(kind === 'end' ? 'search_query ends too early' : `${kind} is misplaced in search_query`)
  }

  #next(): Piece {
    const begin = this.#at
    this.#at += /^[ \t\r\n]*/.exec(this.query.slice(begin))![0].length
    const char = this.query[this.#at]
    if (char === undefined) return { kind: 'end' }
    if (char === '(' || char === ')') {
      if (char === '(' && this.#isGlued(begin)) this.#failUnspaced()
      this.#at++
      return { kind: char }
    }
    if (this.#isGlued(begin)) this.#failUnspaced()
    if (char === '`') return { kind: 'term', term: { kind: 'exact', text: this.#backticks() } }
    if (char === '"') return { kind: 'term', term: this.#phrase() }
    return this.#word()
  }

  /** Whether the piece that begins here follows a term or a closing parenthesis without white space. */
  #isGlued(begin: number): boolean {
    return begin > 0 && begin === this.#at && this.query[begin - 1] !== '('
  }

  #failUnspaced(): never {
    fail('white space, AND or OR must be between the terms of search_query')
  }

  /** The text between two of these quotes; a backslash before a quote makes the quote a part of the text. */
  #quotedText(quote: string): string {
    let text = ''
    for (let at = this.#at + 1; at < this.query.length; at++) {
      if (this.query[at] === quote) {
        if (text === '') break
        this.#at = at + 1
        return text
      }
      if (this.query[at] === '\\' && this.query[at + 1] === quote) at++
      text += this.query[at]
    }
    fail(`search_query has ${quote} that encloses nothing or is not closed`)
  }

  #backticks(): string {
    const text = this.#quotedText('`')
    // The documentation says that `.` is found in 127.0.0.1, although no delimiter precedes it there.
    if (text.replace(this.analysis.delimiter, '') !== '') return text
    refuse('SEARCH for delimiters alone, in backticks, is not supported: how they are found is not documented')
  }

  #phrase(): Expression {
    const text = this.#quotedText('"')
    // One documented example reads AND and OR in a phrase as operators; the documented rules read them as words.
    if (/\b(?:AND|OR)\b/.test(text))
      refuse('SEARCH for a phrase with AND or OR is not supported: its documented result is not that of its rules')
    return { kind: 'phrase', tokens: this.#tokensOf(text) }
  }

  #word(): Piece {
    let text = ''
    let isEscaped = false
    for (; this.#at < this.query.length; this.#at++) {
      const char = this.query[this.#at]!
      if (/[ \t\r\n()]/.test(char)) break
      const escaped = char === '\\' ? this.query[this.#at + 1] : undefined
      if (escaped !== undefined && (RESERVED.includes(escaped) || escaped === '`')) {
        isEscaped = true
        text += escaped
        this.#at++
      } else if (RESERVED.includes(char) || char === '`') {
        fail(`in search_query ${char} must have a backslash before it, or stand in backticks or double quotes`)
      } else {
        text += char
      }
    }
    if (!isEscaped && RESERVED_WORDS.includes(text)) {
      if (text === 'AND' || text === 'OR') return { kind: text }
      fail(`in search_query the reserved word ${text} must stand in backticks`)
    }
    return { kind: 'term', term: { kind: 'tokens', tokens: this.#tokensOf(text) } }
  }

  #tokensOf(text: string): readonly string[] {
    const { tokens } = analyze(text, this.analysis)
    if (tokens.length === 0) fail('search_query, or a term of it, contains no tokens')
    return tokens
  }
}
