/** The language and its backend on DuckDB: top-level folders that do not depend on the service. */
const LANGUAGE = 'googlesql'
const ON_DUCKDB = 'googlesql-duckdb'

/**
 * The houses, from the binary down: each may import those after it. `authoring/` is what only an author runs, `runner/` is what
 * a server loads.
 */
const HOUSES = ['cli', 'authoring', 'runner', ON_DUCKDB, LANGUAGE]

/** The imports allowed inside runner/: a folder may import only itself and the folders listed for it; serve/ may import all. */
const MAY_IMPORT = {
  model: [LANGUAGE],
  template: ['model'],
  result: ['model', LANGUAGE],
  formats: ['model', 'platform', 'result', LANGUAGE],
  platform: ['model'],
  observe: ['model'],
  settings: ['model', 'observe', 'platform', LANGUAGE],
  cache: ['model'],
  'cache/stores': ['model', 'platform', LANGUAGE],
  auth: ['model', 'platform'],
  engines: ['model', 'platform', 'result', 'formats', LANGUAGE, ON_DUCKDB],
  openapi: ['model', 'formats', 'http/headers.ts', LANGUAGE],
  manifest: ['model', 'template', LANGUAGE],
  refresh: ['model', 'formats', 'result', LANGUAGE],
  request: ['model', 'formats', 'template', 'cache', 'refresh', 'result/body.ts', LANGUAGE],
  mcp: ['model', 'formats', 'manifest', 'request', 'openapi', 'platform', LANGUAGE],
  http: ['model', 'request', 'manifest', 'observe', 'formats', 'openapi', 'mcp'],
}

/** The imports allowed inside googlesql/; each of its folders may also import the files directly in googlesql/. */
const MAY_IMPORT_IN_LANGUAGE = {
  lex: [],
  advice: ['lex'],
  ast: [],
  values: [],
  types: ['plan', 'values'],
  plan: ['types'],
  parse: ['lex', 'ast'],
  functions: ['plan', 'types', 'values'],
  tenants: ['functions', 'plan', 'types'],
  refresh: ['functions', 'lex', 'plan', 'types', 'values'],
  resolve: ['ast', 'functions', 'parse', 'plan', 'types', 'values'],
}

/**
 * The public files of the two; the rest of the program imports no others. googlesql/data.ts and
 * googlesql-duckdb/names-and-types.ts are for the process that runs what another has translated; runtime/index.ts loads DuckDB, and so does keep-byte-order-mark.ts, for imports alone.
 */
const PUBLIC_FILE = `^(${LANGUAGE}/(index|data)|${ON_DUCKDB}/(index|names-and-types|runtime/(index|keep-byte-order-mark)))\\.ts$`

/** Each third-party package has one home (two for DuckDB's driver); swapping it touches one folder. */
const HOME_OF = {
  express: 'runner/http',
  yaml: '(runner/manifest|authoring)',
  ajv: '(runner/(manifest|cache/stores)|authoring/check)',
  'jsonc-parser': 'runner/manifest',
  handlebars: 'runner/template',
  '@duckdb/node-api': `(runner/engines/duckdb|authoring/data|${ON_DUCKDB}/runtime)`,
  tldts: `${ON_DUCKDB}/runtime`,
  re2js: `(runner/model|${ON_DUCKDB}/(functions/regexp|runtime/scalar-functions))`,
  fzstd: 'runner/engines/duckdb',
  '@google-cloud/bigquery': '(runner/engines/bigquery|authoring/(data|test))',
  'google-auth-library': 'runner/engines/bigquery',
  'node-cache': 'runner/cache',
  'lru-cache': 'runner/cache/stores',
  redis: 'runner/cache/stores',
  pino: 'runner/observe',
  'prom-client': 'runner/observe',
  commander: '(cli|authoring)',
  diff: 'authoring',
  'vscode-languageserver': 'authoring/editor',
  'vscode-languageserver-textdocument': 'authoring/editor',
  'apache-arrow': '(runner/formats|runner/engines/duckdb)',
  flatbuffers: 'runner/engines/duckdb',
  fflate: 'runner/formats',
  'hyparquet-writer': 'runner/formats',
  '@modelcontextprotocol/server': '(runner/mcp|authoring/agent)',
  uplot: 'explorer/chart',
  '@tanstack/virtual-core': 'explorer/table',
}

/** Folders that must stay free of I/O, so that the same input always gives the same output. */
const PURE = `^(runner/(model|template|cache(?!/stores)|refresh|request|result|formats(?!/(?:derive|export-))|openapi)|authoring/connect(?!/command)|${LANGUAGE}|${ON_DUCKDB}(?!/runtime))/`

