{{name}} AS (
  SELECT entry.id, entry.timestamp, entry.event_message, entry.metadata
  FROM `{{table}}` AS entry
  {{#if expands}}
  CROSS JOIN UNNEST(entry.metadata) AS record
  {{/if}}
  WHERE {{project}} = @project
    AND entry.timestamp > TIMESTAMP_SUB(@now, INTERVAL {{retention.days}} DAY)
    {{#if given.iso_timestamp_start}}
    AND entry.timestamp > @iso_timestamp_start
    {{/if}}
    {{#if given.iso_timestamp_end}}
    AND entry.timestamp <= @iso_timestamp_end
    {{/if}}
  ORDER BY entry.timestamp DESC
)
