/** The tools, in the order in which they are offered. */
import { CURL } from './curl.js'
import { DUCKDB } from './duckdb.js'
import { EXCEL } from './excel.js'
import { FETCH } from './fetch.js'
import { GRAFANA } from './grafana/grafana.js'
import { MCP } from './mcp.js'
import { OBSERVABLE } from './observable.js'
import { PYTHON } from './python.js'
import { SHEETS } from './sheets.js'
import type { ConnectTool } from './tool.js'
import { TYPESCRIPT } from './typescript.js'

export const CONNECT_TOOLS: readonly ConnectTool[] = [
  CURL,
  FETCH,
  TYPESCRIPT,
  PYTHON,
  DUCKDB,
  GRAFANA,
  EXCEL,
  SHEETS,
  OBSERVABLE,
  MCP,
]