const ENGINE_INDEX = '^runner/engines/[^/]+/index\\.ts$'
/** What import and infer share with the embedded engine. */
const FILES_OF_TABLES =
  '^runner/engines/duckdb/(tables/(convert|data-folder|decompress|file-column|file-fault|file-types|folder-keys|imports-file|parquet-source|stored-types|rows/[^/]+)|values/result-chunks)\\.ts$'

/** The adapters; only one place opens them. */
const ADAPTERS = 'engines|cache/stores|auth'

/** The files that are loaded when a caller or a command needs them; other files import them by `import()` alone. */
const ON_REQUEST =
  '^runner/(openapi/|mcp/(?!agent-thread)|http/(openapi-documents|problem-page|explorer/explorer-files)\\.ts$)'

/** The flags of the commands, which every start of the program loads. */
const COMMANDS = '^authoring/.+/command\\.ts$'

/** All source files of the program. */
const SOURCES = `^(${HOUSES.join('|')})/`

/** The entry points: the files at which a process, or a program that imports the package, begins. */
const ENTRIES =
  '^(cli/(main|watchdog-thread)|runner/(index|formats/(derive|export)-worker|mcp/agent-worker|engines/bigquery/decode/long-rows-worker|engines/duckdb/child/child-main)' +
  `|${LANGUAGE}/index|${ON_DUCKDB}/(index|runtime/javascript/sandbox-thread)|tools/[^/]+)\\.ts$`

const isLanguage = name => name === LANGUAGE || name === ON_DUCKDB

const layer = ([from, targets]) => ({
  name: `layer-${from}`,
  severity: 'error',
  comment: `${from}/ may import only: ${['itself', ...targets].join(', ')}`,
  from: { path: `^runner/${from}/`, pathNot: from === 'cache' ? '^runner/cache/stores/' : [] },
  to: {
    path: SOURCES,
    pathNot: [from, ...targets].flatMap(name => {
      if (isLanguage(name)) return [`^${name}/`]
      if (name.endsWith('.ts')) return [`^runner/${name}$`]
      return name === 'cache' ? ['^runner/cache/(?!stores/)'] : [`^runner/${name}/`]
    }),
  },
})

const layerOfLanguage = ([from, targets]) => ({
  name: `layer-${LANGUAGE}-${from}`,
  severity: 'error',
  comment: `${LANGUAGE}/${from}/ may import only: ${['itself', ...targets].join(', ')}`,
  from: { path: `^${LANGUAGE}/${from}/` },
  to: { path: `^${LANGUAGE}/[^/]+/`, pathNot: `^${LANGUAGE}/(${[from, ...targets].join('|')})/` },
})

const house = (from, place) => ({
  name: `house-${from}`,
  severity: 'error',
  comment: `${HOUSES.join(' → ')}: no house imports one before it`,
  from: { path: `^${from}/` },
  to: { path: `^(${HOUSES.slice(0, place).join('|')})/` },
})

const home = ([name, folder]) => ({
  name: `home-${name}`,
  severity: 'error',
  comment: `only ${folder}/ may import ${name}`,
  from: { path: `^explorer/|${SOURCES}`, pathNot: `^${folder}/` },
  to: { path: `(^|node_modules/)${name}(/|$)` },
})

