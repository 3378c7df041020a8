/** Endpoints as they are published, made by hand. */
import type { ConnectCall } from '../../../authoring/connect/tool.js'
import type {
  PublishedColumn,
  PublishedEndpoint,
  PublishedParameter,
} from '../../../runner/model/published-endpoint.js'

export const publishedEndpoint = (more: Partial<PublishedEndpoint> = {}): PublishedEndpoint => ({
  id: '6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0aa',
  name: 'shop.sales',
  description: 'What the shop sold.',
  parameters: [],
  columns: [publishedColumn('n', 'INT64')],
  settings: { max_rows: 1000, timestamps: 'iso8601' },
  pinned: {},
  ...more,
})

export const publishedParameter = (
  name: string,
  type: PublishedParameter['type'] = 'string',
  more: Partial<PublishedParameter> = {},
): PublishedParameter => ({ name, type, required: false, description: '', ...more })

export const publishedColumn = (name: string, type: string, more: Partial<PublishedColumn> = {}): PublishedColumn => ({
  name,
  type,
  description: '',
  required: false,
  ...more,
})

export const callOf = (
  url: string,
  endpoint: PublishedEndpoint,
  given: ConnectCall['arguments'] = {},
): ConnectCall => ({ url, endpoint, arguments: given })
