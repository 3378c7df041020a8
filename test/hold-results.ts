/**
 * Loaded before tests: a result of an endpoint that breaks the endpoint's published schema fails the test that runs, however
 * the endpoint was called and on whichever engine, also the one of test/http/serving.ts that is made by hand.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { EngineResult } from '../runner/compose/publish-results.js'
import { breachOf } from './openapi/published-schema.js'

subscribe('sluice.result', message => {
  const { endpoint, result } = message as EngineResult
  const breach = breachOf(endpoint, result.body)
  // As an uncaught exception, which mocha charges to the test that runs.
  if (breach !== null) throw new TypeError(`a result of ${endpoint.name} breaks its published schema: ${breach}`)
})
