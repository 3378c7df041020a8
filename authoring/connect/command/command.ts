/** The command `connect`. */
import type { Declaring } from '../../terminal/declare.js'
import { ENGINE_FLAGS, type Flags, settingFlags, WAREHOUSE_FLAGS, withSettings } from '../../terminal/flags.js'
import type { ConnectFlags } from './connect.js'

export function declareConnect({ command, exit, io }: Declaring): void {
  withSettings(
    command(
      'connect <tool> [name] [arguments...]',
      'Print what a tool needs to call an endpoint: connect curl logs.all project=abc. Tools are curl, fetch, ts, python, duckdb, grafana, excel, sheets, observable and mcp.',
    ),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--public-url'],
  )
    .option('--url <url>', 'where the tool reaches the server')
    .option('--all', 'with grafana: write a folder that provisions a data source, and a dashboard for each endpoint')
    .option('--out <dir>', 'with --all: the folder; else grafana')
    .action(async (tool: string, name: string | undefined, args: string[], flags: Flags & ConnectFlags) => {
      const { connectTool } = await import('./connect.js')
      exit(await connectTool(tool, name === undefined ? [] : [name, ...args], flags, settingFlags(flags), io))
    })
}
