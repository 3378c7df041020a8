/** The commands `init` and `new`. */
import type { Declaring } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, type GivenFlags, settingFlags, without, withSettings } from '../terminal/flags.js'
import type { NewFlags } from './new.js'

export function declareInit({ command, exit, io }: Declaring): void {
  command(
    'init <dir>',
    'Make a folder with an endpoint that answers, its table and data, a package.json and a workflow.',
  ).action(async (dir: string) => {
    const { initFolder } = await import('./init.js')
    exit(await initFolder(dir, io))
  })
}

export function declareNew({ command, exit, io }: Declaring): void {
  withSettings(
    command(
      'new [name]',
      'Write a manifest and its test: over a table, from a query, or as answers at a terminal say.',
    ),
    without(EMBEDDED_FLAGS, '--database'),
  )
    .option('--table <table>', 'the table whose rows it gives')
    .option('--time <column>', 'the column with the time of a row: newest first, and from when until when')
    .option('--tenant <column>', 'the column with the tenant of a row: a call gives only the rows of its tenant')
    .option('--interval', 'count the rows in buckets of time instead')
    .option('--from-sql <file>', 'a query with @parameters instead of a table; - is standard input')
    .action(async (name: string | undefined, flags: GivenFlags) => {
      const { newEndpoint } = await import('./new.js')
      exit(await newEndpoint(name, flags as NewFlags, settingFlags(flags), io))
    })
}
