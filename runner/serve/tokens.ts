/** The tokens file that the settings name. */
import { join } from 'node:path'
import type { Settings } from '../settings/settings.js'

export const tokensPath = ({ tokensFile, dataDir }: Settings): string => tokensFile ?? join(dataDir, 'tokens.json')
