import { expect } from 'chai'
import type { ArrayExpr, Expr, LiteralExpr, StructExpr } from '../../../googlesql/plan/nodes.js'
import { coerceTo, commonSupertype } from '../../../googlesql/types/apply-coercion.js'
import {
  arrayOf,
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  NUMERIC,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
  type Type,
  typeName,
} from '../../../googlesql/types/types.js'

const SOURCE = 'SELECT 1'
const literal = (type: Type, value: LiteralExpr['value'], written?: string): LiteralExpr => ({
  kind: 'literal',
  type,
  value,
  at: 7,
  ...(written === undefined ? {} : { written }),
})
const NULL = literal(INT64, null)
const one = literal(INT64, '1')
const half = literal(FLOAT64, 0.5, '.5')
const text = (value: string): LiteralExpr => literal(STRING, value)
let columns = 0
const column = (type: Type): Expr => ({
  kind: 'column',
  type,
  column: { id: ++columns, name: 'c', type },
  isCorrelated: false,
  at: 0,
})
const parameter = (type: Type): Expr => ({ kind: 'parameter', type, name: 'p', at: 0 })
const array = (type: Type, items: readonly Expr[], hasWrittenType = false): ArrayExpr => ({
  kind: 'array',
  type: arrayOf(type),
  items,
  hasWrittenType,
  at: 0,
})
const struct = (fields: readonly [string, Expr][]): StructExpr => ({
  kind: 'struct',
  type: structOf(fields.map(([name, expr]) => ({ name, type: expr.type }))),
  fields: fields.map(([, e]) => e),
  hasWrittenType: false,
  at: 0,
})

describe('coercion', () => {
  const literals: [string, LiteralExpr, Type, LiteralExpr['value']][] = [
    ['an integer becomes a double', one, FLOAT64, 1],
    ['an integer becomes a NUMERIC', one, NUMERIC, '1'],
    ['a double becomes a NUMERIC, digit by digit', literal(FLOAT64, 0.1, '0.1000000000'), NUMERIC, '0.1'],
    [
      'a double keeps the digits that it was written with',
      literal(FLOAT64, 1e28, '9999999999999999999999999999.999999999'),
      NUMERIC,
      '9999999999999999999999999999.999999999',
    ],
    [
      'a double beyond the ninth digit is rounded',
      literal(FLOAT64, 1.0000000005, '1.0000000005'),
      NUMERIC,
      '1.000000001',
    ],
    ['a string becomes a DATE', text('2020-1-2'), DATE, '2020-01-02'],
    ['a string becomes a DATETIME', text('2020-01-02T03:04:05.600'), DATETIME, '2020-01-02 03:04:05.6'],
    ['a string becomes a TIME', text('3:04:05'), TIME, '03:04:05'],
    ['a string becomes a TIMESTAMP', text('2020-01-02 03:04:05-08'), TIMESTAMP, '2020-01-02 11:04:05+00'],
    ['a DATE literal becomes a DATETIME', literal(DATE, '2020-01-02'), DATETIME, '2020-01-02 00:00:00'],
  ]
  for (const [name, expr, type, value] of literals) {
    it(`of a literal: ${name}`, () => {
      expect(coerceTo(expr, type, SOURCE)).to.deep.include({ kind: 'literal', type, value })
    })
  }

  it('of a NULL literal is a cast to any type, also to its own', () => {
    for (const type of [STRING, INT64, arrayOf(DATE), structOf([{ name: 'a', type: INT64 }])]) {
      expect(coerceTo(NULL, type, SOURCE)).to.deep.include({ kind: 'cast', type, isImplicit: true, operand: NULL })
    }
  })

  const casts: [Type, Type][] = [
    [INT64, NUMERIC],
    [INT64, BIGNUMERIC],
    [INT64, FLOAT64],
    [NUMERIC, BIGNUMERIC],
    [NUMERIC, FLOAT64],
    [BIGNUMERIC, FLOAT64],
    [DATE, DATETIME],
  ]
  for (const [from, to] of casts) {
    it(`of a column makes ${typeName(to)} of ${typeName(from)}`, () => {
      const expr = column(from)
      expect(coerceTo(expr, to, SOURCE)).to.deep.include({ kind: 'cast', type: to, isImplicit: true, operand: expr })
    })
  }

  const refused: [string, Expr, Type][] = [
    ['a double column to NUMERIC', column(FLOAT64), NUMERIC],
    ['a double parameter to NUMERIC', parameter(FLOAT64), NUMERIC],
    ['a string column to DATE', column(STRING), DATE],
    ['a string literal to BYTES', text('a'), BYTES],
    ['a string literal to INT64', text('1'), INT64],
    ['an integer literal to STRING', one, STRING],
    ['an integer literal to BOOL', one, BOOL],
    ['a DATE column to TIMESTAMP', column(DATE), TIMESTAMP],
    ['a DATETIME column to TIMESTAMP', column(DATETIME), TIMESTAMP],
    ['an array column to another element type', column(arrayOf(INT64)), arrayOf(FLOAT64)],
    ['an array literal whose type is written', array(INT64, [one], true), arrayOf(FLOAT64)],
    ['an array of a column', array(INT64, [column(INT64)]), arrayOf(FLOAT64)],
    ['a struct of another length', struct([['a', one]]), structOf([])],
  ]
  for (const [name, expr, type] of refused) {
    it(`refuses ${name}`, () => expect(coerceTo(expr, type, SOURCE)).to.equal(null))
  }

  it('casts a string parameter to a time, and the parameter itself stays a string', () => {
    const expr = parameter(STRING)
    expect(coerceTo(expr, TIMESTAMP, SOURCE)).to.deep.include({ kind: 'cast', type: TIMESTAMP, operand: expr })
  })

  it('converts the items of an array literal', () => {
    const made = coerceTo(array(INT64, [one, coerceTo(NULL, INT64, SOURCE)!]), arrayOf(FLOAT64), SOURCE) as ArrayExpr
    expect(made.type).to.deep.equal(arrayOf(FLOAT64))
    expect(made.items[0]).to.deep.include({ kind: 'literal', value: 1 })
    expect(made.items[1]).to.deep.include({ kind: 'cast', type: FLOAT64, operand: NULL })
  })

  it('gives an untyped [] any array type', () => {
    expect(coerceTo(array(INT64, []), arrayOf(STRING), SOURCE)).to.deep.include({ type: arrayOf(STRING) })
    expect(coerceTo(array(INT64, []), STRING, SOURCE)).to.equal(null)
  })

  it('matches structs by position and takes the names of the type', () => {
    const type = structOf([
      { name: 'x', type: FLOAT64 },
      { name: 'y', type: DATE },
    ])
    const made = coerceTo(
      struct([
        ['a', column(INT64)],
        ['b', text('2020-01-01')],
      ]),
      type,
      SOURCE,
    ) as StructExpr
    expect(made.type).to.deep.equal(type)
    expect(made.fields.map(field => field.kind)).to.deep.equal(['cast', 'literal'])
    const col = column(structOf([{ name: 'a', type: INT64 }]))
    expect(coerceTo(col, structOf([{ name: 'b', type: FLOAT64 }]), SOURCE)).to.deep.include({
      kind: 'cast',
      operand: col,
    })
  })

  it('is an error for a literal that is not a value of the type', () => {
    expect(() => coerceTo(text('x'), DATE, SOURCE)).to.throw('Could not cast literal "x" to type DATE at [1:8]')
    expect(() => coerceTo(literal(FLOAT64, 1e40, '1e40'), NUMERIC, SOURCE)).to.throw(
      'Could not cast literal 1e40 to type NUMERIC',
    )
  })
})

