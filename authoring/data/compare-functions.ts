/** Compares the file of a function with the routine in the warehouse. */
import { type FunctionSignature, type FunctionSource, functionSignature, isSameSql } from '../../googlesql/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import { placeAt } from '../../runner/manifest/source.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { lineStartsOf } from '../../runner/model/line-starts.js'
import type { RoutineResource } from './routine-resource.js'

/**
 * A diagnostic for each difference, placed in the file. `warehouse` is null where the function does not exist there.
 * @throws SqlError where the file is not a definition
 */
export function compareFunction(source: FunctionSource, warehouse: RoutineResource | null): readonly Diagnostic[] {
  const { file, name, text } = source
  const starts = lineStartsOf(text)
  const signature = functionSignature(source)
  const placeOf = (offset: number) => placeAt(file, starts, offset)
  if (warehouse === null) {
    return [diagnosticAt(placeOf(signature.at), 'function/missing', `the warehouse has no function ${name}`)]
  }
  const diagnostics: Diagnostic[] = []
  reportDifferences(signature, warehouse, (message, offset) => {
    diagnostics.push(diagnosticAt(placeOf(offset), 'function/differs', `${name}: ${message}`))
  })
  return diagnostics
}

const KINDS = { scalar: 'SCALAR_FUNCTION', table: 'TABLE_VALUED_FUNCTION' } as const

function reportDifferences(
  file: FunctionSignature,
  warehouse: RoutineResource,
  report: (message: string, offset: number) => void,
): void {
  const { at, kind, language, returns } = file
  const compare = (what: string, ours: string, theirs: string, offset: number): boolean => {
    const isSame = ours.toUpperCase() === theirs.toUpperCase()
    if (!isSame) report(`the ${what} is ${ours} here and ${theirs} in the warehouse`, offset)
    return isSame
  }
  const isSameKind = compare('kind', KINDS[kind], warehouse.kind, at)
  if (!compare('language', language, warehouse.language, at) || !isSameKind) return
  compare('number of parameters', String(file.parameters.length), String(warehouse.arguments.length), at)
  for (const [i, parameter] of file.parameters.entries()) {
    const other = warehouse.arguments[i]
    if (other) compare(`parameter ${i + 1}`, parameterText(parameter), parameterText(other), parameter.at)
  }
  // If one side infers the type from the body, there is nothing to compare.
  if (returns && warehouse.returns !== null) compare('type of the result', returns.type, warehouse.returns, returns.at)
  if (warehouse.libraries.length > 0) {
    report(`the warehouse's function has libraries: ${warehouse.libraries.join(', ')}`, at)
  }
  if (!isSameBody(file, warehouse)) report('the body differs from the warehouse', file.body.at)
}

const parameterText = ({ name, type }: { readonly name: string; readonly type: string | null }): string =>
  `${name} ${type ?? 'ANY TYPE'}`

function isSameBody({ language, body }: FunctionSignature, warehouse: RoutineResource): boolean {
  const normalize = (text: string): string => text.replaceAll('\r\n', '\n').trim()
  if (language === 'JAVASCRIPT') return normalize(body.text) === normalize(warehouse.body)
  return isSameSql(body.text, warehouse.body)
}