module.exports = {
  forbidden: [
    ...HOUSES.map(house).slice(1),
    ...Object.entries(MAY_IMPORT).map(layer),
    ...Object.entries(MAY_IMPORT_IN_LANGUAGE).map(layerOfLanguage),
    ...Object.entries(HOME_OF).map(home),
    {
      name: 'googlesql-stands-alone',
      severity: 'error',
      comment: 'googlesql/ imports nothing outside itself',
      from: { path: `^${LANGUAGE}/` },
      to: { path: SOURCES, pathNot: `^${LANGUAGE}/` },
    },
    {
      name: 'googlesql-duckdb-knows-googlesql-alone',
      severity: 'error',
      comment:
        'googlesql-duckdb/ reads plans, types, values and the catalogue; all else of googlesql/ through its index. Its own index also passes on the types of syntax trees, which stored functions hold',
      from: { path: `^${ON_DUCKDB}/`, pathNot: `^${ON_DUCKDB}/index\\.ts$` },
      to: { path: SOURCES, pathNot: [`^${ON_DUCKDB}/`, `^${LANGUAGE}/(plan|types|values|functions)/`, PUBLIC_FILE] },
    },
    {
      name: 'only-public-files',
      severity: 'error',
      comment: 'the other houses use what the index files of the language offer',
      from: { path: '^(cli|authoring|runner)/' },
      to: { path: `^(${LANGUAGE}|${ON_DUCKDB})/`, pathNot: PUBLIC_FILE },
    },
    {
      name: 'no-driver-in-the-parent',
      severity: 'error',
      comment: 'the parent process translates and never loads DuckDB; its child does',
      from: { path: `^(cli/main|${ON_DUCKDB}/(index|names-and-types))\\.ts$` },
      to: { path: `^${ON_DUCKDB}/runtime/(index|prepare-session|register)\\.ts$`, reachable: true },
    },
    {
      name: 'no-driver-before-an-import',
      severity: 'error',
      comment: 'DuckDB takes 38 MB: the parent process loads it for `sluice import` alone, as that begins',
      from: { path: '^(cli|authoring|runner)/' },
      to: { path: `^${ON_DUCKDB}/runtime/keep-byte-order-mark\\.ts$`, dynamic: false },
    },
    {
      name: 'no-feature-before-its-command',
      severity: 'error',
      comment: 'what a command does is loaded as it begins: a server loads no language server and no writer of clients',
      from: { path: `^(cli/|authoring/terminal/|${COMMANDS})` },
      to: {
        path: `^authoring/(?!(terminal|token)/)`,
        pathNot: COMMANDS,
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'snippets-run-in-a-browser',
      severity: 'error',
      comment: 'the page bundles authoring/connect/, so it reaches no module of Node',
      from: { path: '^authoring/connect/(?!command/)' },
      to: { path: `^(node:)?(${require('node:module').builtinModules.join('|')})$`, reachable: true },
    },
    {
      name: 'openapi-on-request',
      severity: 'error',
      comment:
        'a server loads what makes OpenAPI documents, serves agents or reads the explorer when it is asked for, not as it starts',
      from: { path: '^(cli|runner)/', pathNot: ON_REQUEST },
      to: { path: ON_REQUEST, dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-translator-in-the-child',
      severity: 'error',
      comment: 'the process that runs DuckDB gets translated SQL, so it loads no parser: see googlesql/data.ts',
      from: { path: '^runner/engines/duckdb/child/child-main\\.ts$' },
      to: { path: `^(${LANGUAGE}|${ON_DUCKDB})/index\\.ts$`, reachable: true },
    },
    { name: 'no-cycles', severity: 'error', comment: 'type-only cycles count too', from: {}, to: { circular: true } },
    {
      name: 'pure-core',
      severity: 'error',
      comment: 'I/O belongs to the edges; hashing and URL parsing are pure',
      from: { path: PURE },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|url|util|buffer)$' },
    },
    {
      name: 'engines-are-strangers',
      severity: 'error',
      comment: 'one engine never imports another',
      from: { path: '^runner/engines/([^/]+)/' },
      to: { path: '^runner/engines/([^/]+)/', pathNot: '^runner/engines/$1/' },
    },
    {
      name: 'adapters-only-from-serve',
      severity: 'error',
      comment: 'engines/, cache/stores/ and auth/ are built in one place',
      from: { path: '^runner/', pathNot: ['^runner/serve/', `^runner/(${ADAPTERS})/`] },
      to: { path: `^runner/(${ADAPTERS})/` },
    },
    {
      name: 'engines-by-their-index',
      severity: 'error',
      comment: 'the rest of the program uses the index file of an engine',
      from: { path: '^(cli|authoring|runner)/', pathNot: '^(runner/engines|authoring/data|authoring/test/files)/' },
      to: { path: '^runner/engines/[^/]+/', pathNot: ENGINE_INDEX },
    },
    {
      name: 'engines-by-their-index-or-files-of-tables',
      severity: 'error',
      comment:
        'authoring/data/ also reads and writes the files of tables, and tests have rows as those files have them',
      from: { path: '^authoring/(data|test/files)/' },
      to: { path: '^runner/engines/[^/]+/', pathNot: [ENGINE_INDEX, FILES_OF_TABLES] },
    },
    {
      name: 'explorer-stands-alone',
      severity: 'error',
      comment:
        'the page runs in browsers: it shares with the program the types of endpoints, diagnostics and formats, and the snippets for other tools',
      from: { path: '^explorer/' },
      to: {
        path: SOURCES,
        pathNot: '^(authoring/connect/(?!command/)|runner/(model/(published-endpoint|diagnostic)|formats/format)\\.ts)',
      },
    },
    { name: 'not-to-the-explorer', severity: 'error', from: { path: SOURCES }, to: { path: '^explorer/' } },
    { name: 'not-to-test', severity: 'error', from: { path: SOURCES }, to: { path: '^test/' } },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: SOURCES },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      comment:
        'child-main.ts is started as a process of its own, sandbox-thread.ts, derive-worker.ts, export-worker.ts, agent-worker.ts, long-rows-worker.ts and watchdog-thread.ts as threads; main.ts and index.ts are entries',
      from: { orphan: true, path: SOURCES },
      to: {},
    },
    {
      name: 'nothing-unused',
      severity: 'error',
      comment: 'every module is reached from an entry',
      from: { path: ENTRIES },
      to: { path: SOURCES, pathNot: ENTRIES, reachable: false },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // tools/oracle/ has its own packages, which are installed only where it runs.
    exclude: { path: '^tools/oracle/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
