/** Names a JavaScript function in a message: `at f(STRING)`. */
import type { JavaScriptDefinition } from '../../../googlesql/functions/definitions/javascript.js'
import { typeName } from '../../../googlesql/types/types.js'

export const placeOf = ({ name, parameters }: JavaScriptDefinition): string =>
  `at ${name}(${parameters.map(({ type }) => typeName(type)).join(', ')})`
