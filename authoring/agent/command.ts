/** The command `mcp`. */
import type { Declarer } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type Flags } from '../terminal/flags.js'

export function declareMcp({ command, settings, io }: Declarer): void {
  command('mcp', 'Serve the endpoints here as tools to an agent, over standard input and output; needs no server.', [
    ...EMBEDDED_FLAGS,
    '--mcp-max-bytes',
    '--log-level',
  ]).runs(async (flags: Flags) => (await import('./mcp.js')).serveAgent(settings(flags), io))
}
