/** Endpoints as a server describes them, for clients of them. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { type ClientEndpoint, readEndpoints } from '../../../authoring/client/contract.js'
import { typescriptClient } from '../../../authoring/client/typescript.js'

export type Described = Readonly<Record<string, unknown>>

/** The part of a client that is the same for all endpoints. */
export const runtimeOf = (language: 'ts' | 'py'): string => readFileSync(`templates/client/runtime.${language}`, 'utf8')

export const described = (name: string, more: Described = {}): Described => ({
  name,
  description: `What ${name} gives.`,
  parameters: [],
  columns: [column('id', 'STRING')],
  settings: { max_rows: 1000, timestamps: 'iso8601' },
  ...more,
})

/** The settings of an endpoint with pages. */
export const PAGED = { max_rows: 1000, timestamps: 'iso8601', pages: { max_size: 500, keep_seconds: 300 } }

export const parameter = (name: string, type: string, more: Described = {}): Described => ({
  name,
  type,
  required: false,
  description: '',
  ...more,
})

export const column = (name: string, type: string, more: Described = {}): Described => ({
  name,
  type,
  description: '',
  required: false,
  ...more,
})

/** These, as a client is written from them. */
export const endpointsOf = (...endpoints: readonly Described[]): readonly ClientEndpoint[] =>
  readEndpoints({ endpoints })!

/** The client in TypeScript of one endpoint of this name, as a module that Node and browsers run. */
export const clientModule = (name: string): string => clientModuleOf(endpointsOf(described(name)))

export function clientModuleOf(endpoints: readonly ClientEndpoint[]): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  return ts.transpileModule(typescriptClient(endpoints, runtimeOf('ts')), { compilerOptions }).outputText
}

/** One column for each form of a value: its name, its type and more, the type in TypeScript, the one in Python. */
export const FORMS: readonly (readonly [name: string, type: string, more: Described, ts: string, python: string])[] = [
  ['text', 'STRING', {}, 'string | null', 'Optional[str]'],
  ['text_required', 'STRING', { required: true }, 'string', 'str'],
  ['flag', 'BOOL', {}, 'boolean | null', 'Optional[bool]'],
  ['int', 'INT64', {}, 'number | string | null', 'Optional[Union[int, str]]'],
  ['int_number', 'INT64', { json: 'number' }, 'number | null', 'Optional[int]'],
  ['int_string', 'INT64', { json: 'string', required: true }, 'string', 'str'],
  [
    'float',
    'FLOAT64',
    {},
    "number | 'NaN' | 'Infinity' | '-Infinity' | null",
    'Optional[Union[float, Literal["NaN", "Infinity", "-Infinity"]]]',
  ],
  ['float_number', 'FLOAT64', { json: 'number', required: true }, 'number', 'float'],
  ['decimal', 'NUMERIC', { json: 'string' }, 'string | null', 'Optional[str]'],
  ['decimal_number', 'BIGNUMERIC', { json: 'number' }, 'number | null', 'Optional[float]'],
  ['bytes', 'BYTES', { required: true }, 'string', 'str'],
  ['at', 'TIMESTAMP', {}, 'string | null', 'Optional[str]'],
  ['day', 'DATE', {}, 'string | null', 'Optional[str]'],
  ['time', 'TIME', {}, 'string | null', 'Optional[str]'],
  ['civil', 'DATETIME', {}, 'string | null', 'Optional[str]'],
  ['span', 'INTERVAL', {}, 'string | null', 'Optional[str]'],
  ['document', 'JSON', { required: true }, 'unknown', 'Json'],
  ['list', 'ARRAY<STRING>', {}, 'string[]', 'List[str]'],
  ['ints', 'ARRAY<INT64>', {}, '(number | string)[]', 'List[Union[int, str]]'],
  ['open', 'STRUCT', {}, 'Record<string, unknown> | null', 'Optional[Dict[str, Json]]'],
  ['opens', 'ARRAY<STRUCT>', {}, 'Record<string, unknown>[]', 'List[Dict[str, Json]]'],
  ['nothing', 'STRUCT<>', { required: true }, 'Record<string, never>', 'Dict[str, Json]'],
  ['later', 'GEOGRAPHY', {}, 'unknown', 'Json'],
]

/** Texts with everything that ends a comment, a line or a string in some language, or that a tool reads as an instruction. */
export const HOSTILE: readonly string[] = [
  '*/ throw 1 /*',
  'a\nb\r\nc\u2028d\u2029e\u0085f\fg\vh',
  '"""\nimport os\n"""',
  "'''; import os",
  'a\\',
  '\\"""',
  '"',
  "it's",
  '`$' + '{process.exit(1)}`',
  '@ts-expect-error',
  '@ts-ignore',
  'type: ignore',
  'mypy: ignore-errors',
  '# sourceMappingURL=data:,x',
  '\u202egnirts\u2066',
  '\0\x01\x7f',
  '\ud800',
  '{braces}',
  '<!-- --> </script>',
  '__proto__',
  'constructor',
  'größe 🦥',
  ' ',
]
