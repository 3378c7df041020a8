/** Loaded into servers that tests start as processes of their own: a result that breaks its published schema ends the server. */
import { subscribe } from 'node:diagnostics_channel'

const schemas = new WeakMap()

async function validatorOf(endpoint) {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const { resultSchema } = await import('../dist/runner/openapi/schema.js')
  return new Ajv2020().compile(resultSchema(endpoint))
}

subscribe('sluice.result', async ({ endpoint, result }) => {
  if (!schemas.has(endpoint)) schemas.set(endpoint, validatorOf(endpoint))
  const validate = await schemas.get(endpoint)
  if (validate(JSON.parse(Buffer.from(result.body).toString()))) return
  throw new TypeError(`a result of ${endpoint.name} breaks its published schema: ${JSON.stringify(validate.errors)}`)
})
