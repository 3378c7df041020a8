/** Loaded with --import: writes the URL of each module that this thread loads, one per line, to the file MODULES_LOG. */
import { appendFileSync } from 'node:fs'
import * as module from 'node:module'

const file = process.env['MODULES_LOG']
const hooks = `
import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(file)}, url + '\\n')
  return next(url, context)
}`

// From Node 22.15 on there are hooks that run in the thread itself.
if ('registerHooks' in module) {
  module.registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`)
      return next(url, context)
    },
  })
} else {
  module.register(`data:text/javascript,${encodeURIComponent(hooks)}`)
}
