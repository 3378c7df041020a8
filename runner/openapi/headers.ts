/** The headers of results, as OpenAPI describes them. */

const text = (description: string) => ({ description, schema: { type: 'string' } })
const whole = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

export const HEADERS = {
  ETag: text('A strong tag of this representation, for `If-None-Match`.'),
  'Cache-Control': text('How long the result may be kept.'),
  Age: whole('How old the result is, in seconds.'),
  'Cache-Status': text('Where the result came from (RFC 9211).'),
  'Server-Timing': text('Milliseconds in the engine and in total.'),
  'X-Row-Count': whole('The number of rows.'),
  'X-Truncated': {
    description: '`true` if the result was cut to `max_rows`; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Ignored-Arguments': text(
    'Arguments of the call that the endpoint does not declare: names, percent-encoded, with commas between them.',
  ),
  'X-Request-Id': text('The id of the request, which the log has too.'),
  'Retry-After': whole('In how many seconds to ask again.'),
} as const

/** References to these headers. */
export function headerRefs(...names: readonly (keyof typeof HEADERS)[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
