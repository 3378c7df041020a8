/** Digests and fingerprints. Source: the language reference, "Hash functions". */
import { type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { NULL_FROM_NULL } from '../result-facts.js'

const entry = (name: string, result: string): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail: NEVER_FAILS,
  volatility: 'immutable',
  evaluation: 'all',
  result: NULL_FROM_NULL,
  signatures: [`(STRING) -> ${result}`, `(BYTES) -> ${result}`],
  documentation: `hash_functions#${name.toLowerCase()}`,
})

export const HASH_FUNCTIONS: readonly FunctionEntry[] = [
  entry('FARM_FINGERPRINT', 'INT64'),
  entry('MD5', 'BYTES'),
  entry('SHA1', 'BYTES'),
  entry('SHA256', 'BYTES'),
  entry('SHA512', 'BYTES'),
]
