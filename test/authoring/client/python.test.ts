/** The client in Python: its types as mypy reads them, programs that mypy must refuse, and calls of a server. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pythonClient } from '../../../authoring/client/python.js'
import { describeEndpoint } from '../../../runner/request/describe.js'
import { type Serving, serving, TOKEN } from '../../http/serving.js'
import { need, PYTHON, whyPending } from '../../installed/installed.js'
import { handMadeEndpoint, parameter as madeParameter } from '../../request/hand-made.js'
import {
  column,
  type Described,
  described,
  endpointsOf,
  FORMS,
  HOSTILE,
  PAGED,
  parameter,
  runtimeOf,
} from './described.js'

const write = (...endpoints: readonly Described[]): string => pythonClient(endpointsOf(...endpoints), runtimeOf('py'))

describe(`a client in Python${whyPending('the Python packages')}`, function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'))
  before(function () {
    need(this, 'the Python packages')
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs a program beside the client of these endpoints; resolves to what it printed. */
  async function run(client: string, program: string, ...args: readonly string[]): Promise<string> {
    writeFileSync(join(folder, 'client.py'), client)
    const child = spawn(PYTHON, ['-W', 'error', '-c', program, ...args], { cwd: folder, env: { PATH: '' } })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    await new Promise(done => child.once('close', done))
    return printed
  }

  /** What mypy prints of the client and of these programs, by the names of their files. */
  function mypy(
    client: string,
    programs: Readonly<Record<string, string>>,
  ): Readonly<Record<string, readonly string[]>> {
    writeFileSync(join(folder, 'client.py'), client)
    const files = ['client.py', ...Object.keys(programs)]
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text)
    const flags = [
      '--strict',
      '--python-version',
      '3.10',
      '--no-error-summary',
      '--hide-error-context',
      '--no-incremental',
    ]
    const { stdout, stderr } = spawnSync(PYTHON, ['-m', 'mypy', ...flags, ...files], { cwd: folder, encoding: 'utf8' })
    expect(stderr).to.equal('')
    const lines = stdout.split('\n').filter(line => line.includes(': error: '))
    return Object.fromEntries(files.map(file => [file, lines.filter(line => line.startsWith(`${file}:`))]))
  }

  const ALL_FORMS = described('all.forms', { columns: FORMS.map(([name, type, more]) => column(name, type, more)) })

  it('has a type for each form of a value', async () => {
    const client = write(ALL_FORMS)
    for (const [name, , , , expected] of FORMS) expect(client).to.include(`\n    "${name}": ${expected},\n`)
    const program = 'from client import AllFormsRow; print(len(AllFormsRow.__annotations__))'
    expect(await run(client, program)).to.equal(`${FORMS.length}\n`)
  })

  it('has a type for each STRUCT, and no two of one name', () => {
    const type = 'STRUCT<a ARRAY<STRUCT<b INT64>>, `a-` STRUCT<b BOOL>, STRING>'
    const client = write(
      described('x.y', { columns: [column('s', type)] }),
      described('x-y', { columns: [column('1', 'STRING')] }),
      described('5xx'),
    )
    expect(client).to.include('XYRow2SA = TypedDict("XYRow2SA", {\n    "b": Optional[Union[int, str]],\n})')
    expect(client).to.include(
      '    "a": List[XYRow2SA],\n    "a-": Optional[XYRow2SA2],\n    "_field_3": Optional[str],\n',
    )
    const names = [...client.matchAll(/^(\w+Row\w*) = TypedDict/gm)].map(match => match[1])
    expect(names).to.deep.equal(['X5xxRow', 'XYRow', 'XYRow2SA', 'XYRow2SA2', 'XYRow2S', 'XYRow2'])
  })

  const NAMES = ['from', 'self', 'self_', 'name', 'endpoint', 'None', 'print', 'call']
  const KEPT = described('kept.names', { parameters: NAMES.map(name => parameter(name, 'string')) })

  const TYPED = [
    described('logs.all', {
      settings: PAGED,
      parameters: [
        parameter('project', 'string', { required: true }),
        parameter('tier', 'string', { required: true, enum: ['FREE', 'PRO'] }),
        parameter('ids', 'array<int64>'),
        parameter('size', 'int64', { enum: ['1', '9007199254740993'] }),
        parameter('ratio', 'float64', { enum: [0.5] }),
        parameter('flag', 'bool', { enum: [true] }),
        parameter('levels', 'array<string>', { enum: ['a', 'b'] }),
        parameter('words', 'array<string>'),
        parameter('price', 'numeric'),
        parameter('filter', 'json'),
      ],
      columns: [column('id', 'STRING', { required: true }), column('count', 'INT64', { json: 'number' })],
    }),
    described('logs.pinned', {
      settings: PAGED,
      parameters: [parameter('project', 'string', { required: true })],
      pinned: { project: 'abc' },
    }),
    KEPT,
    ALL_FORMS,
  ]
  const HEAD =
    'from decimal import Decimal\nfrom client import Sluice, SluiceError\nsluice = Sluice("", lambda: "t", timeout=1)\n'
  const GOOD = [
    'sluice.call("logs.all", project="a", tier="PRO", price=Decimal("0.1"), filter={"from": [1]})',
    'sluice.call("logs.all", project="a", tier="PRO", price="0.1", filter="[1]")',
    'rows = sluice.call("logs.all", project="a", tier="PRO", ids=[1], size=9007199254740993, ratio=0.5, levels=("a",))',
    'words = ["x", "y"]\nsluice.call("logs.all", project="a", tier="PRO", words=words)',
    'sluice.call("logs.all", project="a", tier="PRO", words=("x", "y"))',
    'for row in rows:\n    row["id"].upper()\n    if row["count"] is not None: print(row["count"] + 1)',
    'rows.meta["truncated"] or rows.meta["cache"] == "hit"',
    'pages = sluice.rows("logs.all", project="a", tier="PRO", page_size=9)\nfor row in pages:\n    row["id"].upper()\npages.meta["truncated"]',
    'for row2 in sluice.rows("logs.pinned"):\n    print(row2["id"])',
    'sluice.call("logs.pinned"); sluice.arrow("logs.pinned"); sluice.pandas("logs.all", project="a", tier="PRO")',
    'sluice.call("kept.names", from_="a", self__="b", self_="c", name="d", None_=None, print="e")',
    'try:\n    pass\nexcept SluiceError as error:\n    print(error.code == "ARGUMENT_INVALID", error.status + 1, error.errors[0]["parameter"])',
  ].join('\n')
  const BAD: readonly (readonly [says: string, program: string, message: RegExp])[] = [
    ['an unknown endpoint', 'sluice.call("logs.al", project="a")', /No overload variant/],
    ['a missing argument', 'sluice.call("logs.all", project="a")', /No overload variant/],
    ['a wrong literal', 'sluice.call("logs.all", project="a", tier="GOLD")', /No overload variant/],
    ['a number that is not listed', 'sluice.call("logs.all", project="a", tier="PRO", size=2)', /No overload variant/],
    [
      'a number that may have lost digits',
      'sluice.call("logs.all", project="a", tier="PRO", price=0.1)',
      /No overload variant/,
    ],
    ['an argument of another type', 'sluice.call("logs.all", project=1, tier="PRO")', /No overload variant/],
    ['a text for a list', 'sluice.call("logs.all", project="a", tier="PRO", ids="1")', /No overload variant/],
    [
      'a text for a list of texts',
      'sluice.call("logs.all", project="a", tier="PRO", words="xy")',
      /No overload variant/,
    ],
    [
      'a pinned argument',
      'sluice.call("logs.pinned", project="abc")',
      /Unexpected keyword argument "project"|No overload/,
    ],
    ['a column that is not there', 'sluice.call("logs.pinned")[0]["ids"]', /has no key "ids"/],
    [
      'a value that may be None',
      'sluice.call("logs.all", project="a", tier="PRO")[0]["count"] + 1',
      /Unsupported operand/,
    ],
    ['a walk over an endpoint without pages', 'sluice.rows("all.forms")', /No overload variant/],
    ['a walk without a required argument', 'sluice.rows("logs.all", project="a")', /No overload variant/],
    ['a column that no page has', 'next(sluice.rows("logs.pinned"))["ids"]', /has no key "ids"/],
    ['an unknown code', 'SluiceError("INTERNAL", 1, "", [], None).code == "OOPS"', /Non-overlapping equality/],
    ['an unknown endpoint for a table', 'sluice.arrow("logs.al")', /incompatible type "Literal\['logs.al'\]"/],
  ]

  it('passes mypy --strict with these programs, and with none of those', () => {
    const bad = Object.fromEntries(BAD.map(([, program], i) => [`bad_${i}.py`, `${HEAD}${program}\n`]))
    const found = mypy(write(...TYPED), { 'good.py': `${HEAD}${GOOD}\n`, ...bad })
    expect([found['client.py'], found['good.py']]).to.deep.equal([[], []])
    for (const [i, [says, , message]] of BAD.entries()) {
      expect(found[`bad_${i}.py`], says).to.have.length.of.at.least(1)
      expect(found[`bad_${i}.py`]![0], says).to.match(message)
    }
  })

  it('passes mypy --strict with one endpoint, which has no overloads', () => {
    const program = `${HEAD}sluice.call("logs.all", project="a", tier="PRO")[0]["id"].upper()\n`
    const wrong = `${HEAD}sluice.call("logs.all", project="a", tier="GOLD")\n`
    const noPages = `${HEAD}sluice.rows("kept.names")\n`
    const found = mypy(write(TYPED[0]!), { 'good.py': program, 'wrong.py': wrong })
    expect([found['client.py'], found['good.py']]).to.deep.equal([[], []])
    expect(found['wrong.py']).to.have.length(1)
    expect(mypy(write(KEPT), { 'no_pages.py': noPages })['no_pages.py']?.[0]).to.match(
      /"Sluice" has no attribute "rows"/,
    )
  })

  it('takes hostile texts for texts', async () => {
    const columns = HOSTILE.map(name => column(name, 'STRING', { description: HOSTILE.join('\n'), unit: name }))
    const parameters = HOSTILE.map((text, i) =>
      parameter(`p${i}`, 'string', {
        description: text,
        examples: HOSTILE,
        default: text,
        ...(i % 2 && { enum: [text] }),
      }),
    )
    const hostile = described('a', { description: HOSTILE.join('\n'), columns, parameters })
    const client = write(hostile, described('b'))
    expect(client).not.to.match(/[\u202a-\u202e\u2066-\u2069\0\u2028]/)
    expect(mypy(client, {})['client.py']).to.deep.equal([])
    const program = 'import json, client; print(json.dumps(list(client.ARow.__annotations__)))'
    expect(JSON.parse(await run(client, program))).to.deep.equal(HOSTILE)
    expect(await run(write(hostile), 'import client')).to.equal('')
  })

  it('is a program of Python 3.9', async () => {
    const program =
      'import ast, pathlib; ast.parse(pathlib.Path("client.py").read_text("utf-8"), feature_version=(3, 9))'
    expect(await run(write(...TYPED), program)).to.equal('')
  })

  describe('calls', () => {
    let s: Serving
    let client: string
    before(async () => {
      const parameters = [
        madeParameter('project', { isRequired: true }),
        madeParameter('size', { type: 'int64' }),
        madeParameter('from', { type: 'bool' }),
        madeParameter('tags', { type: 'array<string>' }),
        madeParameter('filter', { type: 'json' }),
      ]
      const endpoint = handMadeEndpoint({ parameters })
      s = await serving({ endpoints: [endpoint] })
      client = write({ ...describeEndpoint(endpoint, { pinned: {} }) })
    })
    after(() => s.close())

    const program = (body: string): string => `
import json, sys, time
from client import Sluice, SluiceError
url, token = sys.argv[1:]
def failure(call):
    try:
        call()
    except SluiceError as error:
        return [error.code, error.status, error.errors, str(error)]
sluice = Sluice(url + "/", lambda: token)
${body}
`
    const called = async (body: string, token = TOKEN, url = s.url): Promise<unknown> => {
      const printed = await run(client, program(body), url, token)
      try {
        return JSON.parse(printed)
      } catch {
        return expect.fail(printed)
      }
    }

    it('gives rows, and facts about them', async () => {
      const [rows, meta, isList] = (await called(
        'rows = sluice.call("tests.echo", project="a b&ä🦥", tags=["x", "y,z"], size=2**60, from_=True)\n' +
          'print(json.dumps([rows, rows.meta, isinstance(rows, list)]))',
      )) as [{ now: unknown }[], { etag: string; request_id: string }, boolean]
      const { now: _, ...row } = rows[0]!
      const echoed = { project: 'a b&ä🦥', size: String(2n ** 60n), from: true, tags: ['x', 'y,z'] }
      expect(row).to.deep.equal({ ...echoed, filter: null })
      const { etag, request_id: requestId, ...facts } = meta
      expect(facts).to.deep.equal({ row_count: 1, truncated: false, age_seconds: 0, cache: 'miss' })
      expect([isList, /^".+"$/.test(etag), requestId.length]).to.deep.equal([true, true, 36])
    })

    it('sends what no address can have in the body', async () => {
      const body =
        'print(json.dumps([len(sluice.call("tests.echo", project="ä" * 9000)[0]["project"]), sluice.call("tests.echo", project="l", tags=["a,b"])[0]["tags"]]))'
      expect(await called(body)).to.deep.equal([9000, ['a,b']])
    })

    it('sends an object as JSON, and an empty text of a list', async () => {
      const body =
        'rows = sluice.call("tests.echo", project="o", filter={"from": 1, "of": None})\nlists = sluice.call("tests.echo", project="o", filter={}, tags=["a", ""])\n' +
        'print(json.dumps([rows[0]["filter"], lists[0]["filter"], lists[0]["tags"]]))'
      expect(await called(body)).to.deep.equal(['{"from":1,"of":null}', '{}', ['a', '']])
    })

    it('raises problems', async () => {
      expect(
        await called('print(json.dumps(failure(lambda: sluice.call("tests.echo", project=None, size="x"))))'),
      ).to.deep.equal([
        'ARGUMENT_INVALID',
        400,
        [
          { parameter: 'project', detail: 'is required' },
          { parameter: 'size', detail: 'must be an integer' },
        ],
        'ARGUMENT_INVALID: These arguments are not valid: project, size.; project is required; size must be an integer',
      ])
      const body =
        'print(json.dumps([failure(lambda: sluice.call("tests.other"))[:2], failure(lambda: Sluice(url, "x").call("tests.echo", project="a"))[:2]]))'
      expect(await called(body)).to.deep.equal([
        ['ENDPOINT_UNKNOWN', 404],
        ['TOKEN_UNKNOWN', 401],
      ])
    })

    it('refuses an argument that the endpoint does not have', async () => {
      const body =
        'try:\n    sluice.arrow("tests.echo", projct="a")\nexcept TypeError as error:\n    print(json.dumps(str(error)))'
      expect(await called(body)).to.equal("tests.echo has no argument 'projct'")
    })

    it('waits as long as a 429 says, but no longer than its timeout', async () => {
      const token = await s.token({ allow: ['*'], rate: '1/s' })
      const body =
        'call = lambda client: client.call("tests.echo", project="rate")\ncall(sluice); began = time.monotonic(); call(sluice)\n' +
        'waited = time.monotonic() - began\nprint(json.dumps([waited, failure(lambda: call(Sluice(url, token, timeout=0.5)))[0]]))'
      const [waited, code] = (await called(body, token)) as [number, string]
      expect(waited).to.be.greaterThan(0.9)
      expect(code).to.equal('RATE_LIMITED')
    })

    it('gives tables with types', async () => {
      const body =
        'table = sluice.arrow("tests.echo", project="a", tags=["x"])\nframe = sluice.pandas("tests.echo", project="a")\n' +
        'print(json.dumps([str(table.schema.field("tags").type), table.to_pylist()[0]["tags"], list(frame["project"]), str(frame.dtypes["now"])]))'
      expect(await called(body)).to.deep.equal(['list<item: string>', ['x'], ['a'], 'string[pyarrow]'])
    })

    describe('of something else than Sluice', () => {
      type Answer = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>]
      let answers: Answer[] = []
      let tokens: (string | string[] | undefined)[] = []
      let server: Server
      let url: string
      before(async () => {
        server = createServer(({ headers }: { headers: IncomingHttpHeaders }, res) => {
          tokens.push(headers['x-api-key'])
          const [status, body, head = {}] = answers.length > 1 ? answers.shift()! : answers[0]!
          res.writeHead(status, head).end(body)
        }).listen(0, '127.0.0.1')
        await new Promise(done => server.once('listening', done))
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      })
      beforeEach(() => {
        tokens = []
      })
      after(() => {
        server.close()
        server.closeAllConnections()
      })
      const expired: Answer = [401, '{"code":"TOKEN_EXPIRED"}']

      it('asks for another token once where the token has expired', async () => {
        answers = [expired, [200, '{"result":[]}']]
        const twice =
          'given = iter(["one", "two", "three"])\nprint(json.dumps(Sluice(url, lambda: next(given)).call("tests.echo")))'
        expect(await called(twice, 'x', url)).to.deep.equal([])
        answers = [expired]
        const body =
          'print(json.dumps([failure(lambda: sluice.call("tests.echo"))[0], failure(lambda: Sluice(url, "three").call("tests.echo"))[0]]))'
        expect(await called(body, 'old', url)).to.deep.equal(['TOKEN_EXPIRED', 'TOKEN_EXPIRED'])
        expect(tokens).to.deep.equal(['one', 'two', 'old', 'old', 'three'])
      })

      const STRANGE: readonly (readonly [says: string, answers: readonly Answer[], status: number, asked: number])[] = [
        ['a page of a proxy', [[502, '<h1>Bad Gateway</h1>']], 502, 1],
        ['a page instead of a result', [[200, '<h1>Log in</h1>']], 200, 1],
        ['a redirect', [[302, '', { Location: '/elsewhere' }]], 302, 1],
        ['null', [[500, 'null']], 500, 1],
        ['a Retry-After that says nothing', [[503, '', { 'Retry-After': 'soon' }]], 503, 1],
        ['a third 503', [[503, '', { 'Retry-After': '0' }]], 503, 3],
        ['a 503 until an hour from now', [[503, '', { 'Retry-After': '3600' }]], 503, 1],
        ['a 503 until a date that is over', [[503, '', { 'Retry-After': 'Fri, 01 Jan 2021 00:00:00 GMT' }]], 503, 3],
      ]
      for (const [says, given, status, asked] of STRANGE) {
        it(`raises ${says} as UNKNOWN`, async () => {
          answers = [...given]
          const found = await called('print(json.dumps(failure(lambda: sluice.call("tests.echo"))[:3]))', 'x', url)
          expect([found, tokens.length]).to.deep.equal([['UNKNOWN', status, []], asked])
        })
      }

      it('reads where a result came from', async () => {
        const states = [
          ...['sluice; hit; ttl=5', 'sluice; fwd=miss; stored', 'sluice; fwd=miss; collapsed', 'sluice; fwd=stale'],
          ...['sluice; fwd=bypass', 'sluice; hit, proxy; fwd=miss', 'proxy; hit'],
        ]
        answers = states.map(state => [
          200,
          '{"result":[]}',
          { 'Cache-Status': state, Age: '7', 'X-Truncated': 'true' },
        ])
        const body = `print(json.dumps([list(sluice.call("tests.echo").meta.values())[1:5] for _ in range(${states.length})]))`
        const found = (await called(body, 'x', url)) as [boolean, null, number, string | null][]
        expect(found.map(meta => meta[3])).to.deep.equal(['hit', 'miss', 'collapsed', 'stale', 'bypass', 'hit', null])
        expect(found[0]).to.deep.equal([true, null, 7, 'hit'])
      })
    })
  })
})
