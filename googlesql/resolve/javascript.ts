/**
 * Temporary functions in JavaScript. A call becomes `$javascript(definition, arguments…)`, in which the definition is the JSON
 * text of a JavaScriptDefinition. Source: the language reference, "JavaScript UDFs", and for the types BigQuery's page of the
 * same name.
 */
import type { JavaScriptBody } from '../ast/nodes.js'
import type { JavaScriptDefinition } from '../functions/definitions/javascript.js'
import type { CallExpr, Expr } from '../plan/nodes.js'
import { STRING, type Type, typeName } from '../types/types.js'
import type { ResolveContext, TemporaryFunction } from './context.js'

/** @throws SqlError for a type whose values JavaScript cannot represent, and for a body that is not valid JavaScript */
export function checkJavaScript(udf: TemporaryFunction, body: JavaScriptBody, context: ResolveContext): void {
  const { name, parameters, returns } = udf.definition
  for (const [i, { name, type }] of udf.parameters.entries()) {
    const { at } = parameters[i]!.name
    if (type === null) context.fail(`ANY TYPE is not allowed for ${name}: a JavaScript function needs types`, at)
    const reason = whyNot('argument', type)
    if (reason) context.fail(`The JavaScript function cannot take ${name} of type ${typeName(type)}: ${reason}`, at)
  }
  if (!udf.returns || !returns) context.fail('A JavaScript function must have RETURNS with a type', name.at)
  const reason = whyNot('result', udf.returns)
  if (reason) context.fail(`The JavaScript function cannot return ${typeName(udf.returns)}: ${reason}`, returns.at)
  const names = udf.parameters.map(({ name }) => name)
  const mistake = syntaxError(body.text, names)
  if (mistake) context.fail(`The body of ${name.name} is not valid JavaScript: ${mistake}`, body.at)
}

/** Why JavaScript cannot take an argument, or return a result, of this type; null where it can. */
function whyNot(use: 'argument' | 'result', type: Type): string | null {
  switch (type.kind) {
    case 'INT64':
      return use === 'argument' ? 'a JavaScript number does not hold every INT64; use FLOAT64, or STRING' : null
    case 'DATETIME':
    case 'TIME':
    case 'INTERVAL':
      return 'JavaScript has no value for it; use STRING'
    default:
      return whyNotParts(type, part => whyNot(use, part))
  }
}

/** The reason why JavaScript cannot represent the elements of an array or the fields of a struct; null where it can. */
function whyNotParts(type: Type, why: (part: Type) => string | null): string | null {
  if (type.kind === 'ARRAY') return why(type.element)
  if (type.kind !== 'STRUCT') return null
  const names = new Set<string>()
  for (const { name, type: field } of type.fields) {
    if (name === '') return 'a field of a STRUCT needs a name, which is its property in JavaScript'
    if (names.has(name.toLowerCase())) return `the STRUCT has two fields ${name}`
    names.add(name.toLowerCase())
    const reason = why(field)
    if (reason !== null) return reason
  }
  return null
}

/** Compiles the body without running it. */
function syntaxError(body: string, names: readonly string[]): string | null {
  try {
    new Function(...names, body)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The call of the function with these arguments, which are coerced to its parameters. */
export function javaScriptCall(
  udf: TemporaryFunction,
  body: JavaScriptBody,
  args: readonly Expr[],
  at: number,
): CallExpr {
  const definition: JavaScriptDefinition = {
    name: udf.definition.name.name,
    parameters: udf.parameters.map(({ name, type }) => ({ name, type: type! })),
    returns: udf.returns!,
    body: body.text,
  }
  return {
    kind: 'call',
    type: definition.returns,
    name: body.isDeterministic ? '$javascript_immutable' : '$javascript',
    arguments: [{ kind: 'literal', type: STRING, value: JSON.stringify(definition), at }, ...args],
    isSafe: false,
    at,
  }
}
