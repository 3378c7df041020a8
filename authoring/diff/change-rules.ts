/** The rules by which a change of an endpoint breaks its callers, is safe, or needs a review. Ids are never renamed. */

/** `review` is neither: only a reader can tell whether callers notice. */
export type Impact = 'breaking' | 'safe' | 'review'

/** The order in which changes are shown. */
export const IMPACT_RANK: Readonly<Record<Impact, number>> = { breaking: 0, review: 1, safe: 2 }

/** `says` is Markdown for docs/reference/changes.md, which `npm run generate` writes. */
interface ChangeRule {
  readonly impact: Impact
  readonly says: string
}

export const CHANGE_RULES = {
  'endpoint/added': { impact: 'safe', says: 'An endpoint is new.' },
  'endpoint/removed': { impact: 'breaking', says: 'An endpoint is gone.' },
  'endpoint/renamed': { impact: 'breaking', says: 'The manifest with this `id` has another `name`.' },
  'endpoint/id-changed': { impact: 'breaking', says: 'The manifest of this `name` has another `id`.' },
  'endpoint/described': { impact: 'safe', says: 'The `description` of the endpoint changed.' },
  'tenant/added': { impact: 'breaking', says: 'The endpoint has a `tenant`: tokens that do not pin it get a 403.' },
  'tenant/changed': {
    impact: 'breaking',
    says: 'Another parameter is the `tenant`: tokens that pin the old one get a 403.',
  },
  'tenant/removed': { impact: 'review', says: 'The endpoint has no `tenant` any more: tokens need not pin it.' },
  'tenant/tables': {
    impact: 'review',
    says: 'Another column of a table names its tenant, or other tables are in `tenant_free`.',
  },
  'parameter/added': { impact: 'safe', says: 'An optional parameter is new.' },
  'parameter/required-added': { impact: 'breaking', says: 'A required parameter is new.' },
  'parameter/removed': { impact: 'breaking', says: 'A parameter is gone: its argument is ignored.' },
  'parameter/made-required': { impact: 'breaking', says: 'An optional parameter is now `required`.' },
  'parameter/made-optional': { impact: 'safe', says: 'A required parameter is now optional.' },
  'parameter/retyped': { impact: 'breaking', says: 'The `type` of a parameter changed.' },
  'parameter/narrowed': {
    impact: 'breaking',
    says: 'Fewer arguments are valid: `enum`, `minimum`, `maximum`, `pattern`, `max_length`, `max_element_length` or `format`. A changed `pattern` counts as narrower.',
  },
  'parameter/widened': { impact: 'safe', says: 'More arguments are valid, as with another value in `enum`.' },
  'parameter/default': { impact: 'review', says: 'The `default` of an optional parameter changed.' },
  'parameter/meaning': {
    impact: 'review',
    says: 'A parameter has no `format: re2` any more, or its `pinned_as` changed.',
  },
  'parameter/unpinnable': {
    impact: 'breaking',
    says: 'A parameter has no `pinned_as` any more: tokens that pin it get a 403.',
  },
  'parameter/described': { impact: 'safe', says: 'The `description` or the `examples` of a parameter changed.' },
  'column/added': { impact: 'safe', says: 'A column is new.' },
  'column/removed': { impact: 'breaking', says: 'A column is gone.' },
  'column/renamed': { impact: 'breaking', says: 'A column has another name, and the same type and place.' },
  'column/retyped': { impact: 'breaking', says: 'A column, or a field of its STRUCT, has another type or is gone.' },
  'column/field-added': { impact: 'safe', says: 'A STRUCT has a new field.' },
  'column/widened': {
    impact: 'breaking',
    says: 'A column may be NULL where it was `required`, or JSON has its numbers in another form (`json`).',
  },
  'column/narrowed': {
    impact: 'safe',
    says: 'A column is `required`, or JSON has its numbers in one form instead of two.',
  },
  'column/moved': {
    impact: 'review',
    says: 'The same columns stand in another order, which readers of CSV may notice.',
  },
  'column/unit': { impact: 'review', says: 'The `unit` of a column changed or is gone.' },
  'column/described': { impact: 'safe', says: 'The `description` of a column changed, or it has a `unit` now.' },
  'lookup/row-added': { impact: 'safe', says: 'A lookup table has a new row.' },
  'lookup/row-removed': {
    impact: 'breaking',
    says: 'A row of a lookup table with `default: reject` is gone: its argument is a 400.',
  },
  'lookup/row-falls-back': {
    impact: 'review',
    says: 'A row of a lookup table is gone: its argument picks the default row.',
  },
  'lookup/rejects': { impact: 'breaking', says: 'A lookup table now rejects arguments without a row.' },
  'lookup/accepts': { impact: 'safe', says: 'A lookup table no longer rejects arguments without a row.' },
  'lookup/default': { impact: 'review', says: 'Another row of a lookup table is its default.' },
  'lookup/row-changed': { impact: 'review', says: 'A row of a lookup table has other values.' },
  'setting/max-rows-lowered': { impact: 'breaking', says: '`max_rows` is lower.' },
  'setting/max-rows-raised': { impact: 'safe', says: '`max_rows` is higher.' },
  'setting/timestamps': { impact: 'breaking', says: '`timestamps` changed, and a column holds TIMESTAMPs.' },
  'setting/arguments-rejected': { impact: 'breaking', says: '`unknown_arguments` is now `reject`.' },
  'setting/arguments-ignored': { impact: 'safe', says: '`unknown_arguments` is no longer `reject`.' },
  'setting/cache': { impact: 'safe', says: '`cache` changed.' },
  'setting/labels': { impact: 'safe', says: '`labels` of BigQuery jobs changed.' },
  'setting/changed': { impact: 'review', says: 'Any other setting changed.' },
  'sql/changed': {
    impact: 'review',
    says: 'The SQL of a variant changed. Comments, white space, the case of keywords and the quotes of texts do not count.',
  },
  'reads/more': {
    impact: 'review',
    says: 'A table is read that was not, or every partition of one where a condition left some out, or more bytes of the warehouse (`--engine bigquery`).',
  },
  'tests/added': { impact: 'safe', says: 'A test is new.' },
  'tests/removed': { impact: 'review', says: 'A test is gone.' },
  'tests/changed': { impact: 'review', says: 'A test has other arguments, rows or expectations.' },
} as const satisfies Readonly<Record<string, ChangeRule>>

export type ChangeKind = keyof typeof CHANGE_RULES

/** A change of one endpoint. */
export interface Change {
  /** The endpoint's name; the new one where it was renamed. */
  readonly endpoint: string
  readonly kind: ChangeKind
  readonly impact: Impact
  /** Whether `impact` is `breaking`. */
  readonly breaking: boolean
  /** A sentence without its full stop. It may hold any text of a manifest. */
  readonly detail: string
  /** Lines that begin with `-`, `+` or a space; absent where there is no more to show. */
  readonly lines?: readonly string[]
}

/** Collects the changes of one endpoint. */
export type Report = (kind: ChangeKind, detail: string, lines?: readonly string[]) => void

/** A change by its rule. */
export function changeOf(endpoint: string, kind: ChangeKind, detail: string, lines: readonly string[] = []): Change {
  const { impact } = CHANGE_RULES[kind]
  return { endpoint, kind, impact, breaking: impact === 'breaking', detail, ...(lines.length > 0 && { lines }) }
}
