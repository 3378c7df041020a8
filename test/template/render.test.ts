/** Rendered templates, and the source place of each of their characters. */
import { expect } from 'chai'
import { expandTemplate, type PlacedProblem } from '../../runner/template/expand.js'
import { parseTemplate } from '../../runner/template/parse.js'
import { placeInTemplate, renderPieces } from '../../runner/template/render.js'
import type { TemplateNames } from '../../runner/template/resolve.js'
import { renderVariants, variantIndexer, variantSpace } from '../../runner/template/variants.js'

const NAMES: TemplateNames = {
  parameters: new Set(['shop', 'since', 'size']),
  optional: new Set(['since', 'size']),
  lookups: new Map([['sizes', new Set(['least', 'isBig'])]]),
  constants: new Map<string, never>(
    Object.entries({
      table: 'shop.orders',
      minus: -5,
      yes: true,
      nothing: [],
      list: ['a', 'b'],
      map: { one: 1 },
      areas: [
        { name: 'x', table: 't.x', extra: true },
        { name: 'y', table: 't.y' },
      ],
    }) as [string, never][],
  ),
}
const LOOKUPS = {
  sizes: {
    by: 'size',
    default: 'small',
    rows: { small: { least: 1, isBig: false }, big: { least: 100, isBig: true } },
  },
}

function expand(text: string, partials: Readonly<Record<string, string>> = {}) {
  const parsed = parseTemplate(text)
  const parsedPartials = Object.entries(partials).map(
    ([name, partial]) => [name, { template: parseTemplate(partial) }] as const,
  )
  const expansion = expandTemplate(parsed.nodes, NAMES, new Map(parsedPartials))
  const root = { partial: null, includedAt: null }
  const problems: PlacedProblem[] = [
    ...parsed.problems.map(problem => ({ ...problem, origin: root })),
    ...expansion.problems,
  ]
  return { ...expansion, problems }
}

function render(
  text: string,
  partials: Readonly<Record<string, string>> = {},
  choice = { row: 'small', given: [] as string[] },
) {
  const { pieces, problems } = expand(text, partials)
  expect(problems).to.deep.equal([])
  return renderPieces(pieces, {
    rows: { sizes: LOOKUPS.sizes.rows[choice.row as 'small' | 'big'] },
    given: new Set(choice.given),
  })
}

const PARTIALS = {
  stream: '{{name}} FROM `{{table}}`{{#if given.since}} AND t > @since{{/if}}\n',
  deep: '[{{> stream name=inner table="t.z"}}]',
}

const RENDERED: readonly { template: string; sql: string; row?: string; given?: string[] }[] = [
  { template: 'SELECT 1', sql: 'SELECT 1' },
  { template: '', sql: '' },
  { template: "SELECT '}} { not ours'", sql: "SELECT '}} { not ours'" },
  { template: 'a{{! comment }}b{{!-- {{x}} --}}c', sql: 'abc' },
  { template: '{{sizes.least}} @shop', sql: '1 @shop' },
  { template: '{{sizes.least}}', sql: '100', row: 'big' },
  { template: '{{#if sizes.isBig}}big{{else}}small{{/if}}', sql: 'small' },
  { template: '{{#if sizes.isBig}}big{{else}}small{{/if}}', sql: 'big', row: 'big' },
  { template: '{{#unless sizes.isBig}}small{{/unless}}', sql: 'small' },
  { template: '{{^if sizes.isBig}}small{{/if}}', sql: 'small' },
  { template: '{{#if given.since}}A{{else if given.size}}B{{else}}C{{/if}}', sql: 'C' },
  { template: '{{#if given.since}}A{{else if given.size}}B{{else}}C{{/if}}', sql: 'B', given: ['size'] },
  { template: '{{#if given.since}}A{{else if given.size}}B{{else}}C{{/if}}', sql: 'A', given: ['size', 'since'] },
  { template: '{{#if given.shop}}required is always given{{/if}}', sql: 'required is always given' },
  { template: '`{{constants.table}}` {{constants.map.one}} {{constants.yes}}', sql: '`shop.orders` 1 TRUE' },
  { template: 'x-{{constants.minus}}', sql: 'x- -5' },
  { template: 'x {{constants.minus}}', sql: 'x -5' },
  { template: '{{#each constants.list}}{{@index}}{{this}}{{#unless @last}},{{/unless}}{{/each}}', sql: '0a,1b' },
  { template: '{{#each constants.list}}{{#if @first}}({{/if}}{{this}}{{/each}}', sql: '(ab' },
  { template: '{{#each constants.areas}}{{name}}={{this.table}}{{#if extra}}!{{/if}} {{/each}}', sql: 'x=t.x! y=t.y ' },
  {
    template: '{{#each constants.areas}}{{#each ../constants.list}}{{../name}}{{this}} {{/each}}{{/each}}',
    sql: 'xa xb ya yb ',
  },
  { template: '{{#each constants.areas}}{{constants.table}} {{/each}}', sql: 'shop.orders shop.orders ' },
  { template: '{{#each constants.nothing}}x{{else}}none{{/each}}', sql: 'none' },
  { template: 'A\n{{#if given.since}}\n  B\n{{/if}}\nC\n', sql: 'A\nC\n' },
  { template: 'A\n{{#if given.since}}\n  B\n{{/if}}\nC\n', sql: 'A\n  B\nC\n', given: ['since'] },
  { template: 'A   {{~constants.map.one~}}   B', sql: 'A1B' },
  { template: '({{> stream name="a" table=constants.table}})', sql: '(a FROM `shop.orders`\n)' },
  { template: '({{> stream name=sizes.least table="x"}})', sql: '(1 FROM `x` AND t > @since\n)', given: ['since'] },
]

