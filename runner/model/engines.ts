/** What each engine can do. Other code asks for a capability, never for an engine's name. */

interface EngineCapabilities {
  /** It reads files of this machine, so that the schemas here declare every table. */
  readonly isLocal: boolean
  /** It runs SQL with names that the resolver does not know: tables and functions may be declared in the engine alone. */
  readonly canRunUnresolved: boolean
  /** It says what a query would read, and bills for it. */
  readonly estimatesCost: boolean
}

export const ENGINES = {
  duckdb: { isLocal: true, canRunUnresolved: false, estimatesCost: false },
  bigquery: { isLocal: false, canRunUnresolved: true, estimatesCost: true },
} as const satisfies Readonly<Record<string, EngineCapabilities>>

export type EngineName = keyof typeof ENGINES
