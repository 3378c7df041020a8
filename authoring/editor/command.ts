/** The command `lsp`. */

import { ownVersion } from '../../runner/platform/own-version.js'
import type { Declaring } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type GivenFlags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareLsp({ command, io }: Declaring): void {
  withSettings(
    command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.'),
    EMBEDDED_FLAGS,
  )
    .option('--stdio', 'speak over standard input and output, which it always does')
    .action(async (flags: GivenFlags) => {
      const { serveEditor } = await import('./lsp.js')
      await serveEditor(settingFlags(flags), ownVersion(), io)
    })
}
