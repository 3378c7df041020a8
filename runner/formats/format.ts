/** What a format of results is. Each is one file beside this one, and one line in the list of index.ts. */
import type { ContractColumn } from '../model/endpoint.js'
import type { ColumnPromise, ResultColumn } from '../model/query.js'
import type { RowWriter } from '../result/row-writer.js'

export interface Format {
  /** The value of `format` in an address, and of a command's `--format`. */
  readonly name: string
  /** The values of `Accept` that ask for it; the first is its own. Without any, only its name asks for it. */
  readonly mediaTypes: readonly string[]
  readonly contentType: string
  readonly extension: string
  /** Whether a browser that opens its address saves it as a file. @default false */
  readonly isAttachment?: boolean
  /** How OpenAPI describes its content; absent where it has no media type of its own, or where an endpoint's schema describes it. */
  readonly content?: 'text' | 'binary' | Readonly<Record<string, unknown>>
  /** How the explorer offers it for download, and at which place; absent where it does not. */
  readonly download?: { readonly title: string; readonly about: string; readonly place: number }
  /** Whether it needs a library. To load it, on first use, takes 200 ms of a thread. @default false */
  readonly needsLibrary?: boolean
  readonly write: WriteFormat
  /** Loads the writer of an export's rows; absent where exports do not offer the format. */
  readonly exportRows?: () => MakeRows | Promise<MakeRows>
}

/** @throws TypeError when a column's type cannot be read. */
export type MakeRows = (columns: readonly ResultColumn[], facts: RowFacts) => RowWriter

/**
 * Writes a stored result in the format.
 * @param json `{"result":[{…},…]}`, the members of each row in the order of the columns; it is not changed.
 * @throws JsonTextError, BodyTooLargeError, ResultNotWritableError; TypeError when a column's type cannot be read.
 */
export type WriteFormat = (
  columns: readonly ResultColumn[],
  json: Uint8Array,
  facts: ResultFacts,
) => Uint8Array | Promise<Uint8Array>

/** What formats need besides the rows and their columns. */
export interface RowFacts {
  readonly endpoint: string
  readonly revision: string
  /** Whether the engine had more rows than `max_rows`. */
  readonly isTruncated: boolean
  /** The cursor of the next page; null on the last. Absent where the rows are not a page. */
  readonly next?: string | null
  /** What the contract says of each column; absent for a result without a contract. */
  readonly contract?: readonly Requirement[]
  /** The most bytes of the result in the format, beyond which there is a BodyTooLargeError. @default no bound */
  readonly maxBytes?: number
}

export interface ResultFacts extends RowFacts {
  readonly contract?: readonly (Pick<ContractColumn, 'unit'> & Requirement)[]
}

/** Whether a column is never NULL, and which fields within it never are. */
export type Requirement = Pick<ColumnPromise, 'required' | 'fields'>
