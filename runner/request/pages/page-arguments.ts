/** Reads the arguments by which a call asks for a page. They are not arguments of the query. */
import type { Endpoint } from '../../model/endpoint.js'
import type { ArgumentProblem } from '../../model/errors.js'
import { CURSOR, PAGE_SIZE } from '../../model/page.js'
import type { RawArguments } from '../raw-arguments.js'
import type { Cursor, Cursors } from './cursor.js'

/** The page that a call asks for. */
export interface AskedPage {
  readonly size: number
  /** Null for the first page. */
  readonly cursor: Cursor | null
}

/** The members of an endpoint that say which pages it has. */
export type Paged = Pick<Endpoint, 'id' | 'parameters' | 'pages'>

/** `page` is null for the whole result; `queryArgs` are the query's arguments; `problems` are those of the page's arguments. */
export function takePage(endpoint: Paged, input: RawArguments, cursors: Cursors) {
  const { pages, parameters } = endpoint
  const problems: ArgumentProblem[] = []
  const whole = { page: null, queryArgs: input, problems } as const
  if (!input.has(PAGE_SIZE) && !input.has(CURSOR)) return whole
  if (pages === null) {
    const isOwn = parameters.some(({ name }) => name === CURSOR)
    const detail = 'is for endpoints that have pages, and this one has none'
    if (!isOwn && textOf(input, CURSOR) !== '') problems.push({ parameter: CURSOR, detail })
    return whole
  }
  const queryArgs = new Map([...input].filter(([name]) => name !== PAGE_SIZE && name !== CURSOR))
  const [sizeText, cursorText] = [textOf(input, PAGE_SIZE), textOf(input, CURSOR)]
  const cursor = cursorText ? cursors.open(endpoint.id, cursorText) : null
  const isSize = sizeText !== null && /^[0-9]{1,9}$/.test(sizeText)
  const size = isSize ? Number(sizeText) : (cursor?.size ?? pages.maxSize)
  for (const [parameter, text] of [
    [PAGE_SIZE, sizeText],
    [CURSOR, cursorText],
  ] as const) {
    if (text === null) problems.push({ parameter, detail: 'must be a single value, given once' })
  }
  if (sizeText !== '' && sizeText !== null && (!isSize || size < 1 || size > pages.maxSize)) {
    problems.push({ parameter: PAGE_SIZE, detail: `must be a whole number from 1 to ${pages.maxSize}` })
  }
  if (cursorText && cursor === null) {
    problems.push({ parameter: CURSOR, detail: 'must be one that this endpoint has given with the page before' })
  }
  // An argument without a value counts as absent, as elsewhere.
  if (sizeText === '' && cursorText === '') return { ...whole, queryArgs }
  return { page: { size, cursor }, queryArgs, problems }
}

/** The text of an argument, also of a JSON number; '' where the argument is absent, null where it has several values or another type. */
function textOf(input: RawArguments, name: string): string | null {
  const { values, isList } = input.get(name) ?? { values: [], isList: false }
  const texts = values.filter(value => value !== '')
  if (isList || texts.length > 1) return null
  const [text = ''] = texts
  return typeof text === 'string' || typeof text === 'number' ? String(text) : null
}
