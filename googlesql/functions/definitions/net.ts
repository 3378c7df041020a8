/** Functions of network names and addresses. Source: the language reference, "Net functions". */
import { BEYOND_BIGQUERY, CAN_FAIL, type CanFail, type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const entry = (name: string, canFail: CanFail, signature: string): FunctionEntry =>
  functionsOf('net_functions')(`NET.${name}`, canFail, UNKNOWN, [signature], {
    documentation: `net_functions#net${name.toLowerCase()}`,
  })

const beyond: typeof entry = (...args) => ({ ...entry(...args), ...BEYOND_BIGQUERY })

export const NET_FUNCTIONS: readonly FunctionEntry[] = [
  entry('HOST', NEVER_FAILS, '(STRING) -> STRING'),
  entry('IP_FROM_STRING', CAN_FAIL, '(STRING) -> BYTES'),
  beyond('IP_IN_NET', CAN_FAIL, '(STRING, STRING) -> BOOL'),
  entry('IP_NET_MASK', CAN_FAIL, '(INT64, INT64) -> BYTES'),
  entry('IP_TO_STRING', CAN_FAIL, '(BYTES) -> STRING'),
  entry('IP_TRUNC', CAN_FAIL, '(BYTES, INT64) -> BYTES'),
  entry('IPV4_FROM_INT64', CAN_FAIL, '(INT64) -> BYTES'),
  entry('IPV4_TO_INT64', CAN_FAIL, '(BYTES) -> INT64'),
  beyond('MAKE_NET', CAN_FAIL, '(STRING, INT64) -> STRING'),
  entry('PUBLIC_SUFFIX', CAN_FAIL, '(STRING) -> STRING'),
  entry('REG_DOMAIN', CAN_FAIL, '(STRING) -> STRING'),
  entry('SAFE_IP_FROM_STRING', NEVER_FAILS, '(STRING) -> BYTES'),
]
