/** The defaults of a manifest's settings. The JSON Schema states the same values, and a test compares them. */
import type { Pages, Settings } from '../model/manifest.js'

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

/** The defaults of `pages`, where a manifest has it. */
export const PAGE_DEFAULTS = Object.freeze({ max_size: 1_000, keep_seconds: 300 }) satisfies Pages

/** The defaults of `export`, where a manifest has it. */
export const EXPORT_DEFAULTS = Object.freeze({ max_rows: 50_000_000, timeout_seconds: 600 })
