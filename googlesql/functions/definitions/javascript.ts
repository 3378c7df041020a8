/**
 * Calls of JavaScript functions. Only the resolver creates these calls; a query cannot name them. The first argument is the
 * function's definition. Source: the language reference, "JavaScript UDFs".
 */
import type { Type } from '../../types/types.js'
import { CAN_FAIL, type FunctionEntry, functionsOf, type Volatility } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

/** What an engine needs to run a JavaScript function. */
export interface JavaScriptDefinition {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly type: Type }[]
  readonly returns: Type
  readonly body: string
}

const javaScript = (name: string, volatility: Volatility): FunctionEntry =>
  functionsOf('user-defined-functions')(name, CAN_FAIL, UNKNOWN, ['(STRING, [ANY...]) -> ANY'], {
    volatility,
    documentation: 'user-defined-functions#javascript-udf-structure',
  })

/** BigQuery treats a function without a declaration as not deterministic. */
export const JAVASCRIPT_CALLS: readonly FunctionEntry[] = [
  javaScript('$javascript', 'volatile'),
  javaScript('$javascript_immutable', 'immutable'),
]
