import { expect } from 'chai'
import { parse } from 'yaml'
import { seededRandom } from '../../../authoring/sample/random.js'
import { readTemplate } from '../../../authoring/sample/template.js'

const SCOPE = { project: { ref: 'abc', functions: ['f', 'g'] }, status: 404, kind: 'log', median: 10, none: null }

/** The value of a template, written as YAML. */
const filled = (template: string, seed = 1): unknown => readTemplate(parse(template))(seededRandom(seed), SCOPE)
/** The values that a template has for many seeds, each once. */
const all = (template: string): unknown[] => [
  ...new Set(Array.from({ length: 200 }, (_, seed) => JSON.stringify(filled(template, seed)))),
]

describe('templates of sample entries', () => {
  it('keep values, and give a lone placeholder the type of its value', () => {
    expect(filled('{a: 1, b: null, c: [true, x], d: ""}')).to.deep.equal({ a: 1, b: null, c: [true, 'x'], d: '' })
    expect(filled("['{{status}}', '{{none}}', '{{project.ref}}', '{{project.other}}']")).to.deep.equal([
      404,
      null,
      'abc',
      undefined,
    ])
    expect(filled("'{{status}} of {{project.ref}}'")).to.equal('404 of abc')
    expect(filled("['{{text status}}', '{{upper project.ref}}', '{{json project}}']")).to.deep.equal([
      '404',
      'ABC',
      '{"ref":"abc","functions":["f","g"]}',
    ])
  })

  it('draw values, the same ones for the same random numbers', () => {
    for (const template of ["'{{uuid}}'", "'{{hex 16}}'", "'{{int 1 1000000}}'", "'{{skewed median 1.2}}'"]) {
      expect(filled(template, 7), template).to.equal(filled(template, 7))
      expect(all(template).length, template).to.be.above(20)
    }
    expect(all("'{{int 1 3}}'")).to.have.members(['1', '2', '3'])
    expect(all("'{{chance 0.5}}'")).to.have.members(['true', 'false'])
    expect(all("'{{word a b}}'")).to.have.members(['"a"', '"b"'])
    expect(all("'{{pick project.functions}}'")).to.have.members(['"f"', '"g"'])
    expect(all("'{{by project.ref hex 8}}'")).to.have.length(1)
    expect(filled("'{{by project.ref hex 8}}'")).to.not.equal(filled("'{{by status hex 8}}'"))
    expect(filled("'{{text skewed 0.001 0.1}}'")).to.equal('1')
  })

  it('choose by chance, by weight and by a value', () => {
    expect(all("{$pick: [1, '{{project.ref}}']}")).to.have.members(['1', '"abc"'])
    expect(all('{$weighted: [[1, 3], [{a: 2}, 1], [never, 0]]}')).to.have.members(['1', '{"a":2}'])
    expect(filled('{$case: status, 404: gone, else: there}')).to.equal('gone')
    expect(filled('{$case: kind, boot: gone, else: {b: 1}}')).to.deep.equal({ b: 1 })
    expect(JSON.stringify(filled('{a: {$case: kind, boot: 1}, b: 2}'))).to.equal('{"b":2}')
  })

  it('add the members of a value to an object, where it has one', () => {
    const template = "{...project: '{{project}}', ref: own, ...never: {$case: kind, boot: {c: 1}}}"
    expect(filled(template)).to.deep.equal({ ref: 'own', functions: ['f', 'g'] })
  })

  it('refuse a name that has no value', () => {
    expect(() => filled("'{{projekt.ref}}'")).to.throw('a template names "projekt", which has no value')
    expect(() => filled('{$case: constructor, else: 1}')).to.throw('"constructor"')
  })
})
