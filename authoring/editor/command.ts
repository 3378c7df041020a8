/** The command `lsp`. */
import type { Declarer } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type Flags } from '../terminal/flags.js'

export function declareLsp({ command, settings, io }: Declarer): void {
  command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.', EMBEDDED_FLAGS)
    .option('--stdio', 'speak over standard input and output, which it always does')
    .runs(async (flags: Flags) => (await import('./server.js')).serveEditor(settings(flags), io))
}
