SELECT id,
  {{> nested-inner table=table}}
FROM `{{table}}`