describe('the common supertype', () => {
  const found: [string, Expr[], Type][] = [
    ['NULLs only', [NULL, NULL], INT64],
    ['a NULL and a string', [NULL, text('a')], STRING],
    ['integer and double columns', [column(INT64), column(FLOAT64)], FLOAT64],
    ['integer and NUMERIC columns', [column(INT64), column(NUMERIC)], NUMERIC],
    ['NUMERIC and double columns', [column(NUMERIC), column(FLOAT64)], FLOAT64],
    ['a NUMERIC column and a double literal', [column(NUMERIC), half], NUMERIC],
    ['an integer column and a double literal', [column(INT64), half], FLOAT64],
    ['integer and double literals', [one, half], FLOAT64],
    ['a DATE column and a string literal', [text('2020-01-01'), column(DATE)], DATE],
    ['a TIMESTAMP column and a string parameter', [column(TIMESTAMP), parameter(STRING)], TIMESTAMP],
    ['a typed DATE literal and string literals', [literal(DATE, '2020-01-01'), text('2020-01-02')], DATE],
    ['DATE and DATETIME columns', [column(DATE), column(DATETIME)], DATETIME],
    ['an untyped [] and an array', [array(INT64, []), column(arrayOf(STRING))], arrayOf(STRING)],
    ['array literals', [array(INT64, [one]), array(FLOAT64, [half])], arrayOf(FLOAT64)],
    ['an array literal and an array column', [array(INT64, [one]), column(arrayOf(FLOAT64))], arrayOf(FLOAT64)],
    [
      'structs: by position, names of the first',
      [
        struct([
          ['a', one],
          ['b', NULL],
        ]),
        struct([
          ['c', half],
          ['d', text('x')],
        ]),
      ],
      structOf([
        { name: 'a', type: FLOAT64 },
        { name: 'b', type: STRING },
      ]),
    ],
  ]
  for (const [name, exprs, type] of found) {
    it(`of ${name} is ${typeName(type)}`, () => expect(commonSupertype(exprs)).to.deep.equal(type))
  }
  const none: [string, Expr[]][] = [
    ['integer and string literals', [one, text('1')]],
    ['integer and BOOL columns', [column(INT64), column(BOOL)]],
    ['DATE and TIMESTAMP columns', [column(DATE), column(TIMESTAMP)]],
    ['arrays of different columns', [column(arrayOf(INT64)), column(arrayOf(FLOAT64))]],
    ['a struct and an integer', [struct([['a', one]]), one]],
  ]
  for (const [name, exprs] of none) {
    it(`of ${name} does not exist`, () => expect(commonSupertype(exprs)).to.equal(null))
  }
})
