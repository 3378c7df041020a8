/** Settings of a runner that serves one folder, on a free port and with a small engine. */
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type Settings } from '../../runner/settings/settings.js'

/** The settings for `endpoints`, `tables` and `data` in this folder; the token is `unrestricted-token-of-32-letters`. */
export const settingsOf = (folder: string): Settings => ({
  ...DEFAULT_SETTINGS,
  port: 0,
  endpointsDir: join(folder, 'endpoints'),
  tablesDir: join(folder, 'tables'),
  functionsDir: join(folder, 'functions'),
  dataDir: join(folder, 'data'),
  token: 'unrestricted-token-of-32-letters',
  engineMemoryMb: 256,
  engineThreads: 1,
})
