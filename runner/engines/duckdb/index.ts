/** What the rest of the program uses from this folder. */

export type { DuckdbEngine } from './duckdb-engine.js'
export { type EmbeddedEngine, type EmbeddedEngineOptions, type EmbeddedTable, openEmbedded } from './embedded.js'
export { openDuckdbEngine } from './open-engine.js'
export type { TableSource } from './process/messages.js'
export { dataFolderFault, filesInPlace, filesOfTable, statFile } from './tables/data-folder.js'
