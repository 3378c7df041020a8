/**
 * «Which function of project rofcefgbzohedjdeiulh failed most in the last day, and when?», asked of the sample data with the
 * tools alone. The requests are those that an agent has made; they are sent again as they were recorded.
 */
import { cpSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createRunner } from '../../runner/serve/runner.js'
import { command, scratch } from '../cli/command.js'
import { itInAll } from '../sample-size.js'
import { startAgent } from './agent-process.js'
import { type Json, TOKEN } from './agent-server.js'

const PROJECT = 'rofcefgbzohedjdeiulh'
const HOUR_MS = 3_600_000

/** The fewest functions that make it a question. */
const FEWEST_FUNCTIONS = 3

interface Failure {
  readonly functionId: string
  readonly hour: string
  readonly failures: number
}

/** The answer by a program that reads the files, as of this time. */
function failureOf(file: string, nowMs: number): Failure {
  const begin = Math.floor((nowMs - 24 * HOUR_MS) / HOUR_MS) * HOUR_MS
  const failures: { readonly functionId: string; readonly hour: string }[] = []
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const entry = JSON.parse(line) as Json
    const atMs = Date.parse(entry.timestamp)
    if (atMs < begin) continue
    for (const record of entry.metadata) {
      if (record.project_ref !== PROJECT) continue
      const hour = `${new Date(Math.floor(atMs / HOUR_MS) * HOUR_MS).toISOString().slice(0, 19)}Z`
      for (const { status_code } of record.response) {
        if (status_code >= 400) failures.push({ functionId: record.function_id, hour })
      }
    }
  }
  expect(new Set(failures.map(({ functionId }) => functionId)).size).to.be.at.least(FEWEST_FUNCTIONS)
  const functionId = mostFrequent(failures.map(failure => failure.functionId))
  const own = failures.filter(failure => failure.functionId === functionId)
  return { functionId, hour: mostFrequent(own.map(failure => failure.hour)), failures: own.length }
}

/** Where several are, the first of them in their order. */
function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]![0]
}

/** Sends the recorded requests, one after the other; `send` resolves to the answer, or to null for a notification. */
async function replay(recorded: string, send: (line: string) => Promise<Json>): Promise<readonly Json[]> {
  const answers: Json[] = []
  for (const line of readFileSync(`test/cases/mcp/${recorded}.jsonl`, 'utf8').trim().split('\n')) {
    const given = line.replace(/\{\{answer (\d+): (\w+)\}\}/g, (_, id: string, column: string) =>
      String(answers.find(answer => answer.id === Number(id)).result.structuredContent.result[0][column]),
    )
    const answer = await send(given)
    if (answer !== null) answers.push(answer)
  }
  return answers
}

/** What the agent says, of the functions by their failures and the hours of the one that failed most. */
function answerOf(byFunction: Json, byHour: Json): Failure {
  const [worst] = byFunction.structuredContent.result
  const hours: readonly Json[] = byHour.structuredContent.result
  const hour = hours.reduce((most, one) => (one.error_count > most.error_count ? one : most))
  expect(hours.reduce((sum, one) => sum + one.error_count, 0)).to.equal(worst.failures)
  return { functionId: worst.function_id, hour: hour.timestamp, failures: worst.failures }
}

describe('mcp: a question to an agent', function () {
  this.timeout(120_000)
  const folder = scratch()
  const data = folder.path('data')
  const file = folder.path('data/logs/function_edge.ndjson')
  before(async () => {
    expect((await command(['sample', '--data', data, '--count', '5000'])).code).to.equal(0)
  })
  after(() => folder.remove())

  it("is answered by an author's tools alone", async () => {
    const agent = startAgent(['--data', data])
    const beganMs = Date.now()
    const answers = await replay('most-failing-function', async line => {
      const { id } = JSON.parse(line) as { readonly id?: number }
      agent.send(line)
      return id === undefined ? null : agent.answer(id)
    })
    const expected = [beganMs, Date.now()].map(nowMs => failureOf(file, nowMs))
    expect(await agent.end()).to.equal(0)

    const [, list, read, tables, mistaken, byFunction, byHour] = answers.map(({ result }) => result)
    expect(list.tools.map((tool: Json) => tool.name)).to.include.members(['describe_tables', 'run_query'])
    expect(read.contents[0].text).to.include('- `error_count` (INT64, never NULL, a count)')
    expect(tables.structuredContent.tables[0].columns.map((column: Json) => column.name)).to.include('metadata')
    // The agent's first attempt took the fields of the metadata for columns.
    expect(mistaken.isError).to.equal(true)
    expect(mistaken.content[0].text).to.match(/^1:\d+: Unrecognized name: project_ref/)
    const answer = answerOf(byFunction, byHour)
    expect(expected).to.deep.include(answer)
    expect(answer.failures).to.be.greaterThan(0)
  })

  itInAll('is answered over HTTP by the tools of endpoints, one of which ranks the functions', async () => {
    const endpointsDir = folder.path('endpoints')
    cpSync('endpoints', endpointsDir, { recursive: true })
    // The shipped endpoints tell of one function, whose id the caller must know.
    cpSync('test/cases/mcp/functions.failures.yaml', folder.path('endpoints/functions.failures.yaml'))
    const runner = await createRunner({ endpointsDir, dataDir: data, token: TOKEN, port: 0, engineMemoryMb: 256 })
    const server = await runner.listen()
    const beganMs = Date.now()
    const answers = await replay('most-failing-function-http', async line => {
      const { headers, message } = JSON.parse(line) as {
        readonly headers: Record<string, string>
        readonly message: Json
      }
      const response = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(message),
      })
      expect(response.status).to.equal(200)
      return response.json()
    })
    const expected = [beganMs, Date.now()].map(nowMs => failureOf(file, nowMs))
    await server.close()
    await runner.close()

    const [, list, read, byFunction, byHour] = answers.map(({ result }) => result)
    expect(list.tools.map((tool: Json) => tool.name))
      .to.include('functions_failures')
      .and.not.include('run_query')
    expect(read.contents[0].text).to.include('- `failures` (INT64, never NULL, a count)')
    expect(byFunction.structuredContent.result).to.have.length(FEWEST_FUNCTIONS)
    expect(expected).to.deep.include(answerOf(byFunction, byHour))
  })
})
