/** What HTTP shows of endpoints: the contract with callers, from `GET /api/endpoints/<ref>`, and what edits change. */
import type { Diagnostic } from './diagnostic.js'
import type { ArgumentValue, ParameterType } from './param.js'

export interface PublishedEndpoint {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly PublishedParameter[]
  readonly columns: readonly PublishedColumn[]
  /** The settings with the manifest's keys, defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The arguments that the caller's token fixes, by name. */
  readonly pinned: Readonly<Record<string, string>>
  /** The parameter that identifies the tenant. */
  readonly tenant?: string
}

/** A parameter with the manifest's keys; members without a value are left out. */
export interface PublishedParameter {
  readonly name: string
  readonly type: ParameterType
  readonly required: boolean
  readonly description: string
  readonly examples?: readonly string[]
  readonly default?: ArgumentValue
  /** The only values that are allowed, those that lookup tables allow included. */
  readonly enum?: readonly ArgumentValue[]
  readonly pattern?: string
  readonly minimum?: ArgumentValue
  readonly maximum?: ArgumentValue
  readonly max_length?: number
  readonly max_element_length?: number
  readonly format?: 're2'
  readonly pinned_as?: string
  /** The parameter is where the period begins or ends that a tool shows. */
  readonly role?: 'start' | 'end'
}

/** A column with the manifest's keys; `json` and `unit` are left out where the manifest has none. */
export interface PublishedColumn {
  readonly name: string
  /** As GoogleSQL writes it, with all fields of a STRUCT where they are known. */
  readonly type: string
  readonly description: string
  readonly required: boolean
  readonly json?: 'number' | 'string'
  readonly unit?: string
  /**
   * What the query shows of the fields of a STRUCT, or of an ARRAY of STRUCTs, in the order of the type; left out where that is
   * nothing.
   */
  readonly fields?: readonly PublishedField[]
}

export interface PublishedField {
  /** Never NULL, wherever its STRUCT is not NULL. */
  readonly required: boolean
  /** JSON has every value as a number. */
  readonly json?: 'number'
  readonly fields?: readonly PublishedField[]
}

/** An endpoint as a reload has left it: an event of `GET /api/dev/changes`. */
export interface EndpointChange {
  /** The file of the manifest, as diagnostics name it; null for mistakes that belong to no manifest. */
  readonly file: string | null
  /** Null where it cannot be read, and for mistakes that belong to no endpoint. */
  readonly name: string | null
  readonly id: string | null
  /** What is served; null for nothing. */
  readonly revision: string | null
  /** The mistakes in its files. With a revision too, an older state is served meanwhile, unless all are warnings. */
  readonly diagnostics: readonly Diagnostic[]
}
