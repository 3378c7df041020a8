/** The generated Manifest type and the named defaults agree with the schema. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { SETTING_DEFAULTS } from '../../runner/manifest/setting-defaults.js'
import { manifestTypeText, readSchema } from '../../tools/generate-manifest-type.js'

type Node = { readonly [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

describe('the schema of manifests', () => {
  it('is the source of runner/model/manifest.ts; run `npm run generate` when they differ', async () => {
    expect(await manifestTypeText(await readSchema())).to.equal(readFileSync('runner/model/manifest.ts', 'utf8'))
  })

  it('names the defaults that the code uses', async () => {
    const settings = ((await readSchema()).$defs as Node)['settings'] as { properties: Record<string, Node> }
    const defaults = Object.entries(settings.properties).filter(([, member]) => 'default' in member)
    expect(Object.fromEntries(defaults.map(([name, member]) => [name, member['default']]))).to.deep.equal(
      SETTING_DEFAULTS,
    )
  })

  it('titles, describes and exemplifies every member, for editors', async () => {
    const silent: string[] = []
    const visit = (node: Node, path: string): void => {
      const reference = typeof node['$ref'] === 'string'
      for (const word of ['title', 'description', 'examples']) {
        if (!(word in node) && !reference && path !== '') silent.push(`${path}: ${word}`)
      }
      for (const [name, member] of Object.entries(isNode(node['properties']) ? node['properties'] : {})) {
        visit(member as Node, `${path}/${name}`)
      }
    }
    const schema = (await readSchema()) as Node
    visit(schema, '')
    for (const [name, definition] of Object.entries(schema['$defs'] as Node)) visit(definition as Node, `$defs/${name}`)
    expect(silent).to.deep.equal([])
  })

  it('allows no unknown member anywhere', async () => {
    const open: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, `${path}/${index}`)
      if (!isNode(value)) return
      if (value['type'] === 'object' && value['additionalProperties'] === undefined) open.push(path)
      for (const [name, member] of Object.entries(value)) if (name !== 'examples') visit(member, `${path}/${name}`)
    }
    visit(await readSchema(), '')
    expect(open).to.deep.equal([])
  })
})
