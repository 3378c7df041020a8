/** Functions of network names and addresses. Source: the language reference, "Net functions". */
import { beyondBigQuery, type FunctionEntry } from './catalogue.js'

const entry = (name: string, signature: string): FunctionEntry => ({
  name: `NET.${name}`,
  kind: 'scalar',
  signatures: [signature],
  documentation: `net_functions#net${name.toLowerCase()}`,
})

export const NET_FUNCTIONS: readonly FunctionEntry[] = [
  entry('HOST', '(STRING) -> STRING'),
  entry('IP_FROM_STRING', '(STRING) -> BYTES'),
  beyondBigQuery(entry('IP_IN_NET', '(STRING, STRING) -> BOOL')),
  entry('IP_NET_MASK', '(INT64, INT64) -> BYTES'),
  entry('IP_TO_STRING', '(BYTES) -> STRING'),
  entry('IP_TRUNC', '(BYTES, INT64) -> BYTES'),
  entry('IPV4_FROM_INT64', '(INT64) -> BYTES'),
  entry('IPV4_TO_INT64', '(BYTES) -> INT64'),
  beyondBigQuery(entry('MAKE_NET', '(STRING, INT64) -> STRING')),
  entry('PUBLIC_SUFFIX', '(STRING) -> STRING'),
  entry('REG_DOMAIN', '(STRING) -> STRING'),
  entry('SAFE_IP_FROM_STRING', '(STRING) -> BYTES'),
]
