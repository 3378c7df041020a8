/** The command `mcp`. */
import type { Declaring } from '../terminal/declare.js'
import { type Flags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareMcp({ command, exit, io }: Declaring): void {
  withSettings(
    command('mcp', 'Serve the endpoints here as tools to an agent, over standard input and output; needs no server.'),
    MCP_FLAGS,
  ).action(async (flags: Flags) => {
    const { serveAgent } = await import('./mcp.js')
    exit(await serveAgent(settingFlags(flags), io))
  })
}

const MCP_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--data',
  '--database',
  '--project',
  '--dataset',
  '--engine-memory',
  '--engine-threads',
  '--mcp-max-bytes',
  '--log-level',
]
