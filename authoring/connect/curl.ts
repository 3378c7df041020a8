/** A call by curl. */
import { addressOf } from './address.js'
import type { ConnectTool } from './tool.js'

export const CURL: ConnectTool = {
  name: 'curl',
  title: 'curl',
  language: 'shell',
  write: call => `curl --fail-with-body -H "X-API-KEY: $SLUICE_TOKEN" '${addressOf(call)}'\n`,
}
