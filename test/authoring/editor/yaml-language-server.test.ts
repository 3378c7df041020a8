/** What the JSON Schemas give to an editor: completion, hover and the places of mistakes, from yaml-language-server. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { MarkupContent } from 'vscode-languageserver/node'
import { Editor, type Folder, makeFolder } from './editor.js'
import { FILES, ORDERS } from './shop.js'

const schema = (name: string): string => pathToFileURL(resolve('schemas', name)).href

/** The files of each schema, as the extension for VS Code says, with the schemas of this checkout. */
function associated(): { readonly schemas: Readonly<Record<string, string | readonly string[]>> } {
  const { contributes } = JSON.parse(readFileSync('editors/vscode/package.json', 'utf8')) as Extension
  const schemas = contributes.yamlValidation.map(({ fileMatch, url }) => [schema(url.split('/').pop()!), fileMatch])
  return { schemas: Object.fromEntries(schemas) }
}

interface Extension {
  readonly contributes: {
    readonly yamlValidation: readonly { readonly fileMatch: string | readonly string[]; readonly url: string }[]
  }
}

describe('the JSON Schemas in yaml-language-server', () => {
  const TESTS = FILES['endpoints/shop.orders.test.yaml']!
  let folder: Folder
  let editor: Editor
  let manifest: string
  let tests: string

  before(async () => {
    folder = makeFolder(FILES)
    const yaml = { ...associated(), validate: true, hover: true, completion: true, schemaStore: { enable: false } }
    editor = await Editor.start({
      folders: [folder],
      program: [resolve('node_modules/yaml-language-server/bin/yaml-language-server'), '--stdio'],
      settings: { yaml },
    })
    manifest = folder.uri('endpoints/shop.orders.yaml')
    tests = folder.uri('endpoints/shop.orders.test.yaml')
    await editor.open(manifest, ORDERS)
    await editor.open(tests, TESTS)
  })
  after(async () => {
    await editor.end()
    folder.remove()
  })

  it('find nothing wrong with a right manifest and its tests', async () => {
    await editor.diagnostics(manifest, found => found.length === 0)
    await editor.diagnostics(tests, found => found.length === 0)
  })

  it('place a mistake where it is', async () => {
    await editor.edit(manifest, 'required: true', 'requird: true')
    const [unknown] = await editor.messages(manifest, found => found.length > 0)
    expect(unknown).to.equal('8:5 Property requird is not allowed.')
    await editor.edit(manifest, 'requird: true', 'required: maybe')
    const [type] = await editor.messages(manifest, found => found.some(one => one.includes('boolean')))
    expect(type).to.match(/^8:15 /)
    await editor.edit(manifest, 'required: maybe', 'required: true')
    await editor.edit(tests, 'count: 1', 'cuont: 1')
    expect(await editor.messages(tests, found => found.length > 0)).to.deep.equal([
      '9:7 Property cuont is not allowed.',
    ])
    await editor.edit(tests, 'cuont: 1', 'count: 1')
  })

  it('explain a key on hover, with an example', async () => {
    const shown = async (uri: string, text: string): Promise<string> =>
      ((await editor.hover([uri, text]))?.contents as MarkupContent | undefined)?.value ?? ''
    const tenant = await shown(manifest, 'ten|ant: shop')
    expect(tenant).to.include('The parameter that identifies the tenant.').and.include('project')
    expect(await shown(manifest, '  int|erval:\n    by')).to.include('Rows of constants')
    expect(await shown(tests, 'exp|ect:')).to.match(/\w{3,}.*\./)
  })

  it('offer the keys that are missing and the values of a list, each with a description', async () => {
    await editor.edit(manifest, '    required: true\n', '    \n')
    const keys = await editor.complete([manifest, 'type: string\n    |\n'])
    const offered = keys.filter(({ label }) => ['required', 'enum', 'pattern', 'default', 'format'].includes(label))
    expect(offered).to.have.length(5)
    for (const { label, documentation } of offered) expect(JSON.stringify(documentation), label).to.match(/\w+ .*\w+/)
    await editor.edit(manifest, '    \n', '    required: true\n')
    await editor.edit(manifest, 'type: timestamp', 'type: ')
    expect(await editor.labels([manifest, 'type: |\n    description: Only'])).to.include.members([
      'timestamp',
      'array<string>',
    ])
  })

  it('describe every key, in sentences', () => {
    for (const name of ['endpoint', 'test']) {
      const silent: string[] = []
      const visit = (node: unknown, path: string): void => {
        if (typeof node !== 'object' || node === null) return
        const { properties, ...rest } = node as Record<string, unknown>
        for (const [key, member] of Object.entries((properties ?? {}) as Record<string, Record<string, unknown>>)) {
          const isTold = typeof member['$ref'] === 'string' || /^.*[.]$/s.test(String(member['description'] ?? ''))
          if (!isTold) silent.push(`${path}.${key}`)
          visit(member, `${path}.${key}`)
        }
        for (const [key, member] of Object.entries(rest)) visit(member, `${path}/${key}`)
      }
      visit(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')), name)
      expect(silent).to.deep.equal([])
    }
  })
})
