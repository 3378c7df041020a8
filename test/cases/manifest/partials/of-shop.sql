SELECT id, amount
FROM `{{table}}`
WHERE shop = @shop
{{#if given.since}}
  AND placed_at > @since
{{/if}}
