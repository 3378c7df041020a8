/** Mounts the page, and opens what the address after `#` names whenever it changes. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { loadDrawing } from './chart/chart.js'
import { argumentsOf, readAddress, wantsRun } from './state/address.js'
import { closeCall, run } from './state/call.js'
import { address, argumentsOfFields, endpoint, fillFields } from './state/choice.js'
import { followEdits } from './state/edits.js'
import { endpoints, signIn, token } from './state/session.js'
import { App } from './view/app.js'
import { listenForKeys } from './view/keys.js'

/** Opens what the address names; an address with `run=1` is a shared call. */
function openAddress(): void {
  const of = endpoint.value
  document.title = of ? `${of.name} · Sluice` : 'Sluice'
  if (!of) return
  const args = argumentsOf(address.value, of.parameters)
  if (address.value.query.size > 0) fillFields(of, args)
  if (wantsRun(address.value, of.parameters)) void run(of, argumentsOfFields(of, stringsOf(args)))
}

const stringsOf = (args: ReturnType<typeof argumentsOf>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : value.join('\n')]),
  )

addEventListener('hashchange', () => {
  closeCall()
  address.value = readAddress(location.hash)
  openAddress()
})

let before = endpoints.peek()
effect(() => {
  const now = endpoints.value
  if (now === null) closeCall()
  if (before === null && now !== null) queueMicrotask(openAddress)
  before = now
})

listenForKeys()
followEdits()
if (token.value !== null) void signIn(token.value)
// The code that draws results is loaded while the reader fills in the fields.
requestIdleCallback(() => void loadDrawing())
render(<App />, document.getElementById('app')!)
