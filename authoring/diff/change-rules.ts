/** The rules by which a change of an endpoint breaks its callers, is safe, or needs a review. Ids are never renamed. */

/** `review`: only a person can tell whether callers notice. */
export type Impact = 'breaking' | 'safe' | 'review'

/** The order in which changes are shown. */
export const IMPACT_RANK: Readonly<Record<Impact, number>> = { breaking: 0, review: 1, safe: 2 }

/** What changed, in Markdown for docs/reference/changes.md, which `npm run generate` writes. */
const RULES = {
  breaking: {
    'endpoint/removed': 'An endpoint is gone.',
    'endpoint/renamed': 'The manifest with this `id` has another `name`.',
    'endpoint/id-changed': 'The manifest of this `name` has another `id`.',
    'tenant/added': 'The endpoint has a `tenant`: tokens that do not pin it get a 403.',
    'tenant/changed': 'Another parameter is the `tenant`: tokens that pin the old one get a 403.',
    'parameter/required-added': 'A required parameter is new.',
    'parameter/removed': 'A parameter is gone: its argument is ignored.',
    'parameter/made-required': 'An optional parameter is now `required`.',
    'parameter/retyped': 'The `type` of a parameter changed.',
    'parameter/narrowed':
      'Fewer arguments are valid: `enum`, `minimum`, `maximum`, `pattern`, `max_length`, `max_element_length` or `format`. A changed `pattern` counts as narrower.',
    'parameter/unpinnable': 'A parameter has no `pinned_as` any more: tokens that pin it get a 403.',
    'column/removed': 'A column is gone.',
    'column/renamed': 'A column has another name, and the same type and place.',
    'column/retyped': 'A column, or a field of its STRUCT, has another type or is gone.',
    'column/widened': 'A column may be NULL where it was `required`, or JSON has its numbers in another form (`json`).',
    'lookup/row-removed': 'A row of a lookup table with `default: reject` is gone: its argument is a 400.',
    'lookup/rejects': 'A lookup table now rejects arguments without a row.',
    'setting/max-rows-lowered': '`max_rows` is lower.',
    'setting/export-narrowed': '`export` is gone, or allows fewer rows or less time.',
    'setting/pages-removed': 'The endpoint has no `pages` any more: a `cursor` is a 400, and `page_size` is ignored.',
    'setting/page-size-lowered': '`pages.max_size` is lower: a larger `page_size` is a 400.',
    'setting/timestamps': '`timestamps` changed, and a column holds TIMESTAMPs.',
    'setting/arguments-rejected': '`unknown_arguments` is now `reject`.',
  },
  review: {
    'tenant/removed': 'The endpoint has no `tenant` any more: tokens need not pin it.',
    'tenant/tables': 'Another column of a table names its tenant, or other tables are in `tenant_free`.',
    'parameter/default': 'The `default` of an optional parameter changed.',
    'parameter/meaning': 'A parameter has no `format: re2` any more, or its `pinned_as` changed.',
    'column/moved': 'The same columns stand in another order, which readers of CSV may notice.',
    'column/unit': 'The `unit` of a column changed or is gone.',
    'lookup/row-falls-back': 'A row of a lookup table is gone: its argument picks the default row.',
    'lookup/default': 'Another row of a lookup table is its default.',
    'lookup/row-changed': 'A row of a lookup table has other values.',
    'setting/changed': 'Any other setting changed, such as `pages.keep_seconds`.',
    'sql/changed':
      'The SQL of a variant changed. Comments, white space, the case of keywords and the quotes of texts do not count.',
    'reads/more':
      'A table is read that was not, or every partition of one where a condition left some out, or all rows at each [refresh](../refresh.md), or more bytes of the warehouse (`--engine bigquery`).',
    'tests/removed': 'A test is gone.',
    'tests/changed': 'A test has other arguments, rows or expectations.',
  },
  safe: {
    'endpoint/added': 'An endpoint is new.',
    'endpoint/described': 'The `description` of the endpoint changed.',
    'parameter/added': 'An optional parameter is new.',
    'parameter/made-optional': 'A required parameter is now optional.',
    'parameter/widened': 'More arguments are valid, as with another value in `enum`.',
    'parameter/described': 'The `description` or the `examples` of a parameter changed.',
    'column/added': 'A column is new.',
    'column/field-added': 'A STRUCT has a new field.',
    'column/narrowed': 'A column is `required`, or JSON has its numbers in one form instead of two.',
    'column/described': 'The `description` of a column changed, or it has a `unit` now.',
    'lookup/row-added': 'A lookup table has a new row.',
    'lookup/accepts': 'A lookup table no longer rejects arguments without a row.',
    'setting/max-rows-raised': '`max_rows` is higher.',
    'setting/pages-added': 'The endpoint has `pages`: callers may ask for them.',
    'setting/page-size-raised': '`pages.max_size` is higher.',
    'setting/arguments-ignored': '`unknown_arguments` is no longer `reject`.',
    'setting/cache': '`cache` changed.',
    'setting/export-widened': '`export` is new, or allows more rows or time.',
    'setting/labels': '`labels` of BigQuery jobs changed.',
    'tests/added': 'A test is new.',
  },
} as const satisfies Readonly<Record<Impact, Readonly<Record<string, string>>>>

export type ChangeKind = { [I in Impact]: keyof (typeof RULES)[I] }[Impact]

/** The rules by their ids, which are sorted. */
export const CHANGE_RULES = Object.fromEntries(
  Object.entries(RULES)
    .flatMap(([impact, rules]) => Object.entries(rules).map(([kind, says]) => [kind, { impact, says }] as const))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
) as Readonly<Record<ChangeKind, { readonly impact: Impact; readonly says: string }>>

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
