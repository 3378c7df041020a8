/** The commands `init` and `new`. */
import type { Declarer } from '../terminal/declare.js'
import { EMBEDDED_FLAGS, settingFlags, without } from '../terminal/flags.js'
import type { NewFlags } from './new.js'

export function declareInit({ command, io }: Declarer): void {
  command(
    'init <dir>',
    'Make a folder with an endpoint that answers, its table and data, a package.json and a workflow.',
  ).runs(async (dir: string) => (await import('./init.js')).initFolder(dir, io))
}

export function declareNew({ command, io }: Declarer): void {
  command(
    'new [name]',
    'Write a manifest and its test: over a table, from a query, or as answers at a terminal say.',
    without(EMBEDDED_FLAGS, '--database'),
  )
    .option('--table <table>', 'the table whose rows it gives')
    .option('--time <column>', 'the column with the time of a row: newest first, and from when until when')
    .option('--tenant <column>', 'the column with the tenant of a row: a call gives only the rows of its tenant')
    .option('--interval', 'count the rows in buckets of time instead')
    .option('--from-sql <file>', 'a query with @parameters instead of a table; - is standard input')
    .runs(async (name: string | undefined, flags: NewFlags) =>
      (await import('./new.js')).newEndpoint(name, flags, settingFlags(flags), io),
    )
}
