import { expect } from 'chai'
import type { FunctionEntry } from '../../../googlesql/functions/catalogue.js'
import { resolveOverload } from '../../../googlesql/functions/overload.js'
import type { ArgumentSource } from '../../../googlesql/functions/overload-candidate.js'
import { UNKNOWN } from '../../../googlesql/functions/result-facts.js'
import type { Expr, LambdaExpr } from '../../../googlesql/plan/nodes.js'
import {
  arrayOf,
  BOOL,
  BYTES,
  DATE,
  FLOAT64,
  INT64,
  NUMERIC,
  STRING,
  TIMESTAMP,
  type Type,
  typeName,
} from '../../../googlesql/types/types.js'

const column = (type: Type): Expr => ({
  kind: 'column',
  type,
  column: { id: 1, name: 'c', type },
  isCorrelated: false,
  at: 0,
})
const literal = (type: Type, value: string | number | null): Expr => ({ kind: 'literal', type, value, at: 0 })
const given = (expr: Expr, name: string | null = null): ArgumentSource => ({
  name,
  at: 0,
  resolve: () => expr,
  isLambda: false,
  resolveLambda: () => null,
  word: () => null,
})
const word = (text: string): ArgumentSource => ({
  name: null,
  at: 3,
  word: () => text,
  isLambda: false,
  resolveLambda: () => null,
  resolve: () => {
    throw new TypeError('a word was resolved as an expression')
  },
})
const lambda = (body: (types: readonly Type[]) => Expr): ArgumentSource => ({
  name: null,
  at: 0,
  word: () => null,
  resolve: () => {
    throw new TypeError('a lambda was resolved as an expression')
  },
  isLambda: true,
  resolveLambda: (types): LambdaExpr => ({
    kind: 'lambda',
    type: body(types).type,
    parameters: types.map((type, id) => ({ id, name: 'e', type })),
    body: body(types),
    at: 0,
  }),
})
const entry = (signatures: string[], more: Partial<FunctionEntry> = {}): FunctionEntry => ({
  name: 'F',
  kind: 'scalar',
  canFail: false,
  volatility: 'immutable',
  evaluation: 'all',
  result: UNKNOWN,
  signatures,
  documentation: '',
  ...more,
})
const call = (signatures: string[], args: ArgumentSource[], more?: Partial<FunctionEntry>) =>
  resolveOverload(entry(signatures, more), args, 0, 'SELECT 1')
const shown = ({ args, type }: ReturnType<typeof call>): string =>
  `${args.map(arg => (arg ? (arg.kind === 'word' ? arg.word : typeName(arg.type)) : '-')).join(', ')} -> ${typeName(type)}`

const NUMBERS = ['(INT64) -> INT64', '(NUMERIC) -> NUMERIC', '(FLOAT64) -> FLOAT64']

