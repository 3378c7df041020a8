/** Starts worker threads of this program, from its sources with tsx or from the compiled files. */
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { isSource, ownModule } from './own-module.js'

/** A thread's large data is in buffers outside V8's heap, so its heap may be small. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

/**
 * Starts a thread without the environment of the process, which holds secrets.
 * @param module as `ownModule` takes it
 * @param options what the thread gets as `workerData`, and its limits in place of the usual ones
 */
export function startWorker(
  module: string,
  { workerData, resourceLimits }: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {},
): Worker {
  const url = ownModule(module)
  // With tsx, a thread must register the TypeScript loader itself.
  const start = `import('tsx/esm/api').then(tsx => { tsx.register(); return import('${url.href}') })`
  return new Worker(isSource ? start : url, {
    execArgv: [],
    resourceLimits: { ...LIMITS, ...resourceLimits },
    workerData,
    env: {},
    eval: isSource,
  })
}
