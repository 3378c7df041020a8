/** The command `lsp`. */

import { ownPackage } from '../../runner/platform/own-package.js'
import type { Declaring } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type Flags } from '../terminal/flags.js'

export function declareLsp({ command, settings, io }: Declaring): void {
  command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.', EMBEDDED_FLAGS)
    .option('--stdio', 'speak over standard input and output, which it always does')
    .runs(async (flags: Flags) => (await import('./lsp.js')).serveEditor(settings(flags), ownPackage().version, io))
}
