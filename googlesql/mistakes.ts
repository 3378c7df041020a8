/**
 * The kinds of mistakes in SQL, each a code with data. Advice, quick fixes and the search for causes read the code and its data,
 * never the message. Most mistakes are only shown, and have no code.
 */

/** What kind of syntax is wrong; `other` where no advice depends on it. */
export type SyntaxForm =
  | 'unclosed-text'
  | 'unclosed-name'
  | 'digit-before-name'
  | 'adjacent-texts'
  | 'illegal-character'
  /** The token at the place cannot stand there. */
  | 'unexpected'
  /** Another token must stand at the place: `expected` lists which. */
  | 'expected'
  | 'other'

export interface Named {
  readonly name: string
}

/** The data of each code. Types are as messages name them. */
export interface MistakeData {
  /** `expected` has what must stand there: words in upper case, symbols, or phrases such as `end of input`. */
  syntax: { readonly form: SyntaxForm; readonly expected: readonly string[] }
  'positional-parameter': unknown
  'second-query': unknown
  'star-argument': unknown
  'unknown-name': Named
  'unknown-member': Named
  'unknown-function': Named
  'unknown-table-function': Named
  'unknown-type': Named
  'unknown-parameter': Named
  'unknown-zone': unknown
  /** `schema` is the file of the table's broken schema, or of a schema that the table depends on. */
  'unknown-table': Named & { readonly schema?: string }
  /** A mistake in the text of a function, reported at a call. `cause` is that mistake. */
  'in-function': { readonly file: string | null; readonly cause: SqlMistake | undefined }
  cycle: { readonly names: readonly string[] }
  'call-limit': unknown
  'ambiguous-column': unknown
  'duplicate-alias': unknown
  'interval-value': unknown
  'extract-from-text': unknown
  /** `clause` is as messages name it: `WHERE clause`. */
  'misplaced-aggregate': { readonly clause: string }
  'ungrouped-column': Named
  'no-fields': { readonly field: string; readonly isArrayOfStructs: boolean }
  'null-operand': { readonly operator: string }
  /** `word` is null where no name stands in the place of the date part. */
  'no-date-part': { readonly word: string | null }
  'unsupported-date-part': Named & { readonly part: string; readonly type: string }
  'not-a-condition': { readonly type: string }
  literal: { readonly type: string }
  'argument-count': Named
  /** `takesAny` tells whether a signature takes values of any type, all of which must have one type. */
  'no-signature': Named & {
    readonly kind: 'operator' | 'scalar' | 'aggregate' | 'window'
    readonly types: readonly string[]
    readonly takesAny: boolean
  }
  /** The values that a CASE may have do not have one type. */
  'no-common-type': { readonly types: readonly string[] }
}

export interface Proposing {
  /** The end of the message, such as the signatures of a function: advice replaces it. */
  readonly hint?: string | undefined
  /** The word that the message proposes instead of the wrong one. */
  readonly meant?: string | undefined
}

export type SqlMistake = {
  [Code in keyof MistakeData]: { readonly code: Code } & MistakeData[Code] & Proposing
}[keyof MistakeData]

/** The mistake itself, where it is reported at the call of a function that has it. */
export const rootOf = (mistake: SqlMistake | undefined): SqlMistake | undefined =>
  mistake?.code === 'in-function' ? rootOf(mistake.cause) : mistake

/** The proposal of this word, as part of a mistake; empty without a word. */
export const proposing = (meant: string | undefined): Proposing =>
  meant === undefined ? {} : { meant, hint: `; Did you mean ${meant}?` }
