/** The language server answers at any place of any text: manifests that are cut off, partials by themselves, hostile texts. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Editor, type Folder, makeFolder } from './editor.js'
import { FILES, ORDERS } from './shop.js'

const SHIPPED = ['logs.all.yaml', 'functions.invocation-stats.yaml', 'partials/stream.sql'].map(
  name => [`endpoints/${name}`, readFileSync(`endpoints/${name}`, 'utf8')] as const,
)
const TABLES = ['logs.edge', 'logs.function_edge'].map(
  name => [`schemas/tables/${name}.json`, readFileSync(`schemas/tables/${name}.json`, 'utf8')] as const,
)

describe('sluice lsp: any text', () => {
  let folder: Folder
  let editor: Editor
  before(async () => {
    folder = makeFolder({ ...FILES, ...Object.fromEntries([...SHIPPED, ...TABLES]) })
    editor = await Editor.start({ folders: [folder] })
  })
  after(async () => {
    expect(await editor.end()).to.equal(0)
    expect(editor.stderr).to.equal('')
    folder.remove()
  })

  /** Asks everything at the end of a text. */
  async function askAtEnd(uri: string, text: string): Promise<void> {
    await editor.open(uri, text)
    const where = [uri, text.length] as const
    await Promise.all([
      editor.complete(where),
      editor.hover(where),
      editor.definition(where),
      editor.signature(where),
      editor.references(where),
      editor.prepareRename(where),
    ])
    await editor.close(uri)
  }

  it('answers where a file is cut off anywhere', async () => {
    for (const [file, text] of SHIPPED) {
      for (let end = 0; end <= text.length; end += 97) await askAtEnd(folder.uri(file), text.slice(0, end))
    }
  }).timeout(60_000)

  it('answers in texts that are not SQL, YAML or a template', async () => {
    const uri = folder.uri('endpoints/strange.yaml')
    const sql = [
      ...[
        '(((((((((',
        ')))',
        '[[[',
        "'",
        '"""',
        '`',
        '/*',
        '--',
        '@',
        '@@',
        '.',
        '{{',
        '{{{{',
        '{{#each x}}',
        '{{> }}',
        '{{> a b=',
        '😀.',
      ],
      ...[
        'SELECT',
        'WITH a AS (',
        'WITH a AS',
        'SELECT * FROM',
        'SELECT * FROM UNNEST(',
        'FROM a |> WHERE ',
        'SELECT f(',
        'a.b.c.d.',
      ],
      ...[
        'SELECT * FROM (SELECT * FROM (SELECT '.repeat(40),
        '('.repeat(5_000),
        'a.'.repeat(5_000),
        '{{#if a}}'.repeat(500),
      ],
    ]
    const heads = [
      'sql: |\n  ',
      'parameters: 5\nlookups: [a]\nconstants: {a: 1}\nsql: |\n  ',
      'sql: |\r\n  ',
      '\ufeffsql: |\n\t',
    ]
    for (const head of heads) for (const text of sql) await askAtEnd(uri, head + text)
    for (const text of [
      '',
      '[',
      '- - -',
      '{',
      'sql: >\n  SELECT a.',
      'sql: SELECT a.',
      'lookups: {a: {rows: {b: 5}}}\nsql: |\n  {{a.',
    ])
      await askAtEnd(uri, text)
  }).timeout(60_000)

  it('completes in a file with CRLF, and in one whose YAML is broken elsewhere', async () => {
    const uri = folder.uri('endpoints/shop.orders.yaml')
    const text = ORDERS.replace('o.customer.city', 'o.')
    for (const odd of [text.replaceAll('\n', '\r\n'), text.replace('tenant: shop', 'tenant: [')]) {
      await editor.open(uri, odd)
      expect(await editor.labels([uri, 'item.price, o.|'])).to.include('created_at')
      await editor.close(uri)
    }
  })

  it('knows the columns that loops and partials write out', async () => {
    const [[file, text]] = SHIPPED as unknown as [[string, string]]
    const uri = folder.uri(file)
    await editor.open(uri, text.replace('SELECT id, timestamp', 'SELECT '))
    expect(await editor.labels([uri, 'SELECT |, event'])).to.include.members(['id', 'timestamp', 'metadata'])
    const partial = folder.uri('endpoints/partials/stream.sql')
    await editor.open(partial, SHIPPED[2]![1].replace('entry.event_message', 'entry.'))
    expect(await editor.labels([partial, 'entry.timestamp, entry.|'])).to.include('event_message')
    expect(await editor.labels([partial, '{{|retention.days}}'])).to.include('retention.days')
    await editor.close(partial)
    await editor.close(uri)
  })
})
