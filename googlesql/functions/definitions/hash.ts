/** Digests and fingerprints. Source: the language reference, "Hash functions". */
import { type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { NULL_FROM_NULL } from '../result-facts.js'

const hash = functionsOf('hash_functions')

export const HASH_FUNCTIONS: readonly FunctionEntry[] = [
  hash('FARM_FINGERPRINT', NEVER_FAILS, NULL_FROM_NULL, ['(STRING) -> INT64', '(BYTES) -> INT64']),
  ...['MD5', 'SHA1', 'SHA256', 'SHA512'].map(name =>
    hash(name, NEVER_FAILS, NULL_FROM_NULL, ['(STRING) -> BYTES', '(BYTES) -> BYTES']),
  ),
]
