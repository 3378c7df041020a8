/** The interface of rules, and the facts that they read. Rules check what the JSON Schema cannot express. */

import type { TableCatalogue, Token } from '../../../googlesql/index.js'
import type { Severity } from '../../model/diagnostic.js'
import type { Manifest } from '../../model/manifest.js'
import type { CheckResult } from '../../model/ports.js'
import type { RuleId } from '../../model/rules.js'
import type { Expansion } from '../../template/expand.js'
import type { RenderedVariant } from '../../template/variants.js'
import type { More } from '../report.js'
import type { FilePlace, ManifestSource } from '../source.js'

export interface ManifestFacts {
  readonly manifest: Manifest
  readonly source: ManifestSource
}

/** A parameter reference `@name` in SQL text. */
export interface ArgumentName {
  readonly name: string
  place(): FilePlace
}

/** One distinct SQL text, and the first variant that produces it. */
export interface DistinctSql {
  readonly sql: string
  readonly variant: RenderedVariant
  /** The number of variants that have this text. */
  readonly share: number
  /** The optional parameters that are absent in every variant with this text. */
  readonly absent: ReadonlySet<string>
  /** Null when the text cannot be tokenised; the check of the SQL reports why. */
  readonly tokens: readonly Token[] | null
  /** The parameter references among the tokens; null where `tokens` is null. */
  readonly argumentNames: readonly ArgumentName[] | null
  /** The place of an offset in the text; for a place in a partial, also ` (included by …)`. */
  placeAt(offset: number): PlaceInText
}

export interface PlaceInText extends FilePlace {
  readonly inclusion: string
}

export interface TemplateFacts extends ManifestFacts {
  readonly expansion: Expansion
  readonly texts: readonly DistinctSql[]
}

/** A text that compiles. */
export interface CheckedSql extends Extract<CheckResult, { readonly ok: true }> {
  readonly text: DistinctSql
}

export interface SqlFacts extends TemplateFacts {
  /** The texts that compile. */
  readonly checked: readonly CheckedSql[]
  /** The tables that queries can name. */
  readonly tables: TableCatalogue
}

export type Report = (place: FilePlace, message: string, more?: More) => void

/** One object is one rule; docs/reference/diagnostics.md is made from it. */
export interface Rule<Facts> {
  /** The rule's name. It never changes and is never reused for another rule. */
  readonly id: RuleId
  /** A manifest with a warning is served. @default error */
  readonly severity?: Severity
  /** What is wrong, in Markdown. */
  readonly says: string
  readonly check: (facts: Facts, report: Report) => void
}

export const parametersOf = ({ parameters = {} }: Manifest) => Object.entries(parameters)
export const lookupsOf = ({ lookups = {} }: Manifest) => Object.entries(lookups)

const each =
  <Entry>(entriesOf: (manifest: Manifest) => readonly Entry[]) =>
  <Facts extends ManifestFacts>(check: (entry: Entry, facts: Facts, report: Report) => void) =>
  (facts: Facts, report: Report): void => {
    for (const entry of entriesOf(facts.manifest)) check(entry, facts, report)
  }

/** The check of a rule that looks at each parameter by itself. */
export const eachParameter = each(parametersOf)
export const eachLookup = each(lookupsOf)
