/** The stream of `GET /api/dev/changes`: server-sent events, read by fetch, because a token is sent in a header. */
import { ask, isAbort } from './ask.js'
import type { EndpointChange } from './contract.js'

interface ReadOptions {
  readonly token: string
  readonly signal: AbortSignal
  /** Called with the events of each part of the stream; the first part may have none. */
  readonly take: (changes: readonly EndpointChange[]) => void
}

/** Returns when the stream ends. @throws Refused before it has begun; an AbortError when `signal` fires. */
export async function readChanges({ token, signal, take }: ReadOptions): Promise<void> {
  const { body } = await ask('api/dev/changes', { token, signal, accept: 'text/event-stream' })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const part = await reader.read().catch(endOfBroken)
    if (part.done) return
    const blocks = (rest + part.value).split('\n\n')
    rest = blocks.pop() ?? ''
    take(blocks.flatMap(changeOf))
  }
}

/** A connection that breaks ends the stream. */
function endOfBroken(thrown: unknown): { readonly done: true } {
  if (isAbort(thrown)) throw thrown
  return { done: true }
}

function changeOf(block: string): readonly EndpointChange[] {
  const [, data] = /^event: endpoint\ndata: (.*)$/.exec(block) ?? []
  return data === undefined ? [] : [JSON.parse(data) as EndpointChange]
}
