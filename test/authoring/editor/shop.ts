/** A small workspace for tests of the language server. */
export const ORDERS = `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11
name: shop.orders
description: Orders of one shop.
tenant: shop
parameters:
  shop:
    type: string
    required: true
    description: The shop's reference.
    examples: [abc]
  since:
    type: timestamp
    description: Only later orders.
  interval:
    type: string
    required: true
lookups:
  interval:
    by: interval
    rows:
      1hr: { bucket: MINUTE, size: 1 }
      1day: { bucket: HOUR, size: 24 }
    default: 1day
columns:
  - { name: bucket, type: TIMESTAMP, description: Start of the bucket. }
  - { name: orders, type: INT64, description: Number of orders. }
sql: |
  WITH
    lines AS (
      SELECT TIMESTAMP_TRUNC(o.created_at, {{interval.bucket}}) AS bucket, item.price, o.customer.city
      FROM shop.orders AS o, UNNEST(o.items) AS item
      WHERE {{> of-shop}}
        {{#if given.since}}
        AND o.created_at > @since
        {{/if}}
    )
  SELECT bucket, COUNT(*) AS orders
  FROM lines
  GROUP BY bucket
`
export const SCHEMA = `[
  {"name": "id", "type": "STRING", "mode": "REQUIRED", "description": "The order's number."},
  {"name": "shop", "type": "STRING"},
  {"name": "created_at", "type": "TIMESTAMP", "description": "When it was placed."},
  {"name": "customer", "type": "RECORD", "fields": [
    {"name": "city", "type": "STRING", "description": "Where the customer lives."}
  ]},
  {"name": "items", "type": "RECORD", "mode": "REPEATED", "fields": [
    {"name": "price", "type": "NUMERIC"},
    {"name": "quantity", "type": "INTEGER"}
  ]}
]
`
const TESTS = `tests:
  - name: one order
    now: 2026-01-31T12:00:00Z
    arguments: { shop: abc, interval: 1day }
    tables:
      shop.orders:
        - { id: a, shop: abc, created_at: 2026-01-31T11:00:00Z, items: [{ price: 1, quantity: 1 }] }
    expect:
      count: 1
  - name: the same later
    now: 2026-01-31T12:00:00Z
    arguments: { shop: abc, interval: 1day, since: 2026-01-31T10:00:00Z }
    expect:
      count: 0
`
export const FILES: Readonly<Record<string, string>> = {
  'endpoints/shop.orders.yaml': ORDERS,
  'endpoints/shop.orders.test.yaml': TESTS,
  'endpoints/partials/of-shop.sql': 'o.shop = @shop\n',
  'schemas/tables/shop.orders.json': SCHEMA,
  'data/README.md': 'No rows.',
}
