/** The command `connect`. */
import type { Declarer } from '../../terminal/declare.js'
import { ENGINE_FLAGS, WAREHOUSE_FLAGS } from '../../terminal/flags.js'
import type { ConnectFlags } from './connect.js'

export function declareConnect({ command, settings, io }: Declarer): void {
  command(
    'connect <tool> [name] [arguments...]',
    'Print what a tool needs to call an endpoint: connect curl logs.all project=abc. Tools are curl, fetch, ts, python, duckdb, grafana, excel, sheets, observable and mcp.',
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--public-url'],
  )
    .option('--url <url>', 'where the tool reaches the server')
    .option('--all', 'with grafana: write a folder that provisions a data source, and a dashboard for each endpoint')
    .option('--out <dir>', 'with --all: the folder; else grafana')
    .runs(async (tool: string, name: string | undefined, args: string[], flags: ConnectFlags) =>
      (await import('./connect.js')).connectTool(
        tool,
        name === undefined ? [] : [name, ...args],
        settings(flags),
        flags,
        io,
      ),
    )
}
