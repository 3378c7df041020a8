/** A query's text with its translation, and the facts that each run of the query needs. */
import type { Type } from '../../../googlesql/index.js'
import type { TranslatedQuery } from '../../../googlesql-duckdb/index.js'
import type { CheckedColumn, ResultColumn } from '../../model/query.js'
import { checkedColumn } from '../checked-column.js'
import type { TableView } from './catalogue.js'

/** A query's text, the types of its parameters, and the tables that its names mean. */
export interface SourceQuery {
  readonly sql: string
  readonly types: Readonly<Record<string, Type>>
  readonly view: TableView
}

export class CompiledQuery {
  readonly source: SourceQuery
  readonly translation: TranslatedQuery
  /** The revision of the table catalogue. */
  readonly revision: number
  readonly checkedColumns: readonly CheckedColumn[]
  readonly resultColumns: readonly ResultColumn[]

  constructor(source: SourceQuery, translation: TranslatedQuery, revision: number) {
    this.source = source
    this.translation = translation
    this.revision = revision
    this.checkedColumns = translation.columns.map(checkedColumn)
    this.resultColumns = this.checkedColumns.map(({ name, type }) => ({ name, type }))
  }
}
