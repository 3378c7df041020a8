/** Functions that are kept in a dataset, in an editor. */
import { expect } from 'chai'
import { Editor, type Folder, makeFolder } from './editor.js'

const MANIFEST = 'endpoints/shop.bill.yaml'
const TAX = 'functions/shop.tax.sql'
const TEXT = 'CREATE FUNCTION shop.tax(price FLOAT64) AS (\n  price * 0.2\n)\n'
const SQL = `id: 0d5c2b64-6a59-4a3a-9a4e-6a3a0d8c3f12
name: shop.bill
sql: |
  SELECT shop.tax(10) AS tax
`

describe('sluice lsp: functions that are kept in a dataset', () => {
  let folder: Folder
  let editor: Editor
  beforeEach(async () => {
    folder = makeFolder({ [MANIFEST]: SQL, [TAX]: TEXT })
    editor = await Editor.start({ folders: [folder] })
    await editor.open(folder.uri(MANIFEST), SQL)
    await editor.diagnostics(folder.uri(MANIFEST), found => found.length === 0)
  })
  afterEach(async () => {
    await editor.end()
    folder.remove()
  })

  it('are found, shown and completed', async () => {
    const where = [folder.uri(MANIFEST), 'SELECT shop.ta|x(10)'] as const
    expect(await editor.definition(where)).to.deep.include({ uri: folder.uri(TAX) })
    const { contents } = (await editor.hover(where))!
    expect(JSON.stringify(contents)).to.include('Function `shop.tax`').and.to.include('price * 0.2')
    expect(await editor.labels([folder.uri(MANIFEST), 'SELECT |shop.tax(10)'])).to.include('shop.tax')
  })

  it('have their mistakes shown while they are typed, in the function and not again where it is called', async () => {
    await editor.open(folder.uri(TAX), TEXT)
    await editor.edit(folder.uri(TAX), 'price * 0.2', 'price * rate')
    expect(await editor.messages(folder.uri(TAX), found => found.length > 0)).to.deep.equal([
      '2:11 Unrecognized name: rate',
    ])
    expect(await editor.messages(folder.uri(MANIFEST), () => true)).to.deep.equal([])
    await editor.edit(folder.uri(TAX), 'price * rate', 'price * 0.3')
    await editor.diagnostics(folder.uri(TAX), found => found.length === 0)
  })
})
