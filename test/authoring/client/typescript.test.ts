/** The client in TypeScript: its types as the strictest compiler reads them, and programs that it must refuse. */

import { expect } from 'chai'
import fc from 'fast-check'
import ts from 'typescript'
import type { ClientEndpoint } from '../../../authoring/client/contract.js'
import { typescriptClient } from '../../../authoring/client/typescript.js'
import { anyText } from '../../any-text.js'
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

const RUNTIME = runtimeOf('ts')
const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  types: [],
  declaration: true,
  isolatedDeclarations: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
}
/** The libraries are parsed once for all programs. */
const libraries = new Map<string, ts.SourceFile | undefined>()

function compile(files: Readonly<Record<string, string>>, options: ts.CompilerOptions = OPTIONS): ts.Program {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (name, ...rest) => {
    const text = files[name]
    if (text !== undefined) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true)
    const key = `${name} ${options.target}`
    if (!libraries.has(key)) libraries.set(key, read(name, ...rest))
    return libraries.get(key)
  }
  const { fileExists } = host
  host.fileExists = name => name in files || fileExists(name)
  return ts.createProgram(Object.keys(files), options, host)
}

/** `3: message` for each mistake of a file. */
function mistakesOf(program: ts.Program, name: string): readonly string[] {
  const file = program.getSourceFile(name)!
  return ts.getPreEmitDiagnostics(program, file).map(({ start, messageText }) => {
    const line = file.getLineAndCharacterOfPosition(start ?? 0).line + 1
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

/** The members of a row, or of arguments, with their types as the compiler has them. */
function membersOf(endpoint: ClientEndpoint, part: 'args' | 'row'): Readonly<Record<string, string>> {
  const text = typescriptClient([endpoint], RUNTIME)
  const program = compile({ '/client.ts': text })
  expect(mistakesOf(program, '/client.ts')).to.deep.equal([])
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile('/client.ts')!)!
  const named = checker.getExportsOfModule(module).find(({ name }) => name === 'Endpoints')!
  const memberOf = (type: ts.Type, name: string): ts.Type => checker.getTypeOfSymbol(type.getProperty(name)!)
  const of = memberOf(memberOf(checker.getDeclaredTypeOfSymbol(named), endpoint.name), part)
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType
  const found = of.getProperties().map(property => {
    const type = checker.typeToString(checker.getTypeOfSymbol(property), undefined, flags)
    // The compiler calls a member `__proto__` by this name.
    return [property.name.replace(/^___/, '__'), type] as const
  })
  return Object.fromEntries(found)
}

/** Unions in one order, since the compiler has one of its own. */
const sorted = (type: string): string => type.split(' | ').sort().join(' | ')

describe('a client in TypeScript', function () {
  this.timeout(120_000)

  it('has a type for each form of a value', () => {
    const columns = FORMS.map(([name, type, more]) => column(name, type, more))
    const row = membersOf(endpointsOf(described('all.forms', { columns }))[0]!, 'row')
    for (const [name, , , expected] of FORMS) {
      // `Json` is the client's name for it.
      const found = row[name]!.replaceAll('Json', 'unknown')
      const isList = expected.endsWith('[]')
      expect(isList ? found.replace('string | number', 'number | string') : sorted(found), name).to.equal(
        isList ? expected : sorted(expected),
      )
    }
  })

  it('has numbers for a TIMESTAMP with unix_micros, at any depth', () => {
    const columns = [column('at', 'TIMESTAMP'), column('all', 'ARRAY<STRUCT<at TIMESTAMP>>')]
    const endpoint = described('a', { columns, settings: { timestamps: 'unix_micros' } })
    const row = membersOf(endpointsOf(endpoint)[0]!, 'row')
    expect(row).to.deep.equal({ at: 'number | null', all: '{ at: number | null; }[]' })
  })

  it('has complete objects for a STRUCT, with the names of fields as JSON has them', () => {
    const type = 'STRUCT<a ARRAY<STRUCT<b INT64, `c d` STRUCT<e BOOL>>>, STRING, A STRING, STRING>'
    const row = membersOf(endpointsOf(described('a', { columns: [column('s', type)] }))[0]!, 'row')
    const inner = "{ b: string | number | null; 'c d': { e: boolean | null; } | null; }[]"
    expect(row['s']?.replaceAll('"', "'")).to.equal(
      `{ a: ${inner}; _field_2: string | null; A_2: string | null; _field_4: string | null; } | null`,
    )
  })

  it('has the fields of a STRUCT as narrow as the server says', () => {
    const fields = [
      { required: true, json: 'number' },
      { required: true, fields: [{ required: true }] },
    ]
    const columns = [column('s', 'ARRAY<STRUCT<n INT64, o STRUCT<p STRING>>>', { fields })]
    const row = membersOf(endpointsOf(described('a', { columns }))[0]!, 'row')
    expect(row['s']).to.equal('{ n: number; o: { p: string; }; }[]')
  })

  it('has the types of arguments', () => {
    const parameters = [
      parameter('text', 'string', { required: true }),
      parameter('int', 'int64'),
      parameter('float', 'float64'),
      parameter('price', 'numeric'),
      parameter('filter', 'json'),
      parameter('flag', 'bool'),
      parameter('day', 'date'),
      parameter('list', 'array<int64>'),
      parameter('level', 'string', { enum: ['low', "hi'gh"] }),
      parameter('size', 'int64', { enum: ['1', '-2', '9007199254740993'] }),
      parameter('ratio', 'float64', { enum: [0.5, 1e21] }),
      parameter('yes', 'bool', { enum: [true] }),
      parameter('levels', 'array<string>', { enum: ['a', '{ | '], required: true }),
      parameter('with_default', 'string', { required: true, default: 'x' }),
    ]
    expect(membersOf(endpointsOf(described('a', { parameters }))[0]!, 'args')).to.deep.equal({
      text: 'string',
      int: 'number | bigint | undefined',
      float: 'number | undefined',
      price: 'string | undefined',
      filter: 'string | { readonly [member: string]: unknown; } | undefined',
      flag: 'boolean | undefined',
      day: 'string | undefined',
      list: 'readonly (number | bigint)[] | undefined',
      level: `'low' | 'hi\\'gh' | undefined`,
      size: `1 | -2 | '9007199254740993' | undefined`,
      ratio: '0.5 | 1e+21 | undefined',
      yes: 'true | undefined',
      levels: "readonly ('a' | '{ | ')[]",
      with_default: 'string | undefined',
    })
  })

  it('shows descriptions, defaults and bounds as comments', () => {
    const parameters = [
      parameter('top', 'int64', { description: 'How many.', default: '3', minimum: '1', maximum: '9' }),
    ]
    const columns = [column('ms', 'FLOAT64', { description: 'How long.', unit: 'ms' }), column('n', 'INT64')]
    const text = typescriptClient(endpointsOf(described('a', { parameters, columns })), '')
    expect(text).to.include('/** What a gives. (at most 1000 rows) */\n  a: {'.replace('a: {', "'a': {"))
    expect(text).to.include('/** How many. (int64, default 3, at least 1, at most 9) */\n      top?:')
    expect(text).to.include('/** How long. (FLOAT64, ms) */\n      ms:')
    expect(text).to.include('/** INT64 */\n      n:')
  })

  it('begins with the revision, which changes with the contract and with nothing else', () => {
    const revision = (...endpoints: readonly Described[]): string =>
      /^\/\/ Written by `sluice client`, revision ([0-9a-f]{12})\. /.exec(
        typescriptClient(endpointsOf(...endpoints), ''),
      )![1]!
    const [a, b] = [described('a'), described('b')]
    expect(revision(a, b)).to.equal(
      revision(b, { ...a, id: 'x', settings: { ...(a['settings'] as object), labels: {} } }),
    )
    expect(revision(a, b)).not.to.equal(revision(a))
    expect(revision(a)).not.to.equal(revision({ ...a, columns: [column('id', 'INT64')] }))
    const kept = { ...PAGED, pages: { ...PAGED.pages, keep_seconds: 1 } }
    expect(revision({ ...a, settings: kept }))
      .to.equal(revision({ ...a, settings: PAGED }))
      .and.not.to.equal(revision(a))
  })

  it('does not depend on the values of pins', () => {
    const one = (pinned: object) =>
      typescriptClient(endpointsOf(described('a', { parameters: [parameter('project', 'string')], pinned })), '')
    expect(one({ project: 'x' }))
      .to.equal(one({ project: 'y' }))
      .and.not.to.include('project')
  })

  it('takes hostile texts for texts', () => {
    const names = HOSTILE.filter(text => !text.includes('\ud800'))
    const columns = names.map(name =>
      column(name, 'STRING', { required: true, description: HOSTILE.join('\n'), unit: name }),
    )
    const parameters = HOSTILE.map((text, i) =>
      parameter(`p${i}`, 'string', {
        description: text,
        examples: HOSTILE,
        default: text,
        ...(i % 2 && { enum: [text] }),
      }),
    )
    const endpoint = endpointsOf(described('a', { description: HOSTILE.join('\n'), columns, parameters }))[0]!
    expect(Object.keys(membersOf(endpoint, 'row')).sort()).to.deep.equal([...names].sort())
    const text = typescriptClient([endpoint], '')
    expect(text).not.to.match(/[\u202a-\u202e\u2066-\u2069\0\u2028]/)
    // A line of a comment that is an instruction to the compiler.
    expect(text).not.to.match(/^\s*(?:\/\*\*?|\*|\/\/)?\s*@/m)
  })

  it('has the names that were given, and no statements of theirs, whatever the texts are', () => {
    const text = anyText({ maxLength: 30 })
    const hostile = fc.oneof(
      text,
      fc.constantFrom(...HOSTILE),
      fc.array(fc.constantFrom('*/', '\\', "'", '"', '\n', '@'), { maxLength: 5 }).map(all => all.join('')),
    )
    const statements = (of: string): readonly string[] => {
      const file = ts.createSourceFile('/a.ts', of, ts.ScriptTarget.ES2022, true)
      const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] }
      expect(parseDiagnostics.map(one => one.messageText)).to.deep.equal([])
      return file.statements.map(one => ts.SyntaxKind[one.kind])
    }
    const plain = statements(typescriptClient(endpointsOf(described('a')), RUNTIME))
    fc.assert(
      fc.property(fc.uniqueArray(hostile, { minLength: 1, maxLength: 6 }), hostile, (names, description) => {
        const columns = names.map(name => column(name, 'STRING', { description }))
        const endpoints = endpointsOf(described('a', { description, columns }))
        const written = typescriptClient(endpoints, RUNTIME)
        expect(statements(written)).to.deep.equal(plain)
        const file = ts.createSourceFile('/a.ts', written, ts.ScriptTarget.ES2022, true)
        const found: string[] = []
        const visit = (node: ts.Node, isRow: boolean): void => {
          if (isRow && ts.isPropertySignature(node)) found.push((node.name as ts.StringLiteral).text)
          ts.forEachChild(node, one =>
            visit(one, isRow || (ts.isPropertySignature(node) && node.name.getText() === 'row')),
          )
        }
        visit(file.statements[0]!, false)
        expect(found).to.deep.equal(names)
      }),
    )
  })

  const endpoints = endpointsOf(
    described('logs.all', {
      settings: PAGED,
      parameters: [
        parameter('project', 'string', { required: true }),
        parameter('tier', 'string', { required: true, enum: ['FREE', 'PRO'] }),
        parameter('ids', 'array<int64>'),
      ],
      columns: [column('id', 'STRING', { required: true }), column('count', 'INT64', { json: 'number' })],
    }),
    described('logs.pinned', {
      settings: PAGED,
      parameters: [parameter('project', 'string', { required: true }), parameter('top', 'int64')],
      pinned: { project: 'abc' },
    }),
    described('no-arguments', { parameters: [parameter('project', 'string')], pinned: { project: 'abc' } }),
  )
  const HEAD = [
    "import { type Args, createSluice, type Row, type Sluice, SluiceError } from './client.js'",
    "export const sluice: Sluice = createSluice({ url: '', token: () => Promise.resolve('x') })",
    'export declare const error: SluiceError | Args<"logs.all"> | Row<"logs.all">',
    '',
  ].join('\n')

  const GOOD: readonly (readonly [says: string, program: string])[] = [
    [
      'a call with arguments and a signal',
      "const { rows, meta } = await sluice.call('logs.all', { project: 'a', tier: 'PRO', ids: [1, 2n] }, { signal: AbortSignal.timeout(1) }); for (const { id, count } of rows) { const n: number | null = count; id.length; void n; meta.ageSeconds.toFixed() }",
    ],
    [
      'an etag, after which there may be no rows',
      "const { rows } = await sluice.call('logs.pinned', {}, { etag: '\"x\"' }); if (rows !== null) rows.length",
    ],
    [
      'an etag that may be absent',
      "let etag: string | null = null; const { rows, meta } = await sluice.call('logs.pinned', {}, { etag }); etag = meta.etag; rows?.length",
    ],
    [
      'the arguments of all of several endpoints',
      "declare const name: 'logs.all' | 'logs.pinned'; await sluice.call(name, { project: 'a' as never, tier: 'PRO' })",
    ],
    ['no arguments where none is required', "await sluice.call('logs.pinned'); await sluice.call('no-arguments', {})"],
    ['undefined for an optional argument', "await sluice.call('logs.pinned', { top: undefined })"],
    ['a list that is read only', "await sluice.call('logs.all', { project: 'a', tier: 'FREE', ids: [1] as const })"],
    [
      'the codes and the arguments of an error',
      "try { await sluice.call('no-arguments') } catch (thrown) { if (thrown instanceof SluiceError && thrown.code === 'ARGUMENT_INVALID') thrown.errors[0]?.parameter.length }",
    ],
    [
      'a walk over pages, with a size and a signal',
      "const rows = sluice.rows('logs.all', { project: 'a', tier: 'PRO' }, { pageSize: 9, signal: AbortSignal.timeout(1) }); for await (const { id, count } of rows) { const n: number | null = count; id.length; void n }; rows.meta?.truncated",
    ],
    ['a walk without arguments', "for await (const { id } of sluice.rows('logs.pinned')) void id"],
    [
      'a function over any endpoint',
      "async function first<N extends 'logs.all' | 'logs.pinned'>(name: N, args: Args<N>): Promise<void> { void name; void args } await first('logs.all', { project: 'a', tier: 'PRO' })",
    ],
  ]
  const BAD: readonly (readonly [says: string, program: string, message: RegExp])[] = [
    ['an unknown endpoint', "await sluice.call('logs.al', { project: 'a', tier: 'PRO' })", /"logs.al"/],
    ['a missing argument', "await sluice.call('logs.all', { project: 'a' })", /'tier' is missing/],
    [
      'too few arguments for one of several endpoints',
      "declare const name: 'logs.all' | 'logs.pinned'; await sluice.call(name, {})",
      /missing|not assignable/,
    ],
    ['no arguments where some are required', "await sluice.call('logs.all')", /Expected 2-3 arguments/],
    ['a wrong literal', "await sluice.call('logs.all', { project: 'a', tier: 'GOLD' })", /"GOLD"/],
    ['an argument of another type', "await sluice.call('logs.all', { project: 1, tier: 'PRO' })", /'number'/],
    ['a text for a list', "await sluice.call('logs.all', { project: 'a', tier: 'PRO', ids: '1,2' })", /'string'/],
    ['null for an argument', "await sluice.call('logs.pinned', { top: null })", /'null'/],
    ['an unknown argument', "await sluice.call('logs.all', { project: 'a', tier: 'PRO', projct: 'a' })", /'projct'/],
    ['a pinned argument', "await sluice.call('logs.pinned', { project: 'abc' })", /'project'/],
    ['a pinned argument where it was the only one', "await sluice.call('no-arguments', { project: 'abc' })", /'never'/],
    ['a column that is not there', "const { rows } = await sluice.call('logs.pinned'); rows[0]!.ids", /'ids'/],
    [
      'a value that may be null',
      "const { rows } = await sluice.call('logs.all', { project: 'a', tier: 'PRO' }); rows[0]!.count.toFixed()",
      /possibly 'null'/,
    ],
    [
      'rows of a call with an etag',
      "const { rows } = await sluice.call('logs.pinned', {}, { etag: 'x' }); rows.length",
      /possibly 'null'/,
    ],
    ['a walk over an endpoint without pages', "sluice.rows('no-arguments', {})", /"no-arguments"/],
    ['a walk without a required argument', "sluice.rows('logs.all', { project: 'a' })", /'tier' is missing/],
    ['a walk without all arguments', "sluice.rows('logs.all')", /Expected 2-3 arguments/],
    ['an etag of a walk', "sluice.rows('logs.pinned', {}, { etag: 'x' })", /'etag'/],
    ['a column that no page has', "for await (const row of sluice.rows('logs.pinned')) row.ids", /'ids'/],
    ['an unknown option', "await sluice.call('logs.pinned', {}, { sginal: null })", /'sginal'/],
    ['an unknown code', "if (error instanceof SluiceError && error.code === 'OOPS') void 0", /no overlap/],
    ['a client without a token', "createSluice({ url: '' })", /'token' is missing/],
  ]

  it('compiles these programs, and none of those', () => {
    const files = Object.fromEntries(
      [...GOOD, ...BAD].map(([, program], i) => [`/program-${i}.ts`, `${HEAD}${program.replaceAll('; ', '\n')}\n`]),
    )
    const program = compile({ '/client.ts': typescriptClient(endpoints, RUNTIME), ...files })
    expect(mistakesOf(program, '/client.ts')).to.deep.equal([])
    for (const [i, [says]] of GOOD.entries()) expect(mistakesOf(program, `/program-${i}.ts`), says).to.deep.equal([])
    for (const [i, [says, , message]] of BAD.entries()) {
      const found = mistakesOf(program, `/program-${GOOD.length + i}.ts`)
      expect(found, says).to.have.length(1)
      expect(found[0], says).to.match(message)
    }
  })

  it('compiles with the types of Node in place of a browser’s, and for old runtimes', () => {
    const options = {
      ...OPTIONS,
      lib: ['lib.es2018.d.ts'],
      target: ts.ScriptTarget.ES2018,
      types: ['node'],
      skipLibCheck: true,
    }
    const program = compile({ '/client.ts': typescriptClient(endpoints, RUNTIME) }, options)
    expect(mistakesOf(program, '/client.ts')).to.deep.equal([])
  })
})
