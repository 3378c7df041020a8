/** The facts of two folders of endpoints that `sluice diff` compares. */

import type { Endpoint } from '../../runner/model/endpoint.js'
import type { Manifest } from '../../runner/model/manifest.js'
import type { WarehouseReads } from '../../runner/model/query.js'
import type { Expectation, TestArguments } from '../test/files/test-file.js'

/** One SQL text that a template can produce, and the choices of a call that lead to it. */
export interface ComparedVariant {
  /** The choices in words; empty for the only variant. */
  readonly label: string
  readonly sql: string
  /** By parameter: the row of its lookup table that is picked, and whether it is given. */
  readonly choices: ReadonlyMap<string, string>
  /** What the warehouse would read; null where no warehouse was asked. */
  readonly reads: WarehouseReads | null
  /** The tables that it reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /** The partitioned tables among them whose every partition it reads. */
  readonly wholeTables: readonly string[]
  /** Whether it resolves here; else only the warehouse knows its tables or functions, and no column is known to be REQUIRED. */
  readonly isResolved: boolean
}

export interface ComparedTest {
  readonly name: string
  readonly arguments: TestArguments
  readonly nowMicros: bigint | null
  /** By the name of the table: its rows, or the path of a file with a hash of what is in it. */
  readonly tables: Readonly<Record<string, readonly object[] | { readonly file: string; readonly hash: string }>>
  readonly expect: Expectation
}

export interface ComparedEndpoint {
  readonly endpoint: Endpoint
  readonly manifest: Manifest
  /** The path of the manifest below its folder. */
  readonly file: string
  readonly variants: readonly ComparedVariant[]
  readonly tests: readonly ComparedTest[]
}

/** A manifest that cannot be compared: it has errors. */
export interface BrokenManifest {
  /** The path below its folder. */
  readonly file: string
  /** Its id and name in lower case, where they can be read. */
  readonly claims: readonly string[]
}

/** A folder of endpoints. */
export interface Side {
  readonly endpoints: readonly ComparedEndpoint[]
  readonly broken: readonly BrokenManifest[]
}
