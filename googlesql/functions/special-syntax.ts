/** Special forms: they look like functions but have their own syntax. Some share their signatures with an operator. */

const PARTS = 'PART'

/** `forms`: how the form is written, with types in the places of values. */
export const SPECIAL_SYNTAX = [
  { name: 'ARRAY', forms: ['ARRAY(query of one column) -> ARRAY<T>'], documentation: 'array_functions#array' },
  {
    name: 'CASE',
    forms: ['CASE WHEN BOOL THEN T … [ELSE T] END -> T', 'CASE U WHEN U THEN T … [ELSE T] END -> T'],
    documentation: 'conditional_expressions#case',
  },
  {
    name: 'CAST',
    forms: ['CAST(ANY AS type [FORMAT STRING [AT TIME ZONE STRING]]) -> type'],
    documentation: 'conversion_functions#cast',
  },
  { name: 'EXISTS', forms: ['EXISTS(query) -> BOOL'], documentation: 'operators#exists_operator' },
  {
    name: 'EXTRACT',
    forms: [
      `EXTRACT(${PARTS} FROM TIMESTAMP [AT TIME ZONE STRING]) -> INT64`,
      ...['DATE', 'DATETIME', 'TIME', 'INTERVAL'].map(type => `EXTRACT(${PARTS} FROM ${type}) -> INT64`),
      'EXTRACT(DATE|TIME|DATETIME FROM TIMESTAMP [AT TIME ZONE STRING]) -> DATE|TIME|DATETIME',
      'EXTRACT(DATE|TIME FROM DATETIME) -> DATE|TIME',
    ],
    documentation: 'timestamp_functions#extract',
  },
  { name: 'GROUPING', forms: ['GROUPING(key) -> INT64'], documentation: 'aggregate_functions#grouping' },
  {
    name: 'INTERVAL',
    forms: [`INTERVAL INT64 ${PARTS} -> INTERVAL`, `INTERVAL STRING ${PARTS} TO ${PARTS} -> INTERVAL`],
    documentation: 'data-types#interval_type',
  },
  {
    name: 'SAFE_CAST',
    forms: ['SAFE_CAST(ANY AS type [FORMAT STRING [AT TIME ZONE STRING]]) -> type'],
    documentation: 'conversion_functions#safe_casting',
  },
]
