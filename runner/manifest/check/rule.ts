/** What a rule is, and what it may look at. A rule says what the schema cannot. */

import type { Token } from '../../../googlesql/index.js'
import type { Severity } from '../../model/diagnostic.js'
import type { Manifest } from '../../model/manifest.js'
import type { ResultColumn, WarehouseReads } from '../../model/query.js'
import type { RuleId } from '../../model/rules.js'
import type { Expansion } from '../../template/expand.js'
import type { RenderedVariant } from '../../template/variants.js'
import type { FilePlace, ManifestSource } from '../source.js'

export interface ManifestFacts {
  readonly manifest: Manifest
  readonly source: ManifestSource
  /** The engine can tell whether the data of a query has changed. */
  readonly knowsDataChanges: boolean
}

/** A `@name` in SQL text. */
export interface ArgumentName {
  readonly name: string
  place(): FilePlace
}

/** One distinct SQL text, and the first variant that produces it. */
export interface DistinctSql {
  readonly sql: string
  readonly variant: RenderedVariant
  /** Of how many variants. */
  readonly share: number
  /** Null when the text has no readable tokens; the SQL's own error says why. */
  readonly tokens: readonly Token[] | null
  /** In the tokens; null where those are. */
  readonly argumentNames: readonly ArgumentName[] | null
}

export interface TemplateFacts extends ManifestFacts {
  readonly expansion: Expansion
  readonly texts: readonly DistinctSql[]
}

export interface CheckedSql {
  readonly text: DistinctSql
  readonly columns: readonly ResultColumn[]
  /** The engine's own: see CheckResult. */
  readonly compiled?: object
  readonly reads?: WarehouseReads
}

export interface SqlFacts extends TemplateFacts {
  /** The texts that compile. */
  readonly checked: readonly CheckedSql[]
}

export type Report = (place: FilePlace, message: string) => void

export interface Rule<Facts> {
  /** Never changes, and is never used for another rule. */
  readonly id: RuleId
  readonly severity: Severity
  readonly check: (facts: Facts, report: Report) => void
}
