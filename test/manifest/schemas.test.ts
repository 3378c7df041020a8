/** The JSON Schemas of files that authors write are schemas themselves. The program takes that for granted when it compiles them. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'

describe('the JSON Schema', () => {
  for (const name of ['endpoint', 'test', 'table']) {
    it(`of ${name} files obeys its meta-schema`, () => {
      const ajv = new Ajv2020()
      const isSchema = ajv.validateSchema(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')))
      expect(isSchema, ajv.errorsText()).to.equal(true)
    })
  }
})
