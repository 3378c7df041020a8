/** The node types of a parsed template: a closed set, independent of Handlebars' runtime. */
import type { PlainRuleId } from '../model/rules.js'
import type { Proposal } from '../model/suggest.js'

/** A name in braces. */
export interface NamePath {
  /** The number of `../` before the name. */
  readonly up: number
  /** True for a name with `@`, such as `@index`. */
  readonly isData: boolean
  /** True for `this.x` and `./x`, which are looked up in the current entry only. */
  readonly isOwn: boolean
  /** Empty for `this`. */
  readonly parts: readonly string[]
  readonly written: string
  readonly offset: number
}

export interface PartialArgument {
  readonly name: string
  readonly value: NamePath | { readonly literal: string | number | boolean; readonly offset: number }
  readonly offset: number
}

/** A node. Offsets count UTF-16 units of the template's text. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string; readonly offset: number }
  | { readonly kind: 'value'; readonly path: NamePath; readonly offset: number }
  | {
      readonly kind: 'if'
      readonly isNegated: boolean
      readonly path: NamePath
      readonly whenTrue: readonly TemplateNode[]
      readonly whenFalse: readonly TemplateNode[]
    }
  | {
      readonly kind: 'each'
      readonly path: NamePath
      readonly body: readonly TemplateNode[]
      readonly whenFalse: readonly TemplateNode[]
    }
  | {
      readonly kind: 'partial'
      readonly name: string
      readonly arguments: readonly PartialArgument[]
      readonly offset: number
    }

export type TemplateRule = Extract<PlainRuleId, `template/${string}`>

export interface TemplateHint extends Proposal {
  /** The lookup table that the hint names. */
  readonly table?: string
}

/** A mistake in a template's text. */
export interface TemplateProblem {
  readonly rule: TemplateRule
  readonly offset: number
  readonly message: string
  /** The word that was probably meant, or what else to write. */
  readonly more?: TemplateHint
}

export interface ParsedTemplate {
  readonly nodes: readonly TemplateNode[]
  readonly problems: readonly TemplateProblem[]
}
