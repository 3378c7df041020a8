import { expect } from 'chai'
import { ArgumentSchema } from '../../runner/manifest/argument-schema.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Parameter } from '../../runner/model/param.js'
import { Pattern } from '../../runner/model/re2.js'
import { bindParams, MAX_VALUE_BYTES } from '../../runner/request/bind-params.js'
import {
  mergeArguments,
  parseJsonArguments,
  parsePairs,
  type RawArguments,
} from '../../runner/request/raw-arguments.js'
import { parameter } from './hand-made.js'

function bind(parameters: readonly Parameter[], given: RawArguments): Record<string, unknown> {
  return { ...bindParams({ parameters }, given) }
}

function problems(parameters: readonly Parameter[], given: RawArguments): readonly string[] {
  try {
    bindParams({ parameters }, given)
  } catch (thrown) {
    if (thrown instanceof RunnerError && thrown.code === 'ARGUMENT_INVALID') {
      return thrown.errors.map(error => `${error.parameter} ${error.detail}`)
    }
    throw thrown
  }
  return []
}

const project = parameter('project', { isRequired: true })
const size = parameter('size', { type: 'int64' })
const tags = parameter('tag', { type: 'array<string>' })

describe('arguments', () => {
  const bound: readonly { it: string; parameters: readonly Parameter[]; query: string; args: object }[] = [
    { it: 'are typed', parameters: [project, size], query: 'size=05&project=a', args: { project: 'a', size: '5' } },
    { it: 'that are not declared are ignored', parameters: [size], query: 'evil=1&constructor=2', args: {} },
    { it: 'that are empty are absent', parameters: [size], query: 'size=', args: {} },
    { it: 'without an equals sign are absent', parameters: [size], query: 'size', args: {} },
    { it: 'that are absent take the default', parameters: [{ ...size, default: '3' }], query: '', args: { size: '3' } },
    {
      it: 'that are empty take the default',
      parameters: [{ ...size, default: '3' }],
      query: 'size=',
      args: { size: '3' },
    },
    { it: 'of an array may repeat', parameters: [tags], query: 'tag=a&tag=b&tag=a', args: { tag: ['a', 'b', 'a'] } },
    {
      it: 'of an array may hold commas where it repeats',
      parameters: [tags],
      query: 'tag=a,b&tag=[c',
      args: { tag: ['a,b', '[c'] },
    },
    { it: 'of an array may be one', parameters: [tags], query: 'tag=a', args: { tag: ['a'] } },
    { it: 'of an array skip empty ones', parameters: [tags], query: 'tag=&tag=b', args: { tag: ['b'] } },
    { it: 'of an array may all be empty', parameters: [tags], query: 'tag=&tag=', args: {} },
    { it: 'are decoded', parameters: [project], query: 'project=%C3%A9+%2B', args: { project: 'é +' } },
    { it: 'may be raw UTF-8', parameters: [project], query: 'project=\u00c3\u00a9', args: { project: 'é' } },
    {
      it: 'that look like SQL stay text',
      parameters: [project],
      query: `project=${encodeURIComponent("p1' OR '1'='1` {{project}} @project --")}`,
      args: { project: "p1' OR '1'='1` {{project}} @project --" },
    },
    {
      it: 'fit a pattern as a whole, whichever alternative comes first',
      parameters: [{ ...project, pattern: new Pattern('a|ab') }],
      query: 'project=ab',
      args: { project: 'ab' },
    },
    {
      it: 'count characters, not units',
      parameters: [{ ...project, maxLength: 2 }],
      query: `project=${encodeURIComponent('😀😀')}`,
      args: { project: '😀😀' },
    },
    {
      it: 'may equal both bounds',
      parameters: [{ ...size, minimum: '9', maximum: '9' }],
      query: 'size=9',
      args: { size: '9' },
    },
  ]
  for (const row of bound) {
    it(row.it, () => {
      expect(bind(row.parameters, parsePairs(row.query))).to.deep.equal(row.args)
    })
  }

  const refused: readonly {
    it: string
    parameters: readonly Parameter[]
    query: string
    problems: readonly string[]
  }[] = [
    { it: 'that is missing', parameters: [project], query: '', problems: ['project is required'] },
    { it: 'that is empty and required', parameters: [project], query: 'project=', problems: ['project is required'] },
    {
      it: 'that is repeated',
      parameters: [project],
      query: 'project=a&project=a',
      problems: ['project must be given once'],
    },
    {
      it: 'that is repeated emptily',
      parameters: [size],
      query: 'size=&size=1',
      problems: ['size must be given once'],
    },
    {
      it: 'each and all at once',
      parameters: [project, size, parameter('since', { type: 'timestamp' })],
      query: 'size=x&since=0',
      problems: [
        'project is required',
        'size must be an integer',
        'since must be an ISO 8601 date and time like 2026-01-31T12:00:00Z',
      ],
    },
    {
      it: 'with a NUL',
      parameters: [project],
      query: 'project=a%00b',
      problems: ['project must not hold NUL characters'],
    },
    {
      it: 'that is too large',
      parameters: [project],
      query: `project=${'x'.repeat(MAX_VALUE_BYTES + 1)}`,
      problems: [`project must be at most ${MAX_VALUE_BYTES} bytes long`],
    },
    {
      it: 'that is not a row of its lookup table',
      parameters: [{ ...project, rows: ['hourly', 'daily'] }],
      query: 'project=weekly',
      problems: ['project must be one of: hourly, daily'],
    },
    {
      it: 'named like a member of every object',
      parameters: [{ ...project, rows: ['hourly'] }],
      query: 'project=constructor',
      problems: ['project must be one of: hourly'],
    },
    {
      it: 'outside its enum',
      parameters: [{ ...size, enum: ['1', '2'] }],
      query: 'size=3',
      problems: ['size must be one of: 1, 2'],
    },
    {
      it: 'of which a pattern matches a part',
      parameters: [{ ...project, pattern: new Pattern('[a-z]+') }],
      query: 'project=abc1',
      problems: ['project must match the pattern [a-z]+'],
    },
    {
      it: 'that hides behind a line break from its pattern',
      parameters: [{ ...project, pattern: new Pattern('(?m)[a-z]+') }],
      query: 'project=abc%0A1',
      problems: ['project must match the pattern (?m)[a-z]+'],
    },
    {
      it: 'below its minimum, as a number',
      parameters: [{ ...size, minimum: '10' }],
      query: 'size=9',
      problems: ['size must be at least 10'],
    },
    {
      it: 'above its maximum, in time',
      parameters: [parameter('until', { type: 'timestamp', maximum: '2026-01-31T12:00:00Z' })],
      query: 'until=2026-01-31T12:00:00.000001Z',
      problems: ['until must be at most 2026-01-31T12:00:00Z'],
    },
    {
      it: 'with too many characters',
      parameters: [{ ...project, maxLength: 1 }],
      query: 'project=ab',
      problems: ['project must be at most 1 characters long'],
    },
    {
      it: 'that are too long, whatever the pattern is',
      parameters: [{ ...project, maxLength: 3, pattern: new Pattern('[ä]*[ä]*[ä]*[ä]*') }],
      query: `project=${'%C3%A4'.repeat(5_000)}x`,
      problems: ['project must be at most 3 characters long'],
    },
    {
      it: 'with an element of too many characters',
      parameters: [{ ...tags, maxLength: 5, maxElementLength: 2 }],
      query: `tag=${encodeURIComponent('😀😀')}&tag=aaa`,
      problems: ['tag each element must be at most 2 characters long'],
    },
    {
      it: 'with an element that a pattern does not match',
      parameters: [{ ...tags, maxElementLength: 9, pattern: new Pattern('[a-z]+') }],
      query: 'tag=aa&tag=a1',
      problems: ['tag each element must match the pattern [a-z]+'],
    },
    ...[
      ['abc(', 'is not a valid RE2 regular expression: missing closing )', 'each element '],
      ['a{1,1000}b{50}', 'is too large: its repetitions and classes may stand for at most 1000 characters', ''],
    ].map(([text = '', problem, ofList]) => ({
      it: `that may not be regular expressions: ${text}`,
      parameters: [{ ...project, format: 're2' } as const, { ...tags, format: 're2' } as const],
      query: `project=${encodeURIComponent(text)}&tag=a&tag=${encodeURIComponent(text)}`,
      problems: [`project ${problem}`, `tag ${ofList}${problem}`],
    })),
    {
      it: 'that are too many patterns',
      parameters: [{ ...tags, format: 're2', maxElementLength: 5 } as const],
      query: 'tag=aaa&tag=bbb',
      problems: ['tag must have at most 5 characters in all elements together'],
    },
    {
      it: 'that are too large patterns together',
      parameters: [{ ...tags, format: 're2' } as const],
      query: Array.from({ length: 60 }, (_, i) => `tag=${encodeURIComponent(`(?i)\\pL${i}`)}`).join('&'),
      problems: ['tag is too large: its repetitions and classes may stand for at most 1000 characters'],
    },
    {
      it: 'with too many elements',
      parameters: [{ ...tags, maxLength: 1 }],
      query: 'tag=aa&tag=b',
      problems: ['tag must have at most 1 elements'],
    },
    ...['tag=a,b', 'tag=%5B%22a%22%5D', 'tag=&tag=,'].map(query => ({
      it: `of an array in one value: ${query}`,
      parameters: [tags],
      query,
      problems: [
        'tag looks like several values in one: repeat the name, tag=a&tag=b, or send a JSON array in a POST body',
      ],
    })),
    ...['tag[]=a', 'tag[0]=a&tag[1]=b', 'tag%5B%5D=a&tag=b'].map(query => ({
      it: `of an array with brackets: ${query}`,
      parameters: [tags],
      query,
      problems: [
        'tag must be sent without brackets: repeat the name, tag=a&tag=b, or send a JSON array in a POST body',
      ],
    })),
    {
      it: 'with brackets',
      parameters: [project],
      query: 'project[]=a',
      problems: ['project must be sent without brackets: project=…'],
    },
    {
      it: 'of which one element is wrong',
      parameters: [parameter('n', { type: 'array<int64>' })],
      query: 'n=1&n=x',
      problems: ['n each element must be an integer'],
    },
  ]
  for (const row of refused) {
    it(`refuse one ${row.it}`, () => {
      expect(problems(row.parameters, parsePairs(row.query))).to.deep.equal(row.problems)
    })
  }

  it('have at most 200,000 characters in all elements of a list with a pattern', () => {
    const words = parameter('words', { type: 'array<string>', pattern: new Pattern('[a-z]*') })
    const given = (length: number) => parseJsonArguments(JSON.stringify({ words: Array(10).fill('a'.repeat(length)) }))
    expect(problems([words], given(20_000))).to.deep.equal([])
    expect(problems([words], given(20_001))).to.deep.equal([
      'words must have at most 200000 characters in all elements together',
    ])
  })

  it('named __proto__ are ordinary', () => {
    const args = bindParams({ parameters: [parameter('__proto__')] }, parsePairs('__proto__=x'))
    expect(Object.entries(args)).to.deep.equal([['__proto__', 'x']])
    expect(Object.getPrototypeOf(args)).to.equal(null)
  })
})

