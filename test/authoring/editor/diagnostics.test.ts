/** The diagnostics of `sluice lsp`, which are those of `validate`, while an author types. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Editor, type Folder, makeFolder } from './editor.js'
import { FILES, ORDERS, SCHEMA } from './shop.js'

const MANIFEST = 'endpoints/shop.orders.yaml'

describe('sluice lsp: diagnostics', () => {
  let folder: Folder
  let editor: Editor
  const open = async (): Promise<string> => {
    await editor.open(folder.uri(MANIFEST), ORDERS)
    await editor.diagnostics(folder.uri(MANIFEST), found => found.length === 0)
    return folder.uri(MANIFEST)
  }
  const has =
    (part: string) =>
    (messages: readonly string[]): boolean =>
      messages.some(message => message.includes(part))
  const none = (messages: readonly unknown[]): boolean => messages.length === 0

  before(async () => {
    folder = makeFolder(FILES)
    editor = await Editor.start({ folders: [folder] })
  })
  afterEach(() => editor.closeAll())
  after(async () => {
    await editor.end()
    folder.remove()
  })

  it('come from the text that is not saved, and go when it is right again', async () => {
    const uri = await open()
    await editor.edit(uri, 'o.created_at > @since', 'o.creatd_at > @since')
    const [wrong] = await editor.diagnostics(uri, found => found.length > 0)
    expect(wrong?.message).to.match(
      /^Name creatd_at not found inside o; Did you mean created_at\? \(when .*since given\)$/,
    )
    expect(wrong).to.include({ code: 'sql/error', severity: 1, source: 'sluice' })
    expect(wrong?.range).to.deep.equal({ start: { line: 33, character: 14 }, end: { line: 33, character: 23 } })
    await editor.edit(uri, 'o.creatd_at', 'o.created_at')
    await editor.diagnostics(uri, none)
  })

  it('name the mistakes of YAML, of the schema and of the template', async () => {
    const uri = await open()
    await editor.edit(uri, 'required: true', 'requird: true')
    expect(await editor.messages(uri, has('requird'))).to.deep.equal([
      '8:5 unknown key "requird" in parameter "shop"; did you mean "required"?',
    ])
    await editor.edit(uri, 'requird: true', 'required: [')
    expect(await editor.diagnostics(uri, found => found.some(({ code }) => code === 'yaml/syntax'))).to.not.be.empty
    await editor.edit(uri, 'required: [', 'required: true')
    await editor.edit(uri, '{{interval.bucket}}', '{{interval.bukcet}}')
    expect(await editor.messages(uri, has('bukcet'))).to.deep.equal([
      '30:46 lookup table "interval" has no field "bukcet"; it has bucket, size; did you mean "bucket"?',
    ])
  })

  it('of a partial are published under the partial', async () => {
    const uri = await open()
    const partial = folder.uri('endpoints/partials/of-shop.sql')
    await editor.open(partial, 'o.shop = @shop\n')
    await editor.edit(partial, 'o.shop', 'o.shopp')
    expect(await editor.messages(partial, has('shopp'))).to.deep.equal([
      '1:3 Name shopp not found inside o; Did you mean shop? (included by endpoints/shop.orders.yaml:32)',
    ])
    await editor.diagnostics(uri, none)
    await editor.edit(partial, 'o.shopp', 'o.shop')
    await editor.diagnostics(partial, none)
  })

  it('are there for files that are not open', async () => {
    await open()
    const other = 'endpoints/other.yaml'
    folder.write(
      other,
      ORDERS.replace('0b7d7f0e', '0b7d7f0f').replace('name: shop', 'name: other').replace('COUNT(', 'COUNTT('),
    )
    await editor.save(folder.uri(MANIFEST))
    const told = await editor.messages(folder.uri(other), has('COUNTT'))
    expect(told).to.deep.equal(['37:18 Function not found: COUNTT; Did you mean count?'])
    rmSync(join(folder.path, other))
    await editor.save(folder.uri(MANIFEST))
    await editor.diagnostics(folder.uri(other), none)
  })

  it('of a table schema are in the schema; queries are checked against its last sound state', async () => {
    const uri = await open()
    const schema = folder.uri('schemas/tables/shop.orders.json')
    await editor.open(schema, SCHEMA)
    await editor.edit(schema, '"created_at", "type": "TIMESTAMP"', '"created_at", "type": "TIMESTMP"')
    expect((await editor.messages(schema, has('TIMESTMP'))).join('\n')).to.match(/^4:\d+ .*TIMESTMP.*created_at/)
    await editor.diagnostics(uri, none)
    await editor.edit(schema, '"created_at", "type": "TIMESTMP"', '"created", "type": "TIMESTAMP"')
    expect((await editor.messages(uri, has('created_at'))).join('\n')).to.include('Did you mean created?')
    await editor.edit(schema, '"created"', '"created_at"')
    await editor.diagnostics(uri, none)
    await editor.diagnostics(schema, none)
  })

  it('of a test file are in the test file', async () => {
    await open()
    const tests = folder.uri('endpoints/shop.orders.test.yaml')
    await editor.open(tests, FILES['endpoints/shop.orders.test.yaml']!)
    await editor.edit(tests, 'shop: abc, interval', 'shp: abc, interval')
    expect(await editor.messages(tests, has('shp'))).to.deep.equal([
      '4:18 shop.orders has no parameter "shp", so it ignores the argument; did you mean "shop"?',
    ])
    await editor.edit(tests, 'shp: abc', 'shop: abc')
    await editor.diagnostics(tests, none)
  })

  it('say which manifest has the same name', async () => {
    const uri = await open()
    const twin = folder.uri('endpoints/twin.yaml')
    await editor.open(twin, ORDERS.replace('0b7d7f0e', '0b7d7f0f'))
    expect((await editor.messages(twin, has('also used at'))).join()).to.include('endpoints/shop.orders.yaml:2')
    await editor.close(twin)
    await editor.diagnostics(twin, none)
    await editor.diagnostics(uri, none)
  })

  it('have a quick fix where the message asks "did you mean"', async () => {
    const uri = await open()
    await editor.edit(uri, 'required: true', 'requird: true')
    await editor.edit(uri, 'o.created_at > @since', 'o.creatd_at > @since')
    const before = await editor.diagnostics(uri, found => found.length === 2)
    const { range } = before[0]!
    const [key] = await editor.actions(uri, range, before)
    expect(key).to.include({ title: 'Change to required', kind: 'quickfix' })
    expect(editor.applied(uri, key!.edit!)).to.include('    required: true\n    description: The shop')
    const [column, ...others] = await editor.actions(uri, before[1]!.range, before)
    expect(others).to.deep.equal([])
    expect(editor.applied(uri, column!.edit!)).to.include('AND o.created_at > @since')
  })
})
