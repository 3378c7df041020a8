/**
 * Loaded before tests: if a result of an endpoint breaks the endpoint's published schema, the running test fails. This holds
 * for every way to call the endpoint and every engine, including the fake engine of test/http/serving.ts.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { EngineResult } from '../runner/serve/served-engine.js'
import { breachOf } from './openapi/published-schema.js'

subscribe('sluice.result', message => {
  const { endpoint, result } = message as EngineResult
  const breach = breachOf(endpoint, result.body)
  // This becomes an uncaught exception, which mocha reports as a failure of the running test.
  if (breach !== null) throw new TypeError(`a result of ${endpoint.name} breaks its published schema: ${breach}`)
})