describe('rendering', () => {
  for (const { template, sql, row = 'small', given = [] } of RENDERED) {
    it(`${JSON.stringify(template)} → ${JSON.stringify(sql)}`, () => {
      expect(render(template, PARTIALS, { row, given }).sql).to.equal(sql)
    })
  }

  it('maps each character to its place in the template or in a partial', () => {
    const template =
      'A {{! x }}B\n  {{~#if given.since}}\n é C {{/if}}\n{{#each constants.areas}}\n  {{name}} D\n  {{> stream name=this.name table=this.table}}\n{{/each}}\nE\n'
    const rendered = render(template, PARTIALS, { row: 'small', given: ['since'] })
    const sources: Record<string, string> = { '': template, ...PARTIALS }
    let verbatim = 0
    for (let offset = 0; offset < rendered.sql.length; offset++) {
      const place = placeInTemplate(rendered, offset)!
      const source = sources[place.origin.partial ?? '']!
      const character = rendered.sql[offset]!
      if (source[place.offset] === character) verbatim++
      // A character that is not in the source came from a tag, and its place is that of the tag.
      else expect(source.slice(place.offset, place.offset + 2), `offset ${offset}`).to.equal('{{')
    }
    expect(verbatim).to.be.greaterThan(rendered.sql.length / 2)
    const second = placeInTemplate(rendered, rendered.sql.lastIndexOf('FROM'))!
    expect(template.slice(second.origin.includedAt!.offset)).to.match(/^\{\{> stream/)
  })

  it('maps the end of the SQL to the end of the template', () => {
    const rendered = render('SELECT')
    expect(placeInTemplate(rendered, 6)!.offset).to.equal(6)
  })
})

describe('variants', () => {
  it('are every row with every combination of given arguments that the template tests, and no others', () => {
    const { pieces } = expand('{{sizes.least}}{{#if given.since}} since{{/if}}')
    const space = variantSpace(pieces, LOOKUPS)
    const variants = renderVariants(pieces, space, LOOKUPS)
    expect(variants.map(({ label, sql }) => `${label}: ${sql}`)).to.deep.equal([
      'size=small, since absent: 1',
      'size=big, since absent: 100',
      'size=small, since given: 1 since',
      'size=big, since given: 100 since',
    ])
    const indexOf = variantIndexer(space)
    const pick = (args: Record<string, string>) => variants[indexOf(name => args[name])]!.sql
    expect(pick({})).to.equal('1')
    expect(pick({ size: 'huge' })).to.equal('1')
    expect(pick({ size: 'big', since: '' })).to.equal('100 since')
    expect(pick({ size: '__proto__', since: 'x', shop: 'y' })).to.equal('1 since')
  })

  it('are one when the template tests nothing', () => {
    const { pieces } = expand('SELECT @shop')
    expect(variantSpace(pieces, LOOKUPS).size).to.equal(1)
  })
})

describe('templates that cannot be read', () => {
  const UNREADABLE: readonly [template: string, at: string, message: string][] = [
    ['a {{', '{{', 'this "{{" is never closed; expected "}}"'],
    ['a {{x', '{{x', 'this "{{" is never closed; expected "}}"'],
    ['a\n {{}}', '}}', 'the template cannot be read from "}}" on; a tag holds one name, as in {{#if given.x}}'],
    ['a {{x y=}} b', '}}', 'the template cannot be read from "}} b" on; a tag holds one name, as in {{#if given.x}}'],
    ['{{if a}}{{/if}}', '{{/if}}', '"{{/if}}" closes a block that was never opened; a block begins with "{{#if"'],
    [
      '{{a}}\n{{b\n= c\n}}',
      '= c\n}}',
      'the template cannot be read from "= c}}" on; a tag holds one name, as in {{#if given.x}}',
    ],
    ['{{#if}}{{/if}}', '{{#if}}', '"#if" takes exactly one name, found 0'],
    [
      'a\n{{else}}',
      '{{else}}',
      'the template cannot be read from "{{else}}" on; a tag holds one name, as in {{#if given.x}}',
    ],
    [
      '{{a}}\n{{b c d=}} {{e}}',
      '}} {{e',
      'the template cannot be read from "}} {{e}}" on; a tag holds one name, as in {{#if given.x}}',
    ],
    ['{{#if a}}{{#each b}}{{/if}}', '{{/if}}', '"{{/if}}" cannot close "{{#each}}"; expected "{{/each}}"'],
    ['{{#if a}}x{{/if}}{{#if b}}', '{{#if b}}', '"{{#if}}" is never closed; expected "{{/if}}"'],
    ['x \\{{y}}', '\\{{y', 'braces cannot be escaped in SQL: write them without "\\"'],
    [`${'{{#if given.since}}'.repeat(40)}${'{{/if}}'.repeat(40)}`, '', 'blocks are nested more than 32 deep'],
    [
      '{{(((((a)))))}}',
      '((((',
      'the template cannot be read from "(((((a)))))}}" on; a tag holds one name, as in {{#if given.x}}',
    ],
    [
      '{{#if (((((a)))))}}{{/if}}',
      '((((',
      'the template cannot be read from "((((a)))))}}{{/if}}" on; a tag holds one name, as in {{#if given.x}}',
    ],
    ['{{#if (a (b (c)))}}{{/if}}', '(a', 'sub-expressions are not supported here; expected a name such as table.field'],
  ]
  for (const [template, at, message] of UNREADABLE) {
    it(`${JSON.stringify(template.slice(0, 40))}: ${message}`, () => {
      const { problems } = expand(template)
      expect(problems[0]?.message).to.equal(message)
      expect(template.slice(problems[0]!.offset)).to.satisfy((rest: string) => rest.startsWith(at))
    })
  }

  it('an endless chain of branches is refused before it is parsed', () => {
    const { problems } = expand(`{{#if given.since}}${'{{else if given.size}}'.repeat(3_000)}{{/if}}`)
    expect(problems.map(problem => problem.message)).to.deep.equal(['this block has more than 32 branches'])
  })

  it('partials that double repeatedly give one problem', () => {
    const partials: Record<string, string> = { p0: 'some text ' }
    for (let i = 1; i <= 40; i++) partials[`p${i}`] = `{{> p${i - 1}}}{{> p${i - 1}}}`
    const started = performance.now()
    const { problems } = expand('{{> p40}}', partials)
    expect(problems.map(problem => problem.rule)).to.deep.equal(['template/too-large'])
    expect(performance.now() - started).to.be.lessThan(30_000)
  })

  it('a megabyte of tags is parsed in linear time', () => {
    const started = performance.now()
    expand('{{constants.table}} '.repeat(50_000))
    expand('{'.repeat(500_000))
    expand('{{'.repeat(250_000))
    expand('{{!'.repeat(250_000))
    expand('{{!--'.repeat(200_000))
    expand(`${'{{x '.repeat(200_000)}}}`)
    expand('{{!-- --}} {{! }}'.repeat(30_000))
    expect(performance.now() - started).to.be.lessThan(50_000)
  })
})
