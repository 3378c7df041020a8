/** The work of an author: a new table, a manifest for it, changes to both; no code. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkManifests } from '../../authoring/check/check-manifests.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { LoadError, type RunnerError } from '../../runner/model/errors.js'
import { readTimestamp } from '../../runner/model/typed-value.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { settingsOf } from './folder-settings.js'

const ID = '5f1c2a74-7b0e-4f0a-9a43-0d8f6f1f2b10'
const MANIFEST = readFileSync('test/cases/new-table/endpoints/shop.sales.yaml', 'utf8')
const NOW_MICROS = readTimestamp('2026-05-20T12:00:00Z')!

interface Sale {
  readonly order_id: number
  readonly sold_at: string
  readonly country: string
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: string }[]
}

const sale = (order: number, at: string, price: string, more: Partial<Sale> = {}): Sale => ({
  order_id: order,
  sold_at: at,
  country: 'DE',
  lines: [{ sku: 'a', quantity: 1, price }],
  ...more,
})

const FIRST = [
  sale(1, '2026-05-18T08:00:00Z', '10.10'),
  sale(2, '2026-05-18T23:59:59.999999Z', '0.20', {
    lines: [
      { sku: 'a', quantity: 2, price: '0.10' },
      { sku: 'b', quantity: 1, price: '5' },
    ],
  }),
  sale(3, '2026-05-19T00:00:00Z', '7'),
  sale(4, '2026-05-19T00:30:00Z', '100', { country: 'FR' }),
]

describe('a new endpoint over a new table', () => {
  let folder = ''
  let settings: Settings
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  const rowsOf = (sales: readonly Sale[]): string => sales.map(row => `${JSON.stringify(row)}\n`).join('')

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-new-'))
    cpSync('test/cases/new-table', folder, { recursive: true })
    mkdirSync(join(folder, 'data/shop'), { recursive: true })
    write('data/shop/sales.ndjson', rowsOf(FIRST))
    settings = settingsOf(folder)
  })
  after(() => rmSync(folder, { recursive: true }))

  const textOf = async (runner: Runner, args: Record<string, string | readonly string[]>, name = 'shop.sales') =>
    Buffer.from((await runner.call(name, args, { nowMicros: NOW_MICROS })).body).toString()

  describe('is served', () => {
    let runner: Runner
    const text = (args: Record<string, string | readonly string[]>): Promise<string> => textOf(runner, args)
    before(async () => {
      runner = await createRunner(settings)
    })
    after(() => runner.close())

    it('with its rows, its lookup table and its optional parameter', async () => {
      expect(await text({ country: 'DE' })).to.equal(
        '{"result":[{"bucket":"2026-05-18T00:00:00Z","orders":2,"turnover":"15.3"},' +
          '{"bucket":"2026-05-19T00:00:00Z","orders":1,"turnover":"7"}]}',
      )
      expect(await text({ country: 'DE', step: 'hour' })).to.equal(
        '{"result":[{"bucket":"2026-05-18T23:00:00Z","orders":1,"turnover":"5.2"},' +
          '{"bucket":"2026-05-19T00:00:00Z","orders":1,"turnover":"7"}]}',
      )
      expect(await text({ country: 'DE', skus: ['b', 'c'] })).to.equal(
        '{"result":[{"bucket":"2026-05-18T00:00:00Z","orders":1,"turnover":"5"}]}',
      )
    })

    it('over HTTP, by name and by id, with its description', async () => {
      const server = await runner.listen()
      const get = (path: string): Promise<Response> =>
        fetch(`${server.url}/api/endpoints${path}`, { headers: { 'X-API-KEY': 'unrestricted-token-of-32-letters' } })
      const answers = await Promise.all(
        ['shop.sales', ID.toUpperCase()].map(ref => get(`/query/${ref}?country=DE&step=day`)),
      )
      expect(answers.map(answer => answer.status)).to.deep.equal([200, 200])
      const bad = (await (await get('/query/shop.sales?country=de')).json()) as { errors: readonly unknown[] }
      expect(bad.errors).to.have.length(1)
      const described = (await (await get(`/${ID}`)).json()) as Record<string, unknown>
      expect(described).to.deep.include({
        id: ID,
        name: 'shop.sales',
        description: 'Turnover of a country by day or by hour.',
      })
      await server.close()
    })

    it('with files that are added, changed and taken away by the time of the next query', async () => {
      const frenchDays = async (): Promise<readonly unknown[]> =>
        (JSON.parse(await text({ country: 'FR' })) as { result: readonly { turnover: unknown }[] }).result.map(
          row => row.turnover,
        )
      expect(await frenchDays()).to.deep.equal(['100'])
      mkdirSync(join(folder, 'data/shop/sales'))
      // The table becomes a folder of files: the single file moves into it.
      renameSync(join(folder, 'data/shop/sales.ndjson'), join(folder, 'data/shop/sales/one.ndjson'))
      write('data/shop/sales/two.ndjson', rowsOf([sale(5, '2026-05-17T10:00:00Z', '1.5', { country: 'FR' })]))
      expect(await frenchDays()).to.deep.equal(['1.5', '100'])
      write('data/shop/sales/two.ndjson', rowsOf([sale(5, '2026-05-17T10:00:00Z', '2.25', { country: 'FR' })]))
      expect(await frenchDays()).to.deep.equal(['2.25', '100'])
      rmSync(join(folder, 'data/shop/sales/two.ndjson'))
      expect(await frenchDays()).to.deep.equal(['100'])
      renameSync(join(folder, 'data/shop/sales/one.ndjson'), join(folder, 'data/shop/sales.ndjson'))
      rmSync(join(folder, 'data/shop/sales'), { recursive: true })
      expect(await frenchDays()).to.deep.equal(['100'])
    })

    it('cut after its max_rows, which is reported', async () => {
      const days = [10, 11, 12, 13].map((day, i) => sale(10 + i, `2026-05-${day}T00:00:00Z`, '1', { country: 'IT' }))
      write('data/shop/sales.ndjson', rowsOf([...FIRST, ...days]))
      const result = await runner.call('shop.sales', { country: 'IT' }, { nowMicros: NOW_MICROS })
      expect([result.rowCount, result.isTruncated]).to.deep.equal([3, true])
      write('data/shop/sales.ndjson', rowsOf(FIRST))
    })
  })

  describe('is changed by editing', () => {
    const edited = async (change: (text: string) => string, test: (runner: Runner) => Promise<void>): Promise<void> => {
      const text = change(MANIFEST)
      expect(text).to.not.equal(MANIFEST)
      write('endpoints/shop.sales.yaml', text)
      const runner = await createRunner(settings)
      try {
        await test(runner)
      } finally {
        await runner.close()
        write('endpoints/shop.sales.yaml', MANIFEST)
      }
    }

    it('its name: the old one is unknown, the id stays', () =>
      edited(
        text => text.replace('name: shop.sales', 'name: shop.turnover'),
        async runner => {
          renameSync(join(folder, 'endpoints/shop.sales.yaml'), join(folder, 'endpoints/shop.turnover.yaml'))
          expect(await textOf(runner, { country: 'FR' }, 'shop.turnover')).to.include('"turnover":"100"')
          expect(await textOf(runner, { country: 'FR' }, ID)).to.include('"turnover":"100"')
          const error = await textOf(runner, { country: 'FR' }).catch((thrown: unknown) => thrown as RunnerError)
          expect(error).to.have.property('code', 'ENDPOINT_UNKNOWN')
          rmSync(join(folder, 'endpoints/shop.turnover.yaml'))
        },
      ))

    it('its lookup table: another row, another default, a window', () =>
      edited(
        text =>
          text
            .replace('    default: day', '      month: { unit: MONTH, days: 60 }\n    default: month')
            .replace('day: { unit: DAY, days: 30 }', 'day: { unit: DAY, days: 1 }'),
        async runner => {
          const months = '{"result":[{"bucket":"2026-05-01T00:00:00Z","orders":3,"turnover":"22.3"}]}'
          expect(await textOf(runner, { country: 'DE' })).to.equal(months)
          expect(await textOf(runner, { country: 'DE', step: 'month' })).to.equal(months)
          expect(await textOf(runner, { country: 'DE', step: 'day' })).to.equal('{"result":[]}')
        },
      ))

    it('its lookup table: other values are refused', () =>
      edited(
        text =>
          text
            .replace('default: day', 'default: reject')
            .replace('step: { type: string,', 'step: { type: string, required: true,'),
        async runner => {
          const error = await textOf(runner, { country: 'DE', step: 'week' }).catch(
            (thrown: unknown) => thrown as RunnerError,
          )
          expect(error).to.have.nested.property('errors[0].parameter', 'step')
          expect(error).to.have.nested.property('errors[0].detail').that.includes('day').and.includes('hour')
        },
      ))

    it('beside a copy with another name and id', async () => {
      const copy = MANIFEST.replace('shop.sales', 'shop.copy').replace(ID, ID.replace('5f1c', '6f1c'))
      write('endpoints/shop.copy.yaml', copy)
      const runner = await createRunner(settings)
      expect(runner.endpoints().map(endpoint => endpoint.name)).to.deep.equal(['shop.copy', 'shop.sales'])
      expect(await textOf(runner, { country: 'DE' }, 'shop.copy')).to.equal(await textOf(runner, { country: 'DE' }))
      await runner.close()
      rmSync(join(folder, 'endpoints/shop.copy.yaml'))
    })
  })

  describe('that is broken', () => {
    /**
     * Mistakes: `to` replaces `from`. `at` matches the rest of the line from the reported place, `message` the diagnostic.
     */
    const MISTAKES: readonly {
      readonly what: string
      readonly from: string
      readonly to: string
      readonly at: RegExp
      readonly message: RegExp
    }[] = [
      { what: 'a misspelt key', from: 'default: day', to: 'defualt: day', at: /^defualt: day/, message: /defualt/ },
      {
        what: 'a value of the wrong type',
        from: 'max_rows: 3',
        to: 'max_rows: three',
        at: /^three/,
        message: /integer/,
      },
      { what: 'an invalid id', from: ID, to: 'not-a-uuid', at: /^not-a-uuid/, message: /UUID/ },
      {
        what: 'an invalid name',
        from: 'name: shop.sales',
        to: 'name: Shop Sales',
        at: /^Shop Sales/,
        message: /lower-case/,
      },
      {
        what: 'a column that the table does not have',
        from: 'sale.sold_at,',
        to: 'sale.soldat,',
        at: /^soldat, /,
        message: /soldat/,
      },
      {
        what: 'a field that the record does not have',
        from: 'line.quantity *',
        to: 'line.amount *',
        at: /^amount \*/,
        message: /amount/,
      },
      {
        what: 'a table that there is not',
        from: '`shop.sales`',
        to: '`shop.sale`',
        at: /^`shop\.sale`/,
        message: /shop\.sale/,
      },
      { what: 'a parameter that is not declared', from: '= @country', to: '= @land', at: /^@land/, message: /land/ },
      {
        what: 'a lookup value that no row has',
        from: '{{step.days}}',
        to: '{{step.weeks}}',
        at: /^step\.weeks/,
        message: /weeks/,
      },
      {
        what: 'an argument in the text',
        from: '= @country',
        to: "= '{{country}}'",
        at: /^country\}\}/,
        message: /country/,
      },
      {
        what: 'a column of another type',
        from: 'turnover, type: NUMERIC',
        to: 'turnover, type: STRING',
        at: /^STRING/,
        message: /NUMERIC/,
      },
      {
        what: 'a column too many',
        from: '  - { name: orders,',
        to: '  - { name: more, type: INT64, description: More. }\n  - { name: orders,',
        at: /^more, type/,
        message: /more/,
      },
      {
        what: 'a lookup row without a word that others have',
        from: ', days: 2 }',
        to: ' }',
        at: /^hour: \{ unit: HOUR \}$/,
        message: /days/,
      },
      { what: 'SQL that does not parse', from: 'GROUP BY bucket', to: 'GROUP bucket', at: /^bucket/, message: /BY/ },
      { what: 'YAML that does not parse', from: 'settings:', to: 'settings: [', at: /^\[$/, message: /is not closed/ },
    ]

    // Each mistake has its own manifest; all are checked at once, since opening an engine takes time.
    const texts = MISTAKES.map(({ from, to }, i) =>
      MANIFEST.replace(from, to)
        .replace(ID, ID.replace('5f1c', `5f${10 + i}`))
        .replace('name: shop.sales', `name: shop.sales-${i}`),
    )
    const fileOf = (i: number): string => join(folder, 'broken', `mistake-${i}.yaml`)
    let diagnostics: readonly Diagnostic[] = []
    before(async () => {
      mkdirSync(join(folder, 'broken'))
      for (const [i, text] of texts.entries()) writeFileSync(fileOf(i), text)
      diagnostics = (await checkManifests({ ...settings, endpointsDir: join(folder, 'broken') }, [])).diagnostics
    })

    MISTAKES.forEach(({ what, from, at, message }, i) => {
      it(`by ${what} gets a diagnostic at that place`, () => {
        expect(MANIFEST).to.include(from)
        const told = diagnostics.find(d => d.severity === 'error' && d.file === fileOf(i) && message.test(d.message))
        expect(told, JSON.stringify(diagnostics)).to.not.equal(undefined)
        expect(texts[i]!.split('\n')[told!.line - 1]?.slice(told!.column - 1), told!.message).to.match(at)
      })
    })

    it('is not served, with the reason', async () => {
      const error = await createRunner({ ...settings, endpointsDir: join(folder, 'broken'), strict: true }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).to.be.instanceOf(LoadError)
      expect((error as LoadError).diagnostics).to.deep.equal(diagnostics)
    })
  })
})
