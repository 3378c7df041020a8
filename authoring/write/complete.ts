/** Completes a new manifest with the columns of its query, once everything else is right. */
import type { TableCatalogue } from '../../googlesql/index.js'
import { type LoadOptions, loadSources } from '../../runner/manifest/load.js'
import { LoadError } from '../../runner/model/errors.js'
import { type ManifestSpec, manifestText } from './manifest-text.js'

export interface CompleteOptions extends Pick<LoadOptions, 'checkSql'> {
  /** Where the manifest will be, and the path from there to schemas/. */
  readonly file: string
  readonly schemas: string
  readonly tables: TableCatalogue
}

/**
 * The text of the manifest with `columns:`.
 * @throws LoadError if the manifest would not be valid, as with a character that YAML refuses or a wrong name of a parameter
 */
export async function completeText(spec: ManifestSpec, options: CompleteOptions): Promise<string> {
  const { file, schemas, tables, checkSql } = options
  const { loadedEndpoints, diagnostics } = await loadSources([{ file, text: manifestText(spec, schemas) }], [], {
    tables,
    checkSql,
  })
  const loadedEndpoint = loadedEndpoints[0]
  if (diagnostics.length > 0 || loadedEndpoint === undefined) throw new LoadError(diagnostics)
  const columns = loadedEndpoint.endpoint.columns.map(({ name, type, required }) => ({ name, type, required }))
  return manifestText({ ...spec, columns }, schemas)
}
