/** The tools, in the order in which they are offered. */
import { CURL } from './curl.js'
import { FETCH } from './fetch.js'
import { OBSERVABLE } from './observable.js'
import { PYTHON } from './python.js'
import type { ConnectTool } from './tool.js'
import { TYPESCRIPT } from './typescript.js'

export const CONNECT_TOOLS: readonly ConnectTool[] = [CURL, FETCH, TYPESCRIPT, PYTHON, OBSERVABLE]
