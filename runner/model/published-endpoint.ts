/** What HTTP shows of endpoints: the contract with callers, from `GET /api/endpoints/<ref>`, and the changes by edits. */
import type { Diagnostic } from './diagnostic.js'
import type { BrokenEndpoint, ContractColumn, Endpoint } from './endpoint.js'
import type { ArgumentValue, Parameter } from './param.js'

export interface PublishedEndpoint extends Pick<Endpoint, 'id' | 'name' | 'description' | 'settings'> {
  readonly parameters: readonly PublishedParameter[]
  readonly columns: readonly PublishedColumn[]
  /** The arguments that the caller's token fixes, by name. */
  readonly pinned: Readonly<Record<string, string>>
  /** The parameter that identifies the tenant. */
  readonly tenant?: string
}

/** A parameter with the manifest's keys; members without a value are left out. */
export interface PublishedParameter
  extends Pick<Parameter, 'name' | 'type' | 'description' | 'default' | 'minimum' | 'maximum' | 'format' | 'role'> {
  readonly required: boolean
  readonly examples?: readonly string[]
  /** The allowed values, by the manifest's enum and its lookup tables. */
  readonly enum?: readonly ArgumentValue[]
  readonly pattern?: string
  /** For JSON, the JSON Schema of the value. */
  readonly schema?: object
  readonly max_length?: number
  readonly max_element_length?: number
  readonly pinned_as?: string
}

/** A column with the manifest's keys; `json` and `unit` are left out where the manifest has none. */
export interface PublishedColumn extends Pick<ContractColumn, 'name' | 'type' | 'description' | 'required'> {
  readonly json?: 'number' | 'string'
  readonly unit?: string
  /**
   * What the query shows of the fields of a STRUCT, or of an ARRAY of STRUCTs, in the order of the type; left out where it shows
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
export interface EndpointChange extends Pick<BrokenEndpoint, 'name' | 'id'> {
  /** The file of the manifest, as diagnostics name it; null for mistakes that belong to no manifest. */
  readonly file: string | null
  /** The revision that is served; null where the endpoint is not served. */
  readonly revision: string | null
  /** The mistakes in its files. With errors and a revision, an older state is served meanwhile. */
  readonly diagnostics: readonly Diagnostic[]
}
