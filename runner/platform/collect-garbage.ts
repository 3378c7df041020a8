/** Collects the garbage of this process. */
import { Session } from 'node:inspector'
import { setImmediate as afterCallbacks } from 'node:timers/promises'

/**
 * Collects all garbage, and gives the free memory back to the system. V8 itself does so too, but in an idle process only after
 * 100 seconds. Takes some 50 ms for 30 MB in use.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await new Promise(resolve => session.post('HeapProfiler.collectGarbage', resolve))
  // While the callback runs, V8 holds a lock that `disconnect` waits for.
  await afterCallbacks()
  session.disconnect()
}
