/** Sample entries of serverless functions: the relay's log and the functions' own log. */
import { type Random, seededRandom, seedOf } from './random.js'
import { STATUS_CODES, USER_AGENTS, type World } from './world.js'

/** Where functions run: the server's name, and its region. */
const SERVERS = [
  ['deno/aws-us-east-1', 'us-east-1'],
  ['deno/aws-eu-central-1', 'eu-central-1'],
  ['deno/gcp-asia-southeast1', 'ap-southeast-1'],
] as const

export function functionEdgeEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const called = random.pick(project.functions)
  const status = random.weighted(STATUS_CODES)
  const method = random.weighted([
    ['POST', 6],
    ['GET', 3],
    ['OPTIONS', 2],
  ])
  const deployment = random.int(1, 40)
  const search = `?time=${new Date(isoTime).getTime()}`
  // One call in fifty ends before its time is measured.
  const durationMs = random.isTrue(0.02)
    ? null
    : Math.max(1, Math.round(random.skewed(called.medianMs * (status >= 500 ? 4 : 1), 0.8)))
  const id = random.uuid()
  const sentBytes = method === 'POST' ? Math.round(random.skewed(300, 1)) : 0
  const agent = random.weighted(USER_AGENTS)
  const receivedBytes = Math.round(random.skewed(120, 1.2))
  const [server, region] = random.pick(SERVERS)
  return {
    id,
    timestamp: isoTime,
    event_message: `${method} | ${status} | https://${project.ref}.functions.supabase.co/${called.name}${search}`,
    metadata: [
      {
        deployment_id: `${project.ref}_${called.id}_${deployment}`,
        execution_id: seededRandom(seedOf(id, 0)).uuid(),
        execution_time_ms: durationMs,
        function_id: called.id,
        project_ref: project.ref,
        request: [
          {
            headers: [
              {
                accept: '*/*',
                accept_encoding: 'gzip, deflate, br',
                content_length: String(sentBytes),
                host: `${project.ref}.functions.supabase.co`,
                user_agent: agent,
              },
            ],
            host: 'subhosting-v1.deno-aws.net',
            method,
            pathname: `/${called.name}`,
            protocol: 'https:',
            search,
            url: `https://subhosting-v1.deno-aws.net/${called.name}${search}`,
          },
        ],
        response: [
          {
            headers: [
              {
                content_length: String(receivedBytes),
                content_type: 'application/json',
                date: new Date(isoTime).toUTCString(),
                server,
                vary: 'Accept-Encoding',
                x_sb_edge_region: region,
              },
            ],
            status_code: status,
          },
        ],
        version: String(deployment),
      },
    ],
  }
}

export function functionRuntimeEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const called = random.pick(project.functions)
  const kind = random.weighted([
    ['log', 70],
    ['boot', 18],
    ['shutdown', 10],
    ['uncaught_exception', 2],
  ])
  const level =
    kind === 'uncaught_exception'
      ? 'error'
      : random.weighted([
          ['info', 85],
          ['warning', 9],
          ['error', 6],
        ])
  const message = {
    log: random.pick([
      'request received',
      'cache miss, loading from the database',
      'sent 1 message',
      'retrying after 429',
    ]),
    boot: `booted (time: ${random.int(20, 300)}ms)`,
    shutdown: 'shutdown',
    uncaught_exception: "TypeError: Cannot read properties of undefined (reading 'id')",
  }[kind]
  const version = random.int(1, 40)
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: `${message}\n`,
    metadata: [
      {
        deployment_id: `${project.ref}_${called.id}_${version}`,
        event_type: kind,
        execution_id: random.uuid(),
        function_id: called.id,
        level,
        project_ref: project.ref,
        region: random.pick(['aws-eu-central-1', 'aws-us-east-1', 'gcp-asia-southeast1']),
        timestamp: isoTime,
        version: String(version),
      },
    ],
  }
}
