/** The defaults of a manifest's settings. The JSON Schema states the same values, and a test compares them. */
import type { Settings } from '../model/manifest.js'

export const SETTING_DEFAULTS = Object.freeze({
  max_rows: 1_000,
  cache: 'disabled',
  sandbox: 'disabled',
  timeout_seconds: 30,
  labels: Object.freeze({}),
  timestamps: 'iso8601',
  now_granularity: 'none',
  unknown_arguments: 'ignore',
}) satisfies Settings
