/** The command `lsp`. */

import { ownVersion } from '../../runner/platform/own-version.js'
import type { Declaring } from '../terminal/declare.js'
import { type GivenFlags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareLsp({ command, io }: Declaring): void {
  withSettings(command('lsp', 'Serve an editor: diagnostics, completion and more while manifests are typed.'), [
    ...['--endpoints', '--tables', '--functions-dir', '--data', '--database', '--project', '--dataset'],
    ...['--engine-memory', '--engine-threads'],
  ])
    .option('--stdio', 'speak over standard input and output, which it always does')
    .action(async (flags: GivenFlags) => {
      const { serveEditor } = await import('./lsp.js')
      await serveEditor(settingFlags(flags), ownVersion(), io)
    })
}
