/**
 * Every signature of the catalogue, with and without each optional argument, every form and every mode of an aggregate is
 * called in a case that has rows.
 */
import { expect } from 'chai'
import { allFunctions, findFunction } from '../../../googlesql/functions/all.js'
import type { FunctionEntry } from '../../../googlesql/functions/catalogue.js'
import { signaturesOf } from '../../../googlesql/functions/shown-signature.js'
import type { Pattern, Signature } from '../../../googlesql/functions/signature.js'
import { SPECIAL_SYNTAX } from '../../../googlesql/functions/special-syntax.js'
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { resolveQuery } from '../../../googlesql/resolve/resolve.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { parseTypeName } from '../../../googlesql/types/parse-type-name.js'
import { type Type, typeName } from '../../../googlesql/types/types.js'
import { caseFiles, caseTables, readCases } from '../case-files.js'

type Node = { readonly [key: string]: unknown }
type Args = readonly (Expr | null)[]

/** The error of calls that the language has and the embedded engine does not support; their cases count too. */
const REFUSED = 'is not supported by the embedded engine'

describe('the cases with rows, and those that the engine refuses,', () => {
  const called = new Set<string>()
  const forms = new Set<string>()

  before(() => {
    const tables = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
    for (const { sql, parameters = {}, rows, error } of caseFiles().flatMap(readCases)) {
      if (rows === undefined && !error!.endsWith(REFUSED)) continue
      const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])
      visit(resolveQuery(sql, tables, Object.fromEntries(types)), new Set(), node => {
        if (Array.isArray(node['arguments'])) noteCall(node, called)
        if (Array.isArray(node['partitionBy'])) called.add(`${(node['call'] as Node)['name']} OVER`)
        noteForm(node, forms)
      })
    }
  })

  it('call every function, by every signature', () => {
    const all = allFunctions().flatMap(entry => signaturesOf(entry).map((_, index) => keyOf(entry, index)))
    expect(all.filter(key => !called.has(key))).to.deep.equal([])
  })

  it('call them with each optional argument, and without it', () => {
    const all = allFunctions().flatMap(entry =>
      signaturesOf(entry).flatMap((signature, index) =>
        optionals(signature).flatMap(at => [true, false].map(isGiven => optionalKey(entry, index, at, isGiven))),
      ),
    )
    expect(all.filter(key => !called.has(key))).to.deep.equal([])
  })

  it('call every aggregate in every mode that it has', () => {
    const modes = {
      DISTINCT: 'allowsDistinct',
      HAVING: 'allowsHaving',
      'ORDER BY': 'allowsOrderBy',
      LIMIT: 'allowsLimit',
    }
    const all = allFunctions().flatMap(({ name, aggregate }) => [
      ...Object.entries(modes).flatMap(([mode, trait]) =>
        aggregate?.[trait as 'allowsDistinct'] ? [`${name} ${mode}`] : [],
      ),
      ...(aggregate?.allowsNullsClause ? [`${name} IGNORE NULLS`, `${name} RESPECT NULLS`] : []),
      ...(aggregate?.allowsOver ? [`${name} OVER`] : []),
    ])
    expect(all.filter(key => !called.has(key))).to.deep.equal([])
  })

  it('use every form with special syntax', () => {
    const all = SPECIAL_SYNTAX.map(form => form.name)
    expect(all.filter(name => !forms.has(name))).to.deep.equal([])
  })
})

/** Calls `note` once for every object inside the value. */
function visit(value: unknown, seen: Set<unknown>, note: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof Uint8Array) return
  seen.add(value)
  if (!Array.isArray(value)) note(value as Node)
  for (const part of Object.values(value)) visit(part, seen, note)
}

function noteCall(node: Node, called: Set<string>): void {
  const entry = findFunction(node['name'] as string)!
  const args = node['arguments'] as Args
  signaturesOf(entry).forEach((signature, index) => {
    if (!fits(signature, args)) return
    called.add(keyOf(entry, index))
    for (const at of optionals(signature)) {
      // Arguments of a repeated parameter move those behind them.
      const isMoved = signature.parameters.slice(0, at).some(({ isRepeated }) => isRepeated)
      const arg = args[isMoved ? args.length - signature.parameters.length + at : at]
      called.add(optionalKey(entry, index, at, arg !== null))
    }
  })
  const modes: readonly (readonly [string, unknown])[] = [
    ['DISTINCT', node['isDistinct']],
    ['HAVING', node['having']],
    ['ORDER BY', (node['orderBy'] as readonly unknown[] | undefined)?.length],
    ['LIMIT', node['limit']],
    ['IGNORE NULLS', node['ignoresNulls'] === true],
    ['RESPECT NULLS', node['ignoresNulls'] === false],
  ]
  for (const [mode, isUsed] of modes) if (isUsed) called.add(`${entry.name} ${mode}`)
}

/** Notes the forms that the resolved tree does not represent as ordinary calls. */
function noteForm(node: Node, forms: Set<string>): void {
  if (node['kind'] === 'cast' && node['isImplicit'] === false) forms.add(node['isSafe'] ? 'SAFE_CAST' : 'CAST')
  if (node['kind'] === 'case') forms.add('CASE')
  if (node['kind'] === 'subquery') forms.add((node['form'] as string).toUpperCase())
  if (node['kind'] === 'call' && node['name'] === '$extract') forms.add('EXTRACT')
  if (node['kind'] === 'call' && node['name'] === '$interval') forms.add('INTERVAL')
  if (Array.isArray(node['groupingCalls']) && node['groupingCalls'].length > 0) forms.add('GROUPING')
}

const keyOf = (entry: FunctionEntry, index: number): string => entry.name + entry.signatures[index]!

/** Where a signature has an optional argument that is one. */
const optionals = ({ parameters }: Signature): readonly number[] =>
  parameters.flatMap(({ isOptional, isRepeated }, at) => (isOptional && !isRepeated ? [at] : []))

const optionalKey = (entry: FunctionEntry, index: number, at: number, isGiven: boolean): string =>
  `${keyOf(entry, index)} ${isGiven ? 'with' : 'without'} argument ${at + 1}`

/** Whether these coerced arguments match this signature; a missing optional argument is null. */
function fits({ parameters }: Signature, args: Args): boolean {
  const letters = new Map<string, string>()
  const extra = args.length - parameters.length
  const patterns = parameters.flatMap(({ pattern, isRepeated }) =>
    isRepeated ? Array.from({ length: extra + 1 }, () => pattern) : [pattern],
  )
  if (patterns.length !== args.length) return false
  return patterns.every((pattern, index) => {
    const arg = args[index]!
    return arg === null ? index > 0 || parameters[0]!.isOptional : fitsPattern(pattern, arg, letters)
  })
}

function fitsPattern(pattern: Pattern, arg: Expr, letters: Map<string, string>): boolean {
  if (pattern.kind === 'part' || pattern.kind === 'word') return arg.kind === 'word'
  if (arg.kind === 'word') return false
  if (pattern.kind === 'lambda') return arg.kind === 'lambda' && arg.parameters.length === pattern.parameters.length
  return arg.kind !== 'lambda' && fitsType(pattern, arg.type, letters)
}

function fitsType(pattern: Pattern, type: Type, letters: Map<string, string>): boolean {
  switch (pattern.kind) {
    case 'type':
      return typeName(pattern.type) === typeName(type)
    case 'array':
      return type.kind === 'ARRAY' && fitsType(pattern.element, type.element, letters)
    case 'variable': {
      const known = letters.get(pattern.letter) ?? typeName(type)
      letters.set(pattern.letter, known)
      return known === typeName(type)
    }
    default:
      return true
  }
}