describe('matching a call', () => {
  const rows: [string, string[], ArgumentSource[], string][] = [
    ['takes the signature that fits as it is', NUMBERS, [given(column(NUMERIC))], 'NUMERIC -> NUMERIC'],
    [
      'takes a NUMERIC signature for NUMERIC arguments only',
      ['(NUMERIC) -> STRING', '(FLOAT64) -> STRING'],
      [given(column(INT64))],
      'FLOAT64 -> STRING',
    ],
    ['takes the first of equals', NUMBERS, [given(literal(INT64, null))], 'INT64 -> INT64'],
    ['reads a string literal as a time', ['(DATE) -> INT64'], [given(literal(STRING, '2020-01-01'))], 'DATE -> INT64'],
    [
      'takes the first type of time for a string literal',
      ['(TIMESTAMP) -> INT64', '(DATE) -> INT64'],
      [given(literal(STRING, '2020-01-01'))],
      'TIMESTAMP -> INT64',
    ],
    [
      'gives T the common supertype',
      ['(T, T) -> T'],
      [given(column(INT64)), given(column(FLOAT64))],
      'FLOAT64, FLOAT64 -> FLOAT64',
    ],
    [
      'finds T inside an array',
      ['(ARRAY<T>, T) -> BOOL'],
      [given(column(arrayOf(STRING))), given(literal(INT64, null))],
      'ARRAY<STRING>, STRING -> BOOL',
    ],
    [
      'leaves optional arguments out',
      ['(STRING, [INT64], [INT64]) -> STRING'],
      [given(column(STRING)), given(literal(INT64, '1'))],
      'STRING, INT64, - -> STRING',
    ],
    [
      'repeats the last argument',
      ['(STRING, T...) -> T'],
      [given(column(STRING)), given(column(INT64)), given(column(FLOAT64))],
      'STRING, FLOAT64, FLOAT64 -> FLOAT64',
    ],
    ['repeats it no times at all', ['(STRING, [ANY...]) -> STRING'], [given(column(STRING))], 'STRING -> STRING'],
    ['takes anything for ANY', ['(ANY) -> STRING'], [given(column(arrayOf(DATE)))], 'ARRAY<DATE> -> STRING'],
    [
      'matches arguments by name',
      ['(STRING, a => INT64, b => BOOL) -> STRING'],
      [given(column(STRING)), given(column(BOOL), 'b')],
      'STRING, -, BOOL -> STRING',
    ],
    [
      'takes a named argument by position where the signature has it in brackets',
      ['(STRING, [a => INT64]) -> STRING'],
      [given(column(STRING)), given(column(INT64))],
      'STRING, INT64 -> STRING',
    ],
    [
      'does not resolve a date part',
      ['(DATE, PART) -> DATE', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
      [given(column(TIMESTAMP)), word('WEEK_MONDAY')],
      'TIMESTAMP, WEEK_MONDAY, - -> TIMESTAMP',
    ],
    [
      'does not resolve a keyword',
      ['(STRING, [WORD(NFC|NFKC)]) -> STRING'],
      [given(column(STRING)), word('NFKC')],
      'STRING, NFKC -> STRING',
    ],
    [
      'resolves a lambda with the types that the others give',
      ['(ARRAY<T>, LAMBDA(T) -> U) -> ARRAY<U>'],
      [given(column(arrayOf(DATE))), lambda(([type]) => column(type!.kind === 'DATE' ? STRING : BYTES))],
      'ARRAY<DATE>, STRING -> ARRAY<STRING>',
    ],
    [
      'coerces the body of a lambda',
      ['(ARRAY<T>, LAMBDA(T) -> FLOAT64) -> FLOAT64'],
      [given(column(arrayOf(DATE))), lambda(() => literal(INT64, '1'))],
      'ARRAY<DATE>, FLOAT64 -> FLOAT64',
    ],
    [
      'takes T from a struct',
      ['(ARRAY<STRUCT<STRING, T>>) -> T'],
      [
        given(
          column(
            arrayOf({
              kind: 'STRUCT',
              fields: [
                { name: 'k', type: STRING },
                { name: 'v', type: BYTES },
              ],
            }),
          ),
        ),
      ],
      'ARRAY<STRUCT<k STRING, v BYTES>> -> BYTES',
    ],
  ]
  for (const [name, signatures, args, result] of rows) {
    it(name, () => {
      expect(shown(call(signatures, args))).to.equal(result)
    })
  }

  const errors: [string, string[], ArgumentSource[], string, Partial<FunctionEntry>?][] = [
    [
      'types',
      NUMBERS,
      [given(column(STRING))],
      'No matching signature for function F for argument types: STRING. Supported signatures: F(INT64); F(FLOAT64); F(NUMERIC) at [1:1]',
    ],
    [
      'types of an aggregate',
      ['(INT64) -> INT64'],
      [given(column(BYTES))],
      'No matching signature for aggregate function F for argument types: BYTES. Supported signature: F(INT64)',
      { kind: 'aggregate' },
    ],
    [
      'types of an operator',
      ['(INT64, INT64) -> INT64', '(FLOAT64, FLOAT64) -> FLOAT64'],
      [given(literal(INT64, '1')), given(column(STRING))],
      'No matching signature for operator + for argument types: INT64, STRING. Supported signatures: INT64 + INT64; FLOAT64 + FLOAT64',
      { name: '$add' },
    ],
    [
      'untyped NULLs',
      ['(ARRAY<T>, INT64) -> T'],
      [given(column(INT64)), given(literal(INT64, null))],
      'argument types: INT64, NULL',
    ],
    [
      'too few',
      ['(INT64, INT64) -> INT64'],
      [given(column(INT64))],
      'Number of arguments does not match for function F. Supported signature: F(INT64, INT64)',
    ],
    [
      'too many for all of several signatures',
      NUMBERS,
      [given(column(INT64)), given(column(INT64))],
      'No matching signature for function F for argument types: INT64, INT64. Supported signatures: F(INT64)',
    ],
    ['none for all of several signatures', NUMBERS, [], 'No matching signature for function F with no arguments.'],
    ['none for one or more', ['(STRING...) -> STRING'], [], 'Number of arguments does not match'],
    [
      'a date part that is an expression',
      ['(DATE, PART) -> DATE'],
      [given(column(DATE)), given(column(STRING))],
      'A valid date part name is required at',
    ],
    [
      'a date part that does not exist',
      ['(DATE, PART) -> DATE'],
      [given(column(DATE)), word('FORTNIGHT')],
      'A valid date part name is required but found FORTNIGHT at [1:4]',
    ],
    [
      'a name that does not exist',
      ['(STRING, a => INT64) -> STRING'],
      [given(column(STRING)), given(column(INT64), 'z')],
      'Named argument z not found in signature for call to function F',
    ],
    [
      'what the function itself refuses',
      ['(INT64) -> INT64'],
      [given(column(INT64))],
      'never at',
      { check: () => 'never' },
    ],
  ]
  for (const [name, signatures, args, message, more] of errors) {
    it(`reports the mistake in ${name}`, () => expect(() => call(signatures, args, more)).to.throw(message))
  }

  it('lets the function find its result type', () => {
    const type = call(['(ANY) -> ANY'], [given(column(DATE))], { resultType: args => arrayOf(args[0]!.type) }).type
    expect(typeName(type)).to.equal('ARRAY<DATE>')
  })
})
