/** ERROR, and functions that tell of the query itself. Source: the language reference, "Debugging functions". */
import type { FunctionEntry } from './catalogue.js'

export const DEBUGGING_FUNCTIONS: readonly FunctionEntry[] = [
  // Its type is INT64 where nothing asks for another one; coercion takes it for a NULL without a type.
  { name: 'ERROR', kind: 'scalar', signatures: ['(STRING) -> INT64'], documentation: 'debugging_functions#error' },
  {
    name: 'GENERATE_UUID',
    kind: 'scalar',
    signatures: ['() -> STRING'],
    documentation: 'utility_functions#generate_uuid',
    allowsSafe: false,
  },
  {
    name: 'SESSION_USER',
    kind: 'scalar',
    signatures: ['() -> STRING'],
    documentation: 'security_functions#session_user',
    allowsSafe: false,
  },
  {
    name: 'TYPEOF',
    kind: 'scalar',
    signatures: ['(ANY) -> STRING'],
    documentation: 'utility_functions#typeof',
    allowsSafe: false,
  },
]
