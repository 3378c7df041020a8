/** Sample entries of the services behind the gateway: database, authentication, realtime, storage, REST API, pooler. */
import type { Random } from './random.js'
import { ipAddress, type World } from './world.js'

interface AboutError {
  readonly application_name: string
  readonly detail: string | null
  readonly hint: string | null
  readonly query: string | null
}
/** What PostgreSQL says about an error beside its message, by the code of the error. */
const ABOUT_ERRORS: Readonly<Record<string, AboutError>> = {
  23505: {
    application_name: 'postgrest',
    detail: 'Key (id)=(42) already exists.',
    hint: null,
    query: 'insert into profiles (id, name) values ($1, $2)',
  },
  '42P01': {
    application_name: 'postgrest',
    detail: null,
    hint: 'Perhaps you meant to reference the table "public.messages".',
    query: 'select * from public.missing',
  },
  '28P01': {
    application_name: '[unknown]',
    detail: 'Connection matched file "pg_hba.conf" line 95: "host all all 0.0.0.0/0 scram-sha-256"',
    hint: null,
    query: null,
  },
}

export function postgresEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const [severity, code, message] = random.weighted<readonly [string, string, string]>([
    [['LOG', '00000', 'connection authorized: user=authenticator database=postgres application_name=postgrest'], 40],
    [['LOG', '00000', 'checkpoint complete: wrote 43 buffers (0.3%)'], 25],
    [['WARNING', '01000', 'PgBouncer auth request: postgres'], 20],
    [['ERROR', '23505', 'duplicate key value violates unique constraint "profiles_pkey"'], 6],
    [['ERROR', '42P01', 'relation "public.missing" does not exist'], 5],
    [['FATAL', '28P01', 'password authentication failed for user "postgres"'], 4],
  ])
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: message,
    project: project.ref,
    identifier: project.ref,
    metadata: [
      {
        host: `db-${project.ref}`,
        parsed: [
          {
            ...ABOUT_ERRORS[code],
            backend_type: 'client backend',
            command_tag: random.pick(['SELECT', 'INSERT', 'UPDATE', 'authentication', 'idle']),
            connection_from: `127.0.0.1:${random.int(30000, 60999)}`,
            context: null,
            database_name: 'postgres',
            error_severity: severity,
            leader_pid: 0,
            process_id: random.int(100, 32000),
            query_id: random.int(0, 2 ** 31),
            session_id: `${random.hex(8)}.${random.hex(4)}`,
            session_line_num: random.int(1, 6000),
            session_start_time: `${isoTime.slice(0, 10)} ${isoTime.slice(11, 19)} UTC`,
            sql_state_code: code,
            timestamp: `${isoTime.slice(0, 10)} ${isoTime.slice(11, 23)} UTC`,
            transaction_id: 0,
            user_name: random.pick(['postgres', 'authenticator', 'pgbouncer', 'supabase_admin']),
            virtual_transaction_id: `${random.int(1, 40)}/${random.int(1, 9_999_999)}`,
          },
        ],
      },
    ],
  }
}

export function authEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const path = random.pick(['/user', '/token', '/signup', '/logout', '/otp', '/verify'])
  const isError = random.isTrue(0.07)
  const ip = ipAddress(random)
  const time = `${isoTime.slice(0, 19)}Z`
  const fields = {
    component: 'api',
    level: isError ? 'error' : 'info',
    method: path === '/user' ? 'GET' : 'POST',
    msg: isError ? '400: Invalid login credentials' : random.pick(['request started', 'request completed', 'Login']),
    path,
    referer: random.pick(['', 'https://app.example.com/']),
    remote_addr: ip,
    time,
    timestamp: time,
  }
  const userId = random.uuid()
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: JSON.stringify(fields),
    project: project.ref,
    metadata: [
      {
        ...fields,
        host: `db-${project.ref}`,
        project: project.ref,
        status: isError ? '400' : '200',
        duration: String(Math.round(random.skewed(9_000_000, 0.8))),
        request_id: random.uuid(),
        ...(path === '/token' && !isError
          ? {
              action: 'login',
              login_method: random.pick(['password', 'token', 'otp']),
              metering: true,
              provider: random.pick(['email', 'google', 'github']),
              user_id: userId,
              auth_event: [
                {
                  action: 'login',
                  actor_id: userId,
                  actor_username: `user${random.int(1, 9999)}@example.com`,
                  actor_via_sso: random.isTrue(0.05),
                  log_type: 'account',
                  traits: [{ provider: 'email', user_id: userId }],
                },
              ],
            }
          : {}),
        ...(isError ? { error: 'invalid_grant' } : {}),
      },
    ],
  }
}

