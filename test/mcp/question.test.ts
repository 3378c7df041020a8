/**
 * «Which function of project rofcefgbzohedjdeiulh failed most in the last day, and when?», asked of the sample data with the
 * tools of `sluice mcp` alone. The requests are those that an agent has made; they are sent again as they were recorded.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, scratch } from '../cli/command.js'
import { type Agent, startAgent } from './agent-process.js'
import type { Json } from './agent-server.js'

const PROJECT = 'rofcefgbzohedjdeiulh'
const RECORDED = readFileSync('test/cases/mcp/most-failing-function.jsonl', 'utf8').trim().split('\n')
const HOUR_MS = 3_600_000

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

/** Sends the recorded requests, one after the other. */
async function replay(agent: Agent): Promise<readonly Json[]> {
  const answers: Json[] = []
  for (const line of RECORDED) {
    const given = line.replace(/\{\{answer (\d+): (\w+)\}\}/g, (_, id: string, column: string) =>
      String(answers.find(answer => answer.id === Number(id)).result.structuredContent.result[0][column]),
    )
    const message = JSON.parse(given) as { readonly id?: number }
    agent.send(given)
    if (message.id !== undefined) answers.push(await agent.answer(message.id))
  }
  return answers
}

describe('mcp: a question to an agent', function () {
  this.timeout(120_000)
  const folder = scratch()
  after(() => folder.remove())

  it('is answered by the tools alone', async () => {
    const data = folder.path('data')
    expect((await command(['sample', '--data', data, '--count', '5000'])).code).to.equal(0)
    const file = folder.path('data/logs/function_edge.ndjson')
    const agent = startAgent(['--data', data])
    const beganMs = Date.now()
    const answers = await replay(agent)
    const expected = [beganMs, Date.now()].map(nowMs => failureOf(file, nowMs))
    expect(await agent.end()).to.equal(0)

    const [, list, read, tables, mistaken, byFunction, byHour] = answers.map(({ result }) => result)
    expect(list.tools.map((tool: Json) => tool.name)).to.include.members(['describe_tables', 'run_query'])
    expect(read.contents[0].text).to.include('- `error_count` (INT64, never NULL, a count)')
    expect(tables.structuredContent.tables[0].columns.map((column: Json) => column.name)).to.include('metadata')
    // The agent's first attempt took the fields of the metadata for columns.
    expect(mistaken.isError).to.equal(true)
    expect(mistaken.content[0].text).to.match(/^1:\d+: Unrecognized name: project_ref/)
    const [worst] = byFunction.structuredContent.result
    const hours: readonly Json[] = byHour.structuredContent.result
    const hour = hours.reduce((most, one) => (one.error_count > most.error_count ? one : most))
    const answer = { functionId: worst.function_id, hour: hour.timestamp, failures: worst.failures }
    expect(expected).to.deep.include(answer)
    expect(answer.failures).to.be.greaterThan(0)
    expect(hours.reduce((sum, one) => sum + one.error_count, 0)).to.equal(answer.failures)
  })
})
