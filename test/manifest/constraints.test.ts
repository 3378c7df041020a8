/** The bounds of an argument that a pattern is applied to, or that is one. */
import { expect } from 'chai'
import { compileParameter } from '../../runner/manifest/constraints.js'
import type { Parameter as AuthoredParameter } from '../../runner/model/manifest.js'

describe('an argument', () => {
  const rows: readonly (readonly [name: string, authored: AuthoredParameter, bounds: object])[] = [
    ['without a pattern has no bound of its own', { type: 'string' }, {}],
    ['with a pattern has at most 1,024 characters', { type: 'string', pattern: 'a*' }, { maxLength: 1_024 }],
    ['with a pattern may be longer', { type: 'string', pattern: 'a*', max_length: 9_000 }, { maxLength: 9_000 }],
    ['that is a pattern has as many as the setting says', { type: 'string', format: 're2' }, { maxLength: 100 }],
    ['that is a pattern may be shorter', { type: 'string', format: 're2', max_length: 9 }, { maxLength: 9 }],
    ['that is a pattern is not longer', { type: 'string', format: 're2', max_length: 900 }, { maxLength: 100 }],
    [
      'of a list with a pattern has elements of at most 1,024 characters',
      { type: 'array<string>', pattern: 'a*', max_length: 3 },
      { maxLength: 3, maxElementLength: 1_024 },
    ],
    [
      'of a list may have a bound for its elements',
      { type: 'array<string>', max_length: 3, max_element_length: 5 },
      { maxLength: 3, maxElementLength: 5 },
    ],
    ['of a list of patterns has both', { type: 'array<string>', format: 're2' }, { maxElementLength: 100 }],
  ]
  for (const [name, authored, bounds] of rows) {
    it(name, () => {
      const { maxLength, maxElementLength } = compileParameter('p', authored, {}, 100)
      expect({
        ...(maxLength !== undefined && { maxLength }),
        ...(maxElementLength !== undefined && { maxElementLength }),
      }).to.deep.equal(bounds)
    })
  }
})