export function realtimeEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const level = random.weighted([
    ['info', 80],
    ['warning', 8],
    ['error', 12],
  ])
  const message = {
    info: random.pick([
      'Connected to Postgres database',
      'Billing metrics: [:realtime, :rate_counter]',
      'Tenant has no connected users, database connection will be terminated',
    ]),
    warning: 'Too many messages per second',
    error: 'Subscribing to PostgreSQL failed: {:error, "Subscription insert failed with 0 rows."}',
  }[level]
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: message,
    metadata: [
      {
        context: [
          {
            application: 'realtime',
            domain: ['elixir'],
            file: 'lib/realtime_web/channels/realtime_channel.ex',
            function: 'handle_info/2',
            gl: `<0.${random.int(1000, 9999)}.0>`,
            line: random.int(20, 400),
            mfa: ['Elixir.RealtimeWeb.RealtimeChannel', 'handle_info', '2'],
            module: 'Elixir.RealtimeWeb.RealtimeChannel',
            pid: `<0.${random.int(1000, 9999)}.${random.int(0, 99)}>`,
            time: new Date(isoTime).getTime() * 1000,
            vm: [{ node: `realtime-prod@fdaa:0:cc:a7b:${random.hex(4)}:${random.hex(1)}:${random.hex(4)}:2` }],
          },
        ],
        external_id: project.ref,
        level,
        project: project.ref,
      },
    ],
  }
}

export function storageEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const level = random.weighted([
    ['info', 94],
    ['error', 6],
  ])
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message:
      level === 'error'
        ? 'Object not found'
        : random.pick(['content-type is text/plain;charset=UTF-8', 'request completed', 'upload finished']),
    metadata: [
      {
        context: [
          {
            host: `ip-10-${random.int(0, 255)}-${random.int(0, 255)}-${random.int(1, 254)}.eu-central-1.compute.internal`,
            pid: random.int(1, 40),
          },
        ],
        level,
        project: project.ref,
        reqId: `${random.hex(16)}-${random.pick(['DUB', 'FRA', 'SIN'])}`,
        tenantId: project.ref,
      },
    ],
  }
}

export function restEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: random.weighted([
      ['Attempting to connect to the database...', 3],
      ['Connection successful', 3],
      ['Config reloaded', 2],
      ['Schema cache loaded', 4],
      ['{"code":"PGRST301","message":"JWT expired"}', 1],
    ]),
    project: project.ref,
    metadata: [{ host: project.ref }],
  }
}

export function poolerEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const pointer = `0x${random.hex(12)}`
  const port = random.int(30000, 60999)
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: random.weighted([
      [`S-${pointer}: postgres/postgres@127.0.0.1:5432 new connection to server (from 127.0.0.1:${port})`, 5],
      [
        `C-${pointer}: postgres/authenticator@127.0.0.1:${port} login attempt: db=postgres user=authenticator tls=no`,
        5,
      ],
      [
        `C-${pointer}: postgres/authenticator@127.0.0.1:${port} closing because: client close request (age=${random.int(1, 900)}s)`,
        4,
      ],
      [`stats: ${random.int(0, 60)} xacts/s, ${random.int(0, 90)} queries/s, in ${random.int(100, 90000)} B/s`, 2],
    ]),
    project: project.ref,
    metadata: [{ host: `db-${project.ref}`, project: project.ref }],
  }
}
