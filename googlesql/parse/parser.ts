/** The state of one parse: the tokens, the position in them, and the rules that all parts of the grammar need. */

import type { Expression, Identifier, Query } from '../ast/nodes.js'
import { isKeyword, RESERVED_KEYWORDS } from '../lex/keywords.js'
import { type Token, tokenize } from '../lex/tokenize.js'
import type { SqlMistake, SyntaxForm } from '../mistakes.js'
import { SqlError, syntaxError } from '../sql-error.js'
import { findParentheses, type Parentheses } from './parentheses.js'

/**
 * The greatest nesting depth of expressions, queries and types. Each level takes some ten stack frames, and Node's default
 * stack holds about ten thousand.
 */
const MAX_NESTING = 300

/** The rules that every part of the grammar needs. They are passed in to avoid import cycles. */
export interface Rules {
  readonly expression: (parser: Parser) => Expression
  /** An expression without AND, OR, NOT and comparisons at its top. */
  readonly operand: (parser: Parser) => Expression
  readonly query: (parser: Parser) => Query
}

export class Parser {
  readonly source: string
  readonly #tokens: readonly Token[]
  readonly #rules: Rules
  #index = 0
  #nesting = 0
  #parentheses: Parentheses | null = null

  /** @throws SqlError when the source cannot be split into tokens */
  constructor(source: string, rules: Rules, tokens: readonly Token[] = tokenize(source)) {
    this.source = source
    this.#tokens = tokens
    this.#rules = rules
  }

  // ---- looking

