/** What settings are when a manifest leaves them out; the schema says the same, and a test holds them together. */
import type { Settings } from '../model/manifest.js'

export const SETTING_DEFAULTS = Object.freeze({
  max_rows: 1_000,
  cache: 'disabled',
  sandbox: 'disabled',
  timeout_seconds: 30,
  labels: Object.freeze({}),
  timestamps: 'iso8601',
  now_granularity: 'none',
}) satisfies Settings
