/** The outcome of the call: a problem, or facts, chart and rows. */

import type { Endpoint } from '../api/contract.js'
import { Chart } from '../chart/chart.js'
import { addressOf } from '../state/address.js'
import { type Call, call, fetchNext, isFull, type Result } from '../state/call.js'
import { comparison } from '../state/comparison.js'
import { ResultTable } from '../table/result-table.js'
import { Compare, Compared } from './compare.js'
import { CopyButton } from './copy.js'
import { Digits } from './digits.js'
import { Downloads } from './downloads.js'
import { FactsStrip } from './facts-strip.js'
import { Alert } from './problem.js'

export function ResultPanel({ of }: { of: Endpoint }) {
  const now = call.value
  const shown = shownOf(now)
  return (
    <div class={now.kind === 'running' ? 'result is-running' : 'result'}>
      <div class="result-head">
        <p role="status">
          <StatusText now={now} />
        </p>
        {shown && (
          <div class="row">
            <Compare result={shown} />
            <CopyButton what="this call" label="Copy link" text={() => linkTo(shown)} />
            <Downloads result={shown} />
          </div>
        )}
      </div>
      {now.kind === 'none' && (
        <p class="hint">Fill in the fields above and press Run. Rows, and a chart of them, come here.</p>
      )}
      {now.kind === 'cancelled' && <p class="hint">The server was told to end the query.</p>}
      {now.kind === 'refused' && <Refusal of={of} problem={now.problem} />}
      {shown && <Shown result={shown} />}
    </div>
  )
}

/** The address of this call, for a reader with a token of their own. */
function linkTo({ endpoint, args }: Result): string {
  return new URL(addressOf(endpoint.name, args, endpoint.parameters), location.href).href
}

/** While a call runs, the result before it stays, paler. */
function shownOf(now: Call): Result | null {
  if (now.kind === 'result') return now
  return now.kind === 'running' ? now.before : null
}

function StatusText({ now }: { now: Call }) {
  if (now.kind === 'running') return <>Running…</>
  if (now.kind === 'cancelled') return <>Cancelled</>
  if (now.kind === 'refused') return <>No result</>
  if (now.kind === 'none') return <>Not run yet</>
  const { rowCount, isTruncated } = now.facts
  const shown = now.fetched.value.rows?.length ?? rowCount
  return (
    <>
      {shown < rowCount && (
        <>
          <Digits of={shown} /> of{' '}
        </>
      )}
      <Digits of={rowCount} /> {rowCount === 1 ? 'row' : 'rows'}
      {isTruncated && ', truncated'}
    </>
  )
}

function Refusal({ of, problem }: { of: Endpoint; problem: Parameters<typeof Alert>[0]['problem'] }) {
  const names = new Set(of.parameters.map(({ name }) => name))
  const others = (problem.errors ?? []).filter(({ parameter }) => !names.has(parameter))
  return (
    <Alert problem={problem}>
      {others.map(({ parameter, detail }) => (
        <p key={parameter}>
          <code>{parameter}</code> {detail}
        </p>
      ))}
    </Alert>
  )
}

/** What the chart is compared with, unless it is this very result. */
function beforeOf(result: Result): Pick<Parameters<typeof Chart>[0], 'before'> {
  const now = comparison.value
  const rows = now?.result.fetched.value.rows ?? null
  if (now === null || rows === null || (now.result === result && now.offsetSeconds === 0)) return {}
  return { before: { columns: now.result.columns, rows, offsetSeconds: now.offsetSeconds } }
}

function Shown({ result }: { result: Result }) {
  const { facts, columns, endpoint } = result
  const { rows, next, problem } = result.fetched.value
  const isPart = rows !== null && rows.length < facts.rowCount
  return (
    <>
      {facts.isTruncated && (
        <p class="banner">
          The endpoint cuts its results at <Digits of={facts.rowCount} /> rows (<code>max_rows</code>): there are more.
          Narrow the arguments to see the others.
        </p>
      )}
      <FactsStrip facts={facts} />
      {rows === null ? (
        <p class="banner">This is too much to show here: download it instead.</p>
      ) : (
        <>
          <Compared result={result} />
          {rows.length > 0 && <Chart columns={columns} rows={rows} name={endpoint.name} {...beforeOf(result)} />}
          {isPart && (
            <p class="hint">
              The first <Digits of={rows.length} /> rows are shown. More are fetched when the end of the table comes
              into sight.
            </p>
          )}
          <ResultTable columns={columns} rows={rows} total={facts.rowCount} onEnd={() => void fetchNext(result)} />
          {problem && (
            <Alert problem={problem}>
              {next !== null && (
                <button type="button" onClick={() => void fetchNext(result)}>
                  Fetch the next rows again
                </button>
              )}
            </Alert>
          )}
          {next !== null && isFull(result.fetched.value) && (
            <p class="banner">The other rows are too much to show here: download them instead.</p>
          )}
          {rows.length === 0 && (
            <p class="hint">The call was right, and nothing answers to it. Try a longer time, or another argument.</p>
          )}
        </>
      )}
    </>
  )
}