describe('a query string', () => {
  for (const query of ['a=%', 'a=%zz', 'a=%ff', '%c3=1', 'a=%ed%a0%80', 'a=\u00ff']) {
    it(`is refused as ${JSON.stringify(query)}`, () => {
      expect(() => parsePairs(query)).to.throw(RunnerError, 'percent-encoded UTF-8')
    })
  }
})

describe('a JSON body', () => {
  const every = [project, size, tags, parameter('ratio', { type: 'float64' }), parameter('on', { type: 'bool' })]

  it('gives values of their own types', () => {
    const given = parseJsonArguments('{"project":"a","size":5,"tag":["x","y"],"ratio":0.5,"on":true}')
    expect(bind(every, given)).to.deep.equal({ project: 'a', size: '5', tag: ['x', 'y'], ratio: 0.5, on: true })
  })

  it('treats null and empty text as absent', () => {
    expect(bind(every, parseJsonArguments('{"project":"a","size":null,"tag":[],"ratio":""}'))).to.deep.equal({
      project: 'a',
    })
  })

  it('keeps an empty text among the elements of a list', () => {
    expect(bind(every, parseJsonArguments('{"project":"a","tag":["x",""]}'))).to.deep.equal({
      project: 'a',
      tag: ['x', ''],
    })
    expect(bind(every, parsePairs('project=a&tag=x&tag='))).to.deep.equal({ project: 'a', tag: ['x'] })
    const sizes = parameter('sizes', { type: 'array<int64>' })
    expect(problems([sizes], parseJsonArguments('{"sizes":[1,""]}'))).to.deep.equal([
      'sizes each element must be an integer',
    ])
  })

  const price = parameter('price', { type: 'numeric' })
  const schema = new ArgumentSchema({ type: ['object', 'array'], required: ['from'] })
  const JSON_FORM =
    'must be JSON without NUL characters, without unpaired surrogates, and without numbers that would lose digits'
  const filter = parameter('filter', { type: 'json', schema })

  it('has at most 10,000 values in its texts of JSON, however few of them each text has', () => {
    const names = ['a', 'b', 'c']
    const parameters = [...names, 'absent'].map(name => parameter(name, { type: 'json' }))
    const given = (count: number) =>
      parsePairs(names.map(name => `${name}=[${Array(count).fill('{}').join()}]`).join('&'))
    expect(problems(parameters, given(3_333))).to.deep.equal([])
    expect(problems(parameters, given(3_334))).to.deep.equal([
      'c must have at most 10000 values together with the other JSON',
    ])
    expect(problems([...parameters.slice(0, 2), size], parsePairs('a=["1,2"]&b=[]&size=1'))).to.deep.equal([])
  })

  it('gives exact numbers and JSON values, and their texts', () => {
    const values = (body: string): unknown => bind([price, filter], parseJsonArguments(body))
    expect(values('{"price":0.10,"filter":{"from":1,"a":"x"}}')).to.deep.equal({
      price: '0.1',
      filter: '{"a":"x","from":1}',
    })
    expect(values('{"price":"12345678901234567890.5","filter":[{"b":1},[]]}')).to.deep.equal({
      price: '12345678901234567890.5',
      filter: '[{"b":1},[]]',
    })
    expect(values('{"filter":"null"}')).to.deep.equal({})
    expect(values('{"filter":"{\\"from\\":9007199254740993}"}')).to.deep.equal({ filter: '{"from":9007199254740993}' })
  })

  for (const [body, problem] of [
    ['{"price":0.1234567890123456}', 'price must be written as a string beyond 15 digits'],
    ['{"price":true}', 'price must be a decimal number of at most 29 digits before the point and 9 behind it'],
    ['{"filter":{"to":1}}', "filter must match its schema: the value must have required property 'from'"],
    ['{"filter":1}', 'filter must match its schema: the value must be object,array'],
    ['{"filter":"x"}', `filter ${JSON_FORM}`],
    [
      '{"filter":{"from":9007199254740993}}',
      'filter must be written as a string of JSON where it has integers beyond 2^53',
    ],
    ['{"filter":{"from":"\\u0000"}}', `filter ${JSON_FORM}`],
    ['{"filter":{"from":"\\\\\\ud800"}}', `filter ${JSON_FORM}`],
    ['{"filter":{"from":"\\\\ud800 \\u0001"}}', null],
    [`{"filter":["${'x'.repeat(40_000)}"]}`, 'filter must be at most 32768 bytes long'],
  ] as const) {
    it(`is ${problem === null ? 'taken' : 'refused'} as ${body.slice(0, 60)}`, () => {
      const given = parseJsonArguments(body)
      if (problem === null) expect(Object.keys(bind([price, filter], given))).to.deep.equal(['filter'])
      else expect(problems([price, filter], given)).to.deep.equal([problem])
    })
  }

  const refused: readonly (readonly [body: string, problem: string])[] = [
    ['{"project":["a"]}', 'project must be a single value'],
    ['{"project":5}', 'project must be a string'],
    ['{"project":{"a":1}}', 'project must be a string'],
    ['{"project":"\\ud800"}', 'project must be valid Unicode'],
    ['{"project":"\\u0000"}', 'project must not hold NUL characters'],
    ['{"project":"a","size":1.5}', 'size must be an integer'],
    ['{"project":"a","size":9007199254740993}', 'size must be written as a string beyond 2^53'],
    ['{"project":"a","size":true}', 'size must be an integer'],
    ['{"project":"a","tag":[null]}', 'tag each element must be a string'],
    ['{"__proto__":{"project":"a"}}', 'project is required'],
  ]
  for (const [body, problem] of refused) {
    it(`is refused as ${body}`, () => {
      expect(problems(every, parseJsonArguments(body))).to.deep.equal([problem])
    })
  }

  for (const body of ['', '[]', 'null', '"a"', '{"a":1,}', '{"a":1,"a":2}', '{"a":1,"b":{"a":[2]},"\\u0061":3}']) {
    it(`is not an object of arguments as ${body}`, () => {
      expect(() => parseJsonArguments(body)).to.throw(RunnerError, /body/)
    })
  }

  it('may repeat names below the top level', () => {
    expect([...parseJsonArguments('{"a":{"b":1},"b":"}:{"}').keys()]).to.deep.equal(['a', 'b'])
  })

  it('must not repeat an argument of the address', () => {
    const given = mergeArguments(parsePairs('project=a'), parseJsonArguments('{"project":"a"}'))
    expect(problems([project], given)).to.deep.equal(['project must be given once'])
  })
})
