/** Finds and explains error codes, for the pages at `/problems/<code>`. */
import { nearest } from '../../googlesql/index.js'
import { ERROR_CODES, type ErrorCode, type ErrorText } from './error-codes.js'

/** The address that explains the code: `/problems/argument-invalid`. */
export const problemType = (code: ErrorCode): string => `/problems/${code.toLowerCase().replaceAll('_', '-')}`

/** The code of this name, as `ARGUMENT_INVALID` or `argument-invalid`; undefined for any other name. */
export function findErrorCode(name: string): ErrorCode | undefined {
  const code = codeForm(name)
  return Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined
}

/** The code that was probably meant; undefined where none is similar. */
export function nearestErrorCode(name: string): ErrorCode | undefined {
  return nearest(codeForm(name), Object.keys(ERROR_CODES)) as ErrorCode | undefined
}

const codeForm = (name: string): string => name.toUpperCase().replaceAll('-', '_')

/** Whose fault a problem is, as a sentence. */
export const FAULTS: Readonly<Record<NonNullable<ErrorText['fault']>, string>> = {
  caller: 'The mistake is in the call.',
  author: 'The call is right. The endpoint could not answer it, which is for its author to correct.',
  operator: 'The call is right. The server could not answer it now, which is for its operator to correct.',
  program: 'The call is right. This is a bug in the program.',
}

/** `{type, code, status, title, what, fault, remedy}`; the texts are Markdown, in which only code is marked. */
export function explainProblem(code: ErrorCode) {
  const { status, title, what, fault = 'caller', remedy }: ErrorText = ERROR_CODES[code]
  return { type: problemType(code), code, status, title, what, fault: FAULTS[fault], remedy } as const
}
