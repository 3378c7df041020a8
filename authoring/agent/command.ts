/** The command `mcp`. */
import type { Declaring } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type Flags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareMcp({ command, exit, io }: Declaring): void {
  withSettings(
    command('mcp', 'Serve the endpoints here as tools to an agent, over standard input and output; needs no server.'),
    [...EMBEDDED_FLAGS, '--mcp-max-bytes', '--log-level'],
  ).action(async (flags: Flags) => {
    const { serveAgent } = await import('./mcp.js')
    exit(await serveAgent(settingFlags(flags), io))
  })
}
