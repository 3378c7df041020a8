/** The commands that describe endpoints to the programs of callers. */
import { Option } from 'commander'
import type { ClientFlags } from '../client/client.js'
import type { ConnectFlags } from '../connect/command/connect.js'
import type { Declaring } from '../terminal/declare.js'
import { ENGINE_FLAGS, type Flags, settingFlags, WAREHOUSE_FLAGS, withSettings } from '../terminal/flags.js'

export function declareOpenApi({ command, exit, io }: Declaring): void {
  withSettings(
    command('openapi', 'Print the OpenAPI document of the endpoints, as GET /openapi.json gives it; needs no server.'),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--public-url'],
  )
    .option(
      '--allow <pattern...>',
      'only endpoints that a token of these patterns may call: names, where * stands for any characters',
    )
    .option('--pin <name=value...>', 'without these parameters, as for a token that pins them')
    .addOption(new Option('--version <version>', 'the version of OpenAPI').choices(['3.1', '3.0']).default('3.1'))
    .option('--url <url>', 'where callers reach the server')
    .option(
      '--examples',
      'first write <name>.example.json beside each manifest: two rows of the local data; pins are arguments',
    )
    .option('--now <time>', 'with --examples: freeze the clock at this ISO 8601 time')
    .action(async (flags: Flags & { readonly allow?: readonly string[]; readonly pin?: readonly string[] }) => {
      const { printOpenApi } = await import('../openapi/openapi.js')
      exit(await printOpenApi(settingFlags(flags), flags, io))
    })
}

export function declareClient({ command, exit, io }: Declaring): void {
  withSettings(command('client', 'Write a typed client of the endpoints, as one file without dependencies.'), [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
  ])
    .addOption(
      new Option('--lang <language>', 'the language of the client').choices(['ts', 'python']).makeOptionMandatory(),
    )
    .option(
      '--url <url>',
      'take the endpoints of this server, with the token in SLUICE_TOKEN; else those of the manifests',
    )
    .option('--allow <pattern...>', 'only endpoints of these names, where * stands for any characters')
    .option(
      '--pin <name=value...>',
      'as for a token with this pin: without the parameter, and without endpoints that have none',
    )
    .option('--out <file>', 'write this file; else the client is printed')
    .option('--check', 'write nothing; end with 1 and tell what differs if the file is not what would be written')
    .action(async (flags: Flags & ClientFlags) => {
      const { writeClient } = await import('../client/client.js')
      exit(await writeClient(flags, settingFlags(flags), io))
    })
}

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
      const { connectTool } = await import('../connect/command/connect.js')
      exit(await connectTool(tool, name === undefined ? [] : [name, ...args], flags, settingFlags(flags), io))
    })
}
