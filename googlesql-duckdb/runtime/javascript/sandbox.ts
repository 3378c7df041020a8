/**
 * Runs JavaScript functions in QuickJS, which is compiled to WebAssembly, so that they cannot access any object of this
 * process. It runs in a thread of its own, sandbox-thread.ts, which is ended when a function takes too long. Each batch of
 * calls gets a runtime of its own, so that no state is left from one query to another.
 */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { JavaScriptDefinition } from '../../../googlesql/functions/definitions/javascript.js'
import { ScalarFunctionError } from '../scalar-functions/scalar-function.js'
import { placeOf } from './place-of.js'
import { PRELUDE } from './prelude.js'

/**
 * The limit is set on the WebAssembly memory: QuickJS has a limit of its own, but does not count memory when it runs in
 * WebAssembly.
 */
const MEMORY_LIMIT_BYTES = 128 * 1024 * 1024
const MEMORY_PAGE_BYTES = 64 * 1024
/** The initial memory that the QuickJS module was compiled with. */
const INITIAL_BYTES = 16 * 1024 * 1024
/** A sandbox that has grown beyond this is replaced before the next query. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024
const STACK_LIMIT_BYTES = 256 * 1024
/** The number of lines that the constructor Function adds before the body of a function. */
const LINES_BEFORE_BODY = 2
const MAX_MESSAGE = 500
/** Begins the message about a value that is not of the function's type; see prelude.ts. */
const COERCION = 'Failed to coerce output value '

// Node's type declarations lack WebAssembly.
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => object
}

let quickJs: QuickJSWASMModule | null = null
let loading: Promise<void> | null = null

class SandboxNotLoadedError extends Error {
  override readonly name = 'SandboxNotLoadedError'
}

/**
 * Loads the sandbox if it is not loaded yet. Replaces it if it has grown, since WebAssembly never returns memory. Takes about
 * 50 ms.
 */
export function loadSandbox(): Promise<void> {
  loading ??= load().finally(() => {
    loading = null
  })
  return loading
}

async function load(): Promise<void> {
  if (quickJs && quickJs.getWasmMemory().buffer.byteLength <= MAX_KEPT_BYTES) return
  const { newQuickJSWASMModuleFromVariant, newVariant } = await import('quickjs-emscripten-core')
  const { default: variant } = await import('@jitl/quickjs-ng-wasmfile-release-sync')
  const wasmMemory = new WebAssembly.Memory({
    initial: INITIAL_BYTES / MEMORY_PAGE_BYTES,
    maximum: MEMORY_LIMIT_BYTES / MEMORY_PAGE_BYTES,
  })
  // The package declares the types of its CommonJS module, but Node loads its ES module here.
  quickJs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant as unknown as typeof variant.default, { wasmMemory }),
  )
}

/**
 * Calls the function once for each text, which is the JSON array of its arguments. Returns the text of each result, or null.
 *
 * @throws ScalarFunctionError where the function throws or returns another type
 */
export function runCalls(definitionText: string, calls: readonly string[]): readonly (string | null)[] {
  if (!quickJs) throw new SandboxNotLoadedError('loadSandbox was not called')
  const results = runInRuntime(quickJs, definitionText, calls)
  if (results instanceof ScalarFunctionError) throw results
  return results
}

type Outcome = readonly (string | null)[] | ScalarFunctionError

function runInRuntime(sandbox: QuickJSWASMModule, definitionText: string, calls: readonly string[]): Outcome {
  try {
    const runtime = sandbox.newRuntime()
    runtime.setMaxStackSize(STACK_LIMIT_BYTES)
    const context = runtime.newContext()
    const outcome = runInContext(context, definitionText, calls)
    context.dispose()
    runtime.dispose()
    return outcome
  } catch (error) {
    // The error has interrupted QuickJS, whose state may be inconsistent, so this module is not used again.
    quickJs = null
    // Some functions of QuickJS need more of V8's stack than QuickJS counts.
    if (!(error instanceof RangeError)) throw error
    return new ScalarFunctionError(
      `RangeError: Maximum call stack size exceeded ${placeOf(JSON.parse(definitionText))}`,
    )
  }
}

/** @throws only errors of the host, after which the module must not be used again */
function runInContext(context: QuickJSContext, definitionText: string, calls: readonly string[]): Outcome {
  const handles: QuickJSHandle[] = []
  const keep = (handle: QuickJSHandle): QuickJSHandle => {
    handles.push(handle)
    return handle
  }
  let value = keep(context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js')))
  let failure: ScalarFunctionError | null = null
  // The prelude is a function of the definition that returns a function of the calls.
  for (const text of [definitionText, `[${calls.join(',')}]`]) {
    const result = context.callFunction(value, context.undefined, keep(context.newString(text)))
    value = keep(result.error ?? result.value)
    if (!result.error) continue
    failure = new ScalarFunctionError(failureText(context, value, JSON.parse(definitionText)))
    break
  }
  const outcome = failure ?? resultsIn(context.getString(value), calls.length)
  for (const handle of handles) handle.dispose()
  return outcome
}

/**
 * Parses and checks the sandbox's answer: the code of the function may have replaced built-in functions such as JSON.stringify.
 */
function resultsIn(text: string, count: number): Outcome {
  const results = parseJson(text)
  const isWhole = Array.isArray(results) && results.length === count
  if (isWhole && results.every(result => result === null || typeof result === 'string')) return results
  return new ScalarFunctionError('A JavaScript function must not replace the functions of JavaScript itself')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The message of an error, with the line in the body if QuickJS reports it: `Error: no host at f(STRING) line 2`. */
function failureText(context: QuickJSContext, error: QuickJSHandle, definition: JavaScriptDefinition): string {
  const place = placeOf(definition)
  const thrown: unknown = context.dump(error)
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) {
    return `${shorten(typeof thrown === 'string' ? thrown : String(JSON.stringify(thrown)))} ${place}`
  }
  const { message, name: kind, stack } = thrown as { message: unknown; name?: unknown; stack?: unknown }
  const text = shorten(String(message))
  if (text.startsWith(COERCION)) return `${text} ${place}`
  // QuickJS reports no line for errors of operators, such as reading a member of null.
  const line = Number(/<input>:(\d+):/.exec(String(stack))?.[1] ?? 0) - LINES_BEFORE_BODY
  return `${shorten(String(kind))}: ${text} ${place}${line > 0 ? ` line ${line}` : ''}`
}

const shorten = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text)