  get token(): Token {
    return this.#tokens[this.#index]!
  }
  get tokenCount(): number {
    return this.#tokens.length
  }
  /** The token `ahead` places further on; beyond the end it is the last token, of the kind `end`. */
  peek(ahead = 1): Token {
    return this.#tokens[this.#index + ahead] ?? this.#tokens[this.#tokens.length - 1]!
  }
  /** Whether the next token is this word (in upper case) or symbol. */
  is(term: string): boolean {
    return this.token.term === term
  }
  /** Whether the next tokens are these words or symbols. */
  isSequence(...terms: readonly string[]): boolean {
    return terms.every((term, ahead) => this.peek(ahead).term === term)
  }
  isIdentifier(token: Token = this.token): boolean {
    return token.kind === 'quoted' || (token.kind === 'identifier' && !RESERVED_KEYWORDS.has(token.term))
  }
  /** Whether the next token is a `(` that holds a query, however many parentheses come before its SELECT. */
  isQueryAhead(): boolean {
    return this.is('(') && this.parentheses.isQuery[this.#index] === 1
  }
  /** The token after the `)` that closes the next token, a `(`; the `end` token when it is not closed. */
  afterParentheses(): Token {
    return this.#tokens[this.parentheses.close[this.#index]! + 1] ?? this.#tokens[this.#tokens.length - 1]!
  }
  private get parentheses(): Parentheses {
    this.#parentheses ??= findParentheses(this.#tokens)
    return this.#parentheses
  }

  // ---- taking

  take(): Token {
    const token = this.token
    if (token.kind !== 'end') this.#index++
    return token
  }
  accept(term: string): boolean {
    if (this.token.term !== term) return false
    this.#index++
    return true
  }
  acceptSequence(...terms: readonly string[]): boolean {
    if (!this.isSequence(...terms)) return false
    this.#index += terms.length
    return true
  }
  expect(term: string): Token {
    if (this.token.term !== term) this.expected(term)
    return this.take()
  }
  identifier(): Identifier {
    if (!this.isIdentifier()) this.unexpected()
    const token = this.take()
    return { name: token.text, at: token.at, isQuoted: token.kind === 'quoted' }
  }
  /** One or more items, separated by commas. */
  list<T>(item: (parser: Parser) => T): T[] {
    const items = [item(this)]
    while (this.accept(',')) items.push(item(this))
    return items
  }
  /** `(`, one or more items separated by commas, `)`. */
  parenthesisedList<T>(item: (parser: Parser) => T): T[] {
    this.expect('(')
    const items = this.list(item)
    this.close()
    return items
  }
  /** `(`, a query, `)`. */
  parenthesisedQuery(): Query {
    this.expect('(')
    const query = this.query()
    this.expect(')')
    return query
  }

  /** Takes the `)` after a list. */
  close(): void {
    if (!this.accept(')')) this.expected(')', ',')
  }
  /** `[AS] name`, or null; a name without AS is taken only where `isAlias` is true. */
  alias(isAlias: boolean = this.isIdentifier()): Identifier | null {
    if (this.accept('AS')) return this.identifier()
    return isAlias && this.isIdentifier() ? this.identifier() : null
  }
  /** Skips a hint, `@5` or `@{…}`: hints never change a result. */
  skipHint(): void {
    if (!this.is('@') || !(this.peek().term === '{' || this.peek().kind === 'int')) return
    this.take()
    if (this.token.kind === 'int') {
      this.take()
      if (!this.isSequence('@', '{')) return
      this.take()
    }
    this.expect('{')
    while (!this.is('}')) {
      if (this.token.kind === 'end') this.expected('}')
      this.take()
    }
    this.take()
  }

  // ---- the rules

  expression(): Expression {
    return this.nested(this.#rules.expression)
  }
  operand(): Expression {
    return this.nested(this.#rules.operand)
  }
  query(): Query {
    return this.nested(this.#rules.query)
  }
  /** Applies a rule that may contain itself, one nesting level deeper. */
  nested<T>(rule: (parser: Parser) => T): T {
    if (++this.#nesting > MAX_NESTING) {
      const reason = `Query is nested too deeply: at most ${MAX_NESTING} levels are supported`
      throw new SqlError(reason, this.source, this.token.at)
    }
    const node = rule(this)
    this.#nesting--
    return node
  }

  // ---- failing

  fail(reason: string, at: number = this.token.at, mistake?: SqlMistake): never {
    throw new SqlError(reason, this.source, at, mistake)
  }
  /** Fails with `Syntax error: ` before the reason. */
  syntaxError(reason: string, at: number = this.token.at, form?: SyntaxForm, expected?: readonly string[]): never {
    throw syntaxError(reason, this.source, at, form, expected)
  }
  /** Refuses the part of the language that `what` names. */
  unsupported(what: string, at: number = this.token.at): never {
    throw new SqlError(`${what} is not supported`, this.source, at)
  }
  /** Refuses a query without parentheses where an expression is expected. */
  refuseQuery(what: string): void {
    if (!this.is('SELECT') && !this.is('FROM') && !(this.is('WITH') && this.peek().term !== '(')) return
    this.fail(
      `${what} is an expression, not a query; to use a query as an expression, the query must be wrapped with ` +
        'additional parentheses to make it a scalar subquery expression',
    )
  }
  unexpected(token: Token = this.token): never {
    this.refusePositional(token)
    this.syntaxError(`Unexpected ${this.describe(token)}`, token.at, 'unexpected')
  }
  /** Refuses the next token. Each of `terms` could stand there: a word in upper case, a symbol, or a phrase (`end of input`). */
  expected(...terms: readonly string[]): never {
    const { token } = this
    this.refusePositional(token)
    const wanted = terms.map(nameOf).join(' or ')
    this.syntaxError(`Expected ${wanted} but got ${this.describe(token)}`, token.at, 'expected', terms)
  }
  /** A token as BigQuery names it in an error. */
  describe({ kind, term, text, at, end }: Token): string {
    const written = this.source.slice(at, end)
    if (kind === 'end') return 'end of script'
    if (kind === 'symbol') return `"${written}"`
    if (kind === 'identifier') return isKeyword(term) ? `keyword ${term}` : `identifier "${text}"`
    return `${NOUNS[kind]} ${kind === 'int' || kind === 'float' ? `"${written}"` : written}`
  }
  private refusePositional(token: Token): void {
    if (token.term !== '?') return
    this.fail('Positional parameters are not supported; use @name', token.at, { code: 'positional-parameter' })
  }
}

const NOUNS = {
  int: 'integer literal',
  float: 'floating point literal',
  string: 'string literal',
  bytes: 'bytes literal',
  quoted: 'identifier',
} as const

function nameOf(term: string): string {
  if (/^[a-z]/.test(term)) return term
  return /^[A-Z]/.test(term) ? `keyword ${term}` : `"${term}"`
}
