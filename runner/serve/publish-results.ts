/**
 * Publishes each result of an engine to the diagnostics channel `sluice.result` of node:diagnostics_channel, as an
 * EngineResult. Without a subscriber it costs one comparison for each query, and nothing for results from the cache.
 */
import { channel } from 'node:diagnostics_channel'
import type { Endpoint } from '../model/endpoint.js'
import type { Engine } from '../model/ports.js'
import type { ResultSet } from '../model/query.js'
import type { EndpointIndex } from '../request/route.js'

/** A message of the channel. */
export interface EngineResult {
  readonly endpoint: Endpoint
  /** Its body is `{"result":[row,…]}`. */
  readonly result: ResultSet
}

const results = channel('sluice.result')

/** Wraps an engine. A result of an endpoint that a reload has just replaced is not published. */
export function publishResults<E extends Engine>(engine: E, endpoints: () => EndpointIndex): E {
  return {
    ...engine,
    async run(query, options) {
      const result = await engine.run(query, options)
      if (!results.hasSubscribers) return result
      const endpoint = endpoints().find(options.endpoint)
      const isCurrent = endpoint !== undefined && endpoint.revision === options.job?.revision
      if (isCurrent) results.publish({ endpoint, result } satisfies EngineResult)
      return result
    },
  }
}
