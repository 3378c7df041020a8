/** What `sluice lsp` knows of the names in SQL: completion, hover, definitions, signatures, renames. */
import { expect } from 'chai'
import type { MarkupContent } from 'vscode-languageserver/node'
import { Editor, type Folder, makeFolder } from './editor.js'
import { FILES, ORDERS } from './shop.js'

describe('sluice lsp: names in SQL', () => {
  const manifest = 'endpoints/shop.orders.yaml'
  let folder: Folder
  let editor: Editor
  let uri: string

  before(async () => {
    folder = makeFolder(FILES)
    editor = await Editor.start({ folders: [folder], hasSnippets: true })
    uri = folder.uri(manifest)
  })
  beforeEach(async () => {
    await editor.open(uri, ORDERS)
    await editor.diagnostics(uri, found => found.length === 0)
  })
  afterEach(() => editor.close(uri))
  after(async () => {
    await editor.end()
    folder.remove()
  })

  /** The labels where `typed`, with the cursor at `|`, stands in the place of a text of the manifest. */
  const typing = async (before: string, typed: string): Promise<readonly string[]> => {
    await editor.edit(uri, before, typed.replace('|', ''))
    return editor.labels([uri, typed])
  }

  describe('completes', () => {
    it('the columns of a table after its alias', async () => {
      const labels = await typing('o.customer.city', 'o.|')
      expect(labels).to.deep.equal(['id', 'shop', 'created_at', 'customer', 'items'])
    })

    it('the fields of records, also of unnested arrays and of their elements', async () => {
      expect(await typing('o.customer.city', 'o.customer.|')).to.deep.equal(['city'])
      expect(await typing('item.price', 'item.|')).to.deep.equal(['price', 'quantity'])
      expect(await typing('o.customer.', 'o.items[0].|')).to.deep.equal(['price', 'quantity'])
    })

    it('columns, functions, parameters and lookups in an expression that is not finished', async () => {
      const labels = await typing('AND o.created_at > @since', 'AND |')
      expect(labels).to.include.members(['created_at', 'price', 'o', 'item', 'TIMESTAMP_SUB', '@shop', '@now'])
      expect(labels).to.include('interval.bucket')
    })

    it('the columns of a common table expression, by the names that it gives them', async () => {
      const labels = await typing('COUNT(*) AS orders', 'MAX(|')
      expect(labels).to.include.members(['bucket', 'price', 'city'])
      expect(labels).to.not.include('created_at')
    })

    it('columns in parentheses that are not closed, whatever follows', async () => {
      for (const [from, typed] of [
        ['COUNT(*) AS orders', 'MAX(pr|'],
        ['MAX(pr', 'ROUND(SUM(EXTRACT(DAY FROM CURRENT_DATE()) + pr|'],
        ['ROUND(SUM(EXTRACT(DAY FROM CURRENT_DATE()) + pr', 'COUNTIF(price IS DISTINCT FROM pr|, 1 AS one'],
        ['COUNTIF(price IS DISTINCT FROM pr, 1 AS one', 'EXTRACT(DAY FROM |'],
      ] as const) {
        expect(await typing(from, typed), typed)
          .to.include('price')
          .and.not.include('created_at')
      }
      await editor.edit(uri, 'AND o.created_at > @since', 'AND o.id IN (SELECT MAX(x. FROM shop.orders AS x)')
      expect(await editor.labels([uri, 'MAX(x.|'])).to.include.members(['id', 'created_at'])
    })

    it('parameters and columns after a block tag in the same line, with text after the cursor', async () => {
      const tagged = '{{#if given.since}}AND o.created_at > @| AND TRUE{{/if}}'
      await editor.edit(uri, 'AND o.created_at > @since', tagged.replace('|', ''))
      expect(await editor.labels([uri, tagged])).to.deep.equal(['@shop', '@since', '@interval', '@now'])
      expect(await typing('> @ AND TRUE{{/if}}', '> |{{/if}}')).to.include.members(['created_at', '@since'])
    })

    it('columns where no FROM clause parses yet, and nothing that is not there', async () => {
      await editor.edit(
        uri,
        '  SELECT bucket, COUNT(*) AS orders\n  FROM lines\n',
        '  SELECT l.pri FROM lines AS l WHERE (\n',
      )
      expect(await editor.labels([uri, 'SELECT l.pri|']))
        .to.include('price')
        .and.not.include('created_at')
    })

    it('tables in full after FROM, and common table expressions', async () => {
      expect(await typing('FROM lines\n', 'FROM |\n')).to.include.members(['shop.orders', 'lines'])
      const items = await editor
        .edit(uri, 'FROM \n', 'FROM shop.or\n')
        .then(() => editor.complete([uri, 'FROM shop.or|\n']))
      const table = items.find(({ label }) => label === 'shop.orders')
      expect(table?.textEdit).to.deep.include({ newText: 'shop.orders' })
      expect(editor.applied(uri, { changes: { [uri]: [table!.textEdit as never] } })).to.include('FROM shop.orders\n')
    })

    it('tables in backticks that are not closed', async () => {
      await editor.edit(uri, 'FROM shop.orders AS o', 'FROM `shop.')
      const [table] = (await editor.complete([uri, 'FROM `shop.|'])).filter(({ label }) => label === 'shop.orders')
      expect(editor.applied(uri, { changes: { [uri]: [table!.textEdit as never] } })).to.include('FROM `shop.orders`')
    })

    it('parameters after @, with their types', async () => {
      await editor.edit(uri, '@since', '@si')
      const items = await editor.complete([uri, '@si|'])
      expect(items.map(({ label, detail }) => [label, detail])).to.deep.equal([
        ['@shop', 'STRING'],
        ['@since', 'TIMESTAMP'],
        ['@interval', 'STRING'],
        ['@now', 'TIMESTAMP'],
      ])
      expect(editor.applied(uri, { changes: { [uri]: [items[1]!.textEdit as never] } })).to.include('> @since\n')
    })

    it('functions as snippets with their signatures', async () => {
      await editor.edit(uri, 'COUNT(*)', 'TIMESTAMP_TR')
      const found = (await editor.complete([uri, 'TIMESTAMP_TR|'])).find(({ label }) => label === 'TIMESTAMP_TRUNC')
      expect(found?.detail).to.equal('TIMESTAMP_TRUNC(TIMESTAMP, PART, [STRING]) -> TIMESTAMP')
      expect(found?.insertTextFormat).to.equal(2)
      expect(found?.textEdit).to.have.property('newText', 'TIMESTAMP_TRUNC($0)')
    })

    it('lookups, constants and given inside braces', async () => {
      expect(await typing('{{interval.bucket}}', '{{|')).to.include.members([
        'interval.bucket',
        'interval.size',
        'given.since',
      ])
      expect(await typing('{{#if given.since}}', '{{#if |}}')).to.include.members(['given.since', 'interval.size'])
    })

    it('partials after {{>', async () => {
      expect(await typing('{{> of-shop}}', '{{> |}}')).to.deep.equal(['of-shop'])
    })

    it('nothing in a text or a comment', async () => {
      expect(await typing('o.created_at > @since', "o.shop = 'o.|'")).to.deep.equal([])
      expect(await typing("o.shop = 'o.'", 'TRUE -- o.|')).to.deep.equal([])
    })

    it('the names of a partial, as the manifest that includes it has them', async () => {
      const partial = folder.uri('endpoints/partials/of-shop.sql')
      await editor.open(partial, 'o. = @shop\n')
      expect(await editor.labels([partial, 'o.|'])).to.include('created_at')
      expect(await editor.labels([partial, '@|shop'])).to.include('@since')
      await editor.close(partial)
    })
  })

  describe('shows on hover', () => {
    const shown = async (text: string): Promise<string> =>
      ((await editor.hover([uri, text]))?.contents as MarkupContent | undefined)?.value ?? ''

    it('the type and the documentation of a column', async () => {
      expect(await shown('o.created_|at'))
        .to.include('created_at TIMESTAMP')
        .and.include('When it was placed.')
      expect(await shown('o.customer.ci|ty'))
        .to.include('city STRING')
        .and.include('Where the customer lives.')
    })

    it('the signatures of a function', async () => {
      expect(await shown('TIMESTAMP_|TRUNC')).to.include('TIMESTAMP_TRUNC(TIMESTAMP, PART, [STRING]) -> TIMESTAMP')
    })

    it('the description of a parameter, the rows of a lookup, the text of a partial, the columns of a table', async () => {
      expect(await shown('@sin|ce'))
        .to.include('Only later orders.')
        .and.include('@since TIMESTAMP')
      expect(await shown('interval.buc|ket'))
        .to.include('`1hr`: `MINUTE`')
        .and.include('`1day`: `HOUR` (default)')
      expect(await shown('> of-sh|op')).to.include('o.shop = @shop')
      expect(await shown('FROM shop.or|ders')).to.include('`created_at` TIMESTAMP')
    })

    it('nothing for a keyword', async () => {
      expect(await editor.hover([uri, 'SEL|ECT TIMESTAMP'])).to.equal(null)
    })
  })

  it('goes to partials, lookups, parameters, table schemas and columns', async () => {
    const places = await Promise.all(
      [
        '> of-sh|op',
        'interval.buc|ket',
        '@sin|ce',
        'given.sin|ce',
        'FROM shop.or|ders',
        'o.created_|at',
        'FROM li|nes',
      ].map(async text => {
        const found = await editor.definition([uri, text])
        return `${found?.uri.replace(folder.uri(), '')}:${(found?.range.start.line ?? -1) + 1}`
      }),
    )
    expect(places.map(place => place.replace(/^\//, ''))).to.deep.equal([
      'endpoints/partials/of-shop.sql:1',
      'endpoints/shop.orders.yaml:21',
      'endpoints/shop.orders.yaml:11',
      'endpoints/shop.orders.yaml:11',
      'schemas/tables/shop.orders.json:1',
      'schemas/tables/shop.orders.json:4',
      'endpoints/shop.orders.yaml:29',
    ])
  })

  it('goes to a common table expression whose name needs backticks', async () => {
    await editor.edit(uri, 'lines AS (', '`a (b` AS (')
    const text = ORDERS.replace('lines AS (', '`a (b` AS (')
    await editor.edit(uri, 'FROM lines', 'FROM `a (b`')
    const found = await editor.definition([uri, 'FROM `a (|b`'])
    expect(found?.range.start.line).to.equal(text.slice(0, text.indexOf('`a (b`')).split('\n').length - 1)
  })

  it('shows the signature of the call that is being written, and its argument', async () => {
    await editor.edit(uri, 'COUNT(*)', 'LPAD(CAST(price AS STRING), ')
    const help = await editor.signature([uri, 'LPAD(CAST(price AS STRING), |'])
    expect(help?.signatures[0]?.label).to.equal('LPAD(STRING, INT64, [STRING]) -> STRING')
    expect(help?.signatures[0]?.parameters?.map(({ label }) => label)).to.deep.equal(['STRING', 'INT64', '[STRING]'])
    expect(help?.activeParameter).to.equal(1)
  })

  describe('renames a parameter', () => {
    it('with its key, @name, given.name and the arguments of its tests', async () => {
      for (const where of ['@sin|ce', 'given.sin|ce', '  sin|ce:']) {
        const edit = await editor.rename([uri, where], 'after')
        expect(editor.applied(uri, edit!)).to.equal(
          ORDERS.replace('  since:', '  after:').replace('given.since', 'given.after').replace('@since', '@after'),
        )
        const tests = folder.uri('endpoints/shop.orders.test.yaml')
        expect(editor.applied(tests, edit!, FILES['endpoints/shop.orders.test.yaml'])).to.include(
          'interval: 1day, after: 2026-01-31T10:00:00Z',
        )
        expect(Object.keys(edit!.changes!)).to.have.length(2)
      }
    })

    it('with tenant, by and its uses in a partial that no other manifest includes', async () => {
      const edit = await editor.rename([uri, '  sh|op:'], 'store')
      expect(editor.applied(uri, edit!)).to.include('tenant: store').and.include('  store:\n')
      const partial = folder.uri('endpoints/partials/of-shop.sql')
      expect(editor.applied(partial, edit!, 'o.shop = @shop\n')).to.equal('o.shop = @store\n')
      const interval = await editor.rename([uri, '  int|erval:\n    type'], 'period')
      expect(editor.applied(uri, interval!)).to.include('by: period').and.include('{{interval.bucket}}')
    })

    it('with the parameter of a tenant that names columns', async () => {
      await editor.edit(uri, 'tenant: shop', 'tenant: { parameter: shop, columns: { shop.orders: shop } }')
      const edit = await editor.rename([uri, '  sh|op:'], 'store')
      expect(editor.applied(uri, edit!)).to.include('tenant: { parameter: store, columns: { shop.orders: shop } }')
    })

    it('not to a name that is taken or not valid, and renames nothing else', async () => {
      const refusal = async (where: string, name: string): Promise<string> =>
        editor.rename([uri, where], name).then(
          () => 'renamed',
          (thrown: Error) => thrown.message,
        )
      expect(await refusal('@sin|ce', 'Shop')).to.equal('the name shop is taken')
      expect(await refusal('@sin|ce', 'a b')).to.match(/^a parameter's name is a letter/)
      expect(await refusal('AS buc|ket', 'b')).to.equal('only parameters can be renamed')
      expect(await editor.prepareRename([uri, 'AS buc|ket'])).to.equal(null)
    })
  })

  it('lists the uses of a parameter', async () => {
    expect(await editor.references([uri, '@sin|ce'])).to.have.length(4)
  })
})
