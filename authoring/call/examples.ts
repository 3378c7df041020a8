/** `sluice openapi --examples`: writes two rows of each endpoint beside its manifest, to be reviewed and committed. */
import { exampleFile } from '../../runner/manifest/example-rows.js'
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import { RunnerError } from '../../runner/model/errors.js'
import { mayRun } from '../../runner/request/authorize.js'
import { type CallArguments, type CallOptions, createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { planCalls } from '../compare/calls.js'
import { closing } from '../terminal/closing.js'
import { failureMessage } from '../terminal/failure-message.js'
import { writeText } from '../terminal/files.js'
import { EXIT, type Io } from '../terminal/io.js'
import { confinementOf } from '../token/check-token.js'
import type { NewToken } from '../token/token-writer.js'
import { firstRows } from './first-rows.js'

/** The number of rows of an example. */
const EXAMPLE_ROWS = 2
/** At most this many calls of an endpoint are tried. */
const MAX_CALLS = 50

/**
 * Writes an example for each endpoint that the token may call: the first rows of a call with the examples of its parameters, and
 * with the pins of the token. `clock` may fix the time of the queries. If an endpoint fails or gives no rows, its file stays as it is.
 * @throws what createRunner throws; SetupError.
 */
export async function writeExamples(
  settings: Settings,
  token: NewToken,
  clock: Pick<CallOptions, 'nowMicros'>,
  io: Io,
): Promise<number> {
  const options = { ...clock, signal: io.interruption() }
  return closing(await createRunner({ ...settings, redisUrl: null }), async runner => {
    let code: number = EXIT.clean
    for (const loadedEndpoint of runner.details()) {
      if (!mayRun(confinementOf(token), loadedEndpoint.endpoint)) continue
      const problem = await writeExample(runner, loadedEndpoint, token.pin ?? {}, options).catch(failureText)
      io.printError(
        `${loadedEndpoint.endpoint.name}: ${problem === null ? 'an example is written' : `no example: ${problem}`}\n`,
      )
      if (problem !== null) code = EXIT.problems
    }
    return code
  })
}

/** Why a call failed. @throws the error itself if the command was interrupted, or if the error is not the failure of a call. */
function failureText(thrown: unknown): string {
  if (!(thrown instanceof RunnerError) || thrown.code === 'CALL_ABANDONED') throw thrown
  return failureMessage(thrown)
}

/** Null, or why nothing was written. */
async function writeExample(
  runner: Runner,
  loadedEndpoint: LoadedEndpoint,
  pin: CallArguments,
  options: CallOptions,
): Promise<string | null> {
  const { endpoint, file } = loadedEndpoint
  const { calls, missing } = planCalls(loadedEndpoint, pin)
  if (missing.length > 0) return `${missing.join(' and ')} ${missing.length === 1 ? 'has' : 'have'} no examples`
  let best: { readonly body: Uint8Array; readonly rowCount: number } | null = null
  for (const args of calls.slice(0, MAX_CALLS)) {
    const result = await runner.call(endpoint.name, args, options)
    if (result.rowCount > (best?.rowCount ?? 0)) best = result
    if (result.rowCount >= EXAMPLE_ROWS) break
  }
  if (best === null)
    return 'no call with the examples of its parameters gives rows; --pin name=value gives other arguments'
  writeText(exampleFile(file, endpoint.name), firstRows(Buffer.from(best.body).toString(), EXAMPLE_ROWS))
  return null
}
