/** Endpoints → a client in Python: one module over the standard library. */
import { ERROR_CODES } from '../../runner/model/error-codes.js'
import { splitType } from '../../runner/model/param.js'
import type { PublishedParameter } from '../../runner/model/published-endpoint.js'
import { endpointText, parameterText } from './comment-text.js'
import { type Choice, type ClientEndpoint, choicesOf, isRequired, revisionOf } from './contract.js'
import { type JsonShape, type Member, type PlainShape, rowOf } from './json-shape.js'
import { linesOf, quoted } from './program-text.js'

/** The file's text. `runtime` is the part that is the same for all endpoints: templates/client/runtime.py. */
export function pythonClient(endpoints: readonly ClientEndpoint[], runtime: string): string {
  const types = new Types()
  const typed = endpoints.map(endpoint => ({
    endpoint,
    row: types.add(`${pascalCase(endpoint.name)}Row`, rowOf(endpoint)),
  }))
  const paged = typed.filter(({ endpoint }) => endpoint.maxPageSize !== undefined)
  return [
    `# Written by \`sluice client\`, revision ${revisionOf(endpoints)}. Do not edit; run \`sluice client\` again.`,
    runtime,
    ...literalType('ErrorCode', [...Object.keys(ERROR_CODES), 'UNKNOWN']),
    ...literalType(
      'EndpointName',
      endpoints.map(({ name }) => name),
    ),
    ...types.lines,
    '',
    '#: The arguments of each endpoint, by their names in Python.',
    '_ARGUMENTS: Dict[str, Dict[str, str]] = {',
    ...endpoints.map(argumentsLine),
    '}',
    '#: The most rows of a page, for each endpoint that has pages.',
    '_PAGE_SIZES: Dict[str, int] = {',
    ...paged.map(({ endpoint }) => `    ${quoted(endpoint.name)}: ${endpoint.maxPageSize},`),
    '}',
    '',
    '',
    'class Sluice(_Client):',
    '    """The endpoints of a Sluice server: call() gives rows, arrow() and pandas() give tables, rows() goes over pages."""',
    '',
    ...overloads(
      typed.map(({ endpoint, row }) => methodLines('call', `Rows[${row}]`, endpoint)),
      ANY_CALL,
    ),
    ...(paged.length > 0
      ? overloads(
          paged.map(({ endpoint, row }) => methodLines('rows', `Pages[${row}]`, endpoint, [PAGE_SIZE])),
          ANY_ROWS,
        )
      : []),
  ].join('\n')
}

const ANY_CALL = [
  '    def call(self, _name: str, /, **arguments: Any) -> Any:',
  '        return self._rows(_name, arguments)',
]

const PAGE_SIZE = 'page_size: Optional[int] = None,'
const ANY_ROWS = [
  `    def rows(self, _name: str, /, *, ${PAGE_SIZE} **arguments: Any) -> Any:`,
  '        return self._pages(_name, page_size, arguments)',
]

/** Declares the method once for each endpoint, with its types. mypy refuses a single overload. */
function overloads(methods: readonly (readonly string[])[], any: readonly string[]): readonly string[] {
  const [first = []] = methods
  if (methods.length > 1)
    return [...methods.flatMap(lines => ['    @overload', ...lines, '        ...', '']), ...any, '']
  const typed = [...first, '        raise NotImplementedError']
  return ['    if TYPE_CHECKING:', ...typed.map(indented), '    else:', ...any.map(indented), '']
}

const indented = (line: string): string => `    ${line}`

/** The lines of a method, without its body. `more` are arguments of the method itself. */
function methodLines(
  method: string,
  type: string,
  endpoint: ClientEndpoint,
  more: readonly string[] = [],
): readonly string[] {
  const { name, parameters } = endpoint
  const names = argumentNames(parameters)
  const declared = parameters.map((parameter, i) => {
    const type = argumentType(parameter)
    return `        ${names[i]}: ${isRequired(parameter) ? type : `Optional[${type}] = None`},`
  })
  const all = [...declared, ...more.map(argument => `        ${argument}`)]
  const texts = [
    endpointText(endpoint),
    ...parameters.map((parameter, i) => `${names[i]}: ${parameterText(parameter)}`),
  ]
  return [
    `    def ${method}(`,
    '        self,',
    `        _name: Literal[${quoted(name)}],`,
    '        /,',
    ...(all.length === 0 ? [] : ['        *,', ...all]),
    `    ) -> ${type}:`,
    ...docstring(texts.flatMap(linesOf)),
  ]
}

