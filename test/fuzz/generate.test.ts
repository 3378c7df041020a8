import { expect } from 'chai'
import { allFunctions } from '../../googlesql/functions/all.js'
import { resolveQuery } from '../../googlesql/resolve/resolve.js'
import { SqlError } from '../../googlesql/sql-error.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import { familyNames, generate } from '../../tools/fuzz/families.js'
import { OPERATOR_TEXTS } from '../../tools/fuzz/operators.js'
import { type Question, questionOf } from '../../tools/fuzz/render.js'
import { fuzzCaseTables } from '../../tools/fuzz/tables.js'
import { descendants } from '../../tools/fuzz/tree.js'
import { itInAll } from '../sample-size.js'

const TABLES = tableCatalogue([...fuzzCaseTables()].map(([name, { columns }]) => ({ name, columns })))

function refusal({ sql, parameters }: Question): string | null {
  const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!] as const)
  try {
    resolveQuery(sql, TABLES, Object.fromEntries(types))
    return null
  } catch (error) {
    if (error instanceof SqlError) return error.message
    throw error
  }
}

/** Families of generated queries that may be invalid, for which each engine has its own error. */
const MAY_BE_WRONG = new Set(['lexical', 'names', 'supertypes', 'by-name'])

describe('random queries', () => {
  it('are the same for the same seed and number, and others for another', () => {
    const text = (seed: string, index: number): string => JSON.stringify(questionOf(generate(seed, index).node))
    for (let i = 0; i < 50; i++) expect(text('a', i)).to.equal(text('a', i))
    const others = Array.from({ length: 50 }, (_, i) => text('a', i) === text('b', i))
    expect(others.filter(Boolean).length).to.be.below(3)
  })

  it('are of the families that are asked for', () => {
    for (const family of familyNames()) expect(generate('a', 1, [family]).family).to.equal(family)
    const left = Array.from({ length: 200 }, (_, i) => generate('a', i, ['-windows', '-joins']).family)
    for (const family of ['windows', 'joins']) expect(left).to.not.include(family)
  })

  it('are typed: nearly all of every family resolve', () => {
    for (const family of familyNames().filter(name => !MAY_BE_WRONG.has(name))) {
      const refused = Array.from({ length: 40 }, (_, i) => questionOf(generate('typed', i, [family]).node)).flatMap(
        question => (refusal(question) === null ? [] : [`${refusal(question)}\n  ${question.sql}`]),
      )
      expect(refused.length, `${family}\n${refused.join('\n')}`).to.be.below(9)
    }
  })

  itInAll('call every function of the catalogue, and write every operator', () => {
    const called = new Set<string>()
    for (let i = 0; i < 9_000; i++) {
      for (const { calls } of descendants(generate('every', i, ['functions', 'aggregates', 'windows']).node)) {
        if (calls) called.add(calls)
      }
    }
    const entries = allFunctions().map(entry => entry.name)
    // ERROR is generated only inside conditionals.
    expect(entries.filter(name => !called.has(name) && name !== 'ERROR')).to.deep.equal([])
    const special = ['$count_star', '$extract', '$interval', '$json_field']
    const operators = entries.filter(name => name.startsWith('$') && !special.includes(name))
    expect(Object.keys(OPERATOR_TEXTS)).to.have.members(operators)
  })
})
