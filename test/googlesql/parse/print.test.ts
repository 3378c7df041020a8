/** A parsed query that is printed and parsed again gives the same tree: for random texts of the grammar and for all cases. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse as parseYaml } from 'yaml'
import type { Script } from '../../../googlesql/ast/nodes.js'
import { parseScript } from '../../../googlesql/parse/parse.js'
import { SqlError } from '../../../googlesql/sql-error.js'
import { sampleOf, sampleSize } from '../../sample-size.js'
import { caseFiles, readCases } from '../case-files.js'
import { anyExpression, anyScript } from '../query-text.js'
import { printScript } from './print-query.js'

/** The tree without its places. */
function withoutPlaces(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return node
  if (Array.isArray(node)) return node.map(withoutPlaces)
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'at' && key !== 'pathEnd')
      .map(([key, value]) => [key, withoutPlaces(value)]),
  )
}

/** The parsed script; null where the text is not a query. */
function parsed(text: string): Script | null {
  try {
    return parseScript(text)
  } catch (error) {
    if (error instanceof SqlError) return null
    throw error
  }
}

/** Prints the tree and parses the text again: both trees must be the same, except for their places. */
function expectSame(script: Script): void {
  const printed = printScript(script)
  const again = parsed(printed)
  expect(again, `is not a query any more: ${printed}`).to.not.equal(null)
  expect(withoutPlaces(again), printed).to.deep.equal(withoutPlaces(script))
}

const anyText = fc.oneof(
  anyScript,
  anyExpression.map(text => `SELECT ${text}`),
)

describe('printing a parsed query and parsing it again gives the same tree', () => {
  it('for texts of the whole grammar', () => {
    fc.assert(
      fc.property(anyText, text => {
        const script = parsed(text)
        fc.pre(script !== null)
        expectSame(script)
      }),
      { numRuns: sampleSize(1_500) },
    )
  })

  it('for every case that is a query', () => {
    const scripts = allCases().flatMap(sql => parsed(sql) ?? [])
    expect(scripts.length).to.be.greaterThan(1200)
    for (const script of sampleOf(scripts)) expectSame(script)
  })

  it('for every operator inside each of its operands', () => {
    const forms = ['a OR b', 'a AND b', 'NOT a', 'a = b', 'a IS NULL', 'a IN (b)', 'a LIKE b', 'a BETWEEN b AND c']
    const more = [
      'a | b',
      'a ^ b',
      'a & b',
      'a << b',
      'a >> b',
      'a + b',
      'a - b',
      'a * b',
      'a || b',
      '- a',
      'a[b]',
      'a.b',
    ]
    const all = [...forms, ...more]
    for (const outer of all) {
      for (const inner of all) {
        for (const operand of ['a', 'b', 'c']) {
          expectSame(parseScript(`SELECT ${outer.replace(new RegExp(`(?<!\\.)\\b${operand}\\b`), `(${inner})`)}`))
        }
      }
    }
  })
})

describe('the texts that are printed', () => {
  it('contain every kind of node that a tree may have', () => {
    const seen = new Set<string>()
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return
      if ('kind' in node && typeof node.kind === 'string') seen.add(node.kind)
      Object.values(node).forEach(visit)
    }
    for (const text of [...fc.sample(anyText, { numRuns: 2000, seed: 1 }), ...allCases()]) visit(parsed(text))
    expect(KINDS.filter(kind => !seen.has(kind))).to.deep.equal([])
  })
})

/** All kinds of nodes, read from the file that declares the types of the tree. */
const KINDS: readonly string[] = [
  ...readFileSync('googlesql/ast/nodes.ts', 'utf8').matchAll(/readonly kind: ((?:'[a-z-]+'(?: \| )?)+)/g),
].flatMap(([, kinds]) => [...kinds!.matchAll(/'([a-z-]+)'/g)].map(([, kind]) => kind!))

function allCases(): readonly string[] {
  const syntax = (file: string): readonly { readonly sql: string }[] =>
    parseYaml(readFileSync(`test/cases/googlesql-syntax/${file}.yaml`, 'utf8'))
  return [
    ...syntax('queries').map(({ sql }) => sql),
    ...syntax('expressions').map(({ sql }) => `SELECT ${sql}`),
    ...caseFiles().flatMap(file => readCases(file).map(({ sql }) => sql)),
  ]
}