function argumentsLine({ name, parameters }: ClientEndpoint): string {
  const names = argumentNames(parameters)
  return `    ${quoted(name)}: {${parameters.map((parameter, i) => `${quoted(names[i]!)}: ${quoted(parameter.name)}`).join(', ')}},`
}

function argumentType(parameter: PublishedParameter): string {
  const { scalar, isArray } = splitType(parameter.type)
  const choices = choicesOf(parameter)
  // `Literal` takes no float.
  const isListed = choices !== null && scalar !== 'float64'
  const element = isListed
    ? `Literal[${choices.map(choice => choiceText(choice, scalar)).join(', ')}]`
    : (PYTHON_TYPES[scalar] ?? 'str')
  if (!isArray) return element
  // `Sequence[str]` would take a single str, too, as a sequence of its characters.
  return element === 'str' ? 'Union[List[str], Tuple[str, ...]]' : `Sequence[${element}]`
}

/** The types of arguments that are not text. */
const PYTHON_TYPES: Readonly<Record<string, string>> = {
  int64: 'int',
  float64: 'float',
  numeric: 'Union[str, int, Decimal]',
  bignumeric: 'Union[str, int, Decimal]',
  bool: 'bool',
  json: 'Union[str, Dict[str, Any]]',
}

function choiceText(choice: Choice, type: string): string {
  if (typeof choice === 'boolean') return choice ? 'True' : 'False'
  // An INT64 beyond 2^53 is text here; Python's integers have no limit.
  return typeof choice === 'number' || type === 'int64' ? String(choice) : quoted(choice)
}

/** The parameters' names as Python takes them: a keyword, or `self`, gets an underscore at its end. */
function argumentNames(parameters: readonly PublishedParameter[]): readonly string[] {
  const declared = new Set(parameters.map(({ name }) => name))
  return parameters.map(({ name }) => {
    if (!RESERVED.has(name)) return name
    let free = `${name}_`
    while (declared.has(free)) free += '_'
    return free
  })
}

const RESERVED: ReadonlySet<string> = new Set([
  ...['False', 'None', 'True', 'and', 'as', 'assert', 'async', 'await', 'break', 'class', 'continue', 'def', 'del'],
  ...['elif', 'else', 'except', 'finally', 'for', 'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'nonlocal'],
  ...['not', 'or', 'pass', 'raise', 'return', 'self', 'try', 'while', 'with', 'yield'],
])

const SHAPE_TYPES: Readonly<Record<PlainShape['kind'], string>> = {
  string: 'str',
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  'integer or string': 'Union[int, str]',
  'number or word': 'Union[float, Literal["NaN", "Infinity", "-Infinity"]]',
  any: 'Json',
}

/** The types of rows and of the objects within them, each with a name of its own. */
class Types {
  readonly lines: string[] = []
  readonly #taken = new Set<string>()

  /** Adds the type of an object, and those within it; returns its name. */
  add(baseName: string, members: readonly Member[]): string {
    let name = baseName
    for (let n = 2; this.#taken.has(name); n++) name = `${baseName}${n}`
    this.#taken.add(name)
    const memberLines = members.flatMap(member => {
      const type = this.#typeOf(member.shape, `${name}${pascalCase(member.name)}`)
      const texts = linesOf(member.text).map(line => `    #: ${line}`)
      return [...texts, `    ${quoted(member.name)}: ${member.isNullable ? `Optional[${type}]` : type},`]
    })
    this.lines.push('', `${name} = TypedDict(${quoted(name)}, {`, ...memberLines, '})')
    return name
  }

  #typeOf(shape: JsonShape, name: string): string {
    if (shape.kind === 'array') return `List[${this.#typeOf(shape.element, name)}]`
    if (shape.kind !== 'object') return SHAPE_TYPES[shape.kind]
    return shape.members?.length ? this.add(name, shape.members) : 'Dict[str, Json]'
  }
}

/** `logs.all` becomes LogsAll. Only ASCII letters and digits are kept, and an X is put before a name that would not begin with a letter. */
function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
  const joined = words.join('')
  return /^[A-Za-z]/.test(joined) ? joined : `X${joined}`
}

const literalType = (name: string, values: readonly string[]): readonly string[] => [
  `${name} = Literal[`,
  ...values.map(value => `    ${quoted(value)},`),
  ']',
]

function docstring(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const [first = '', ...others] = lines.map(line => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))
  return [`        """${first}`, ...others.map(line => `        ${line}`), '        """']
}
