/** Sample entries of the gateway, `logs.edge`. */
import { type Random, seededRandom, seedOf } from './random.js'
import { ipAddress, REGIONS, STATUS_CODES, USER_AGENTS, type World } from './world.js'

const TABLES = ['profiles', 'messages', 'orders', 'todos', 'events', 'invoices']
const AREAS: readonly (readonly [(random: Random) => string, number])[] = [
  [random => `/rest/v1/${random.pick(TABLES)}`, 50],
  [random => `/storage/v1/object/public/avatars/${random.uuid()}.png`, 18],
  [random => `/auth/v1/${random.pick(['user', 'token', 'signup', 'logout', 'otp'])}`, 20],
  [() => '/realtime/v1/websocket', 7],
  [random => `/functions/v1/${random.pick(['hello-world', 'send-email', 'stripe-webhook'])}`, 4],
  [() => '/', 1],
]
const SEARCHES = [
  '',
  '',
  '?select=*',
  '?select=id,name&limit=50',
  '?grant_type=refresh_token',
  '?width=1920&height=0&quality=85&resize=contain',
]
const METHODS: readonly (readonly [string, number])[] = [
  ['GET', 70],
  ['POST', 16],
  ['PATCH', 5],
  ['DELETE', 2],
  ['HEAD', 2],
  ['OPTIONS', 5],
]

/** What the authentication service says of a failure, by its status. */
const AUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_credentials',
  401: 'bad_jwt',
  403: 'session_not_found',
  404: 'user_not_found',
  409: 'conflict',
  429: 'over_request_rate_limit',
}

function authError(path: string, status: number): string | null {
  if (status < 400 || !path.startsWith('/auth')) return null
  return AUTH_ERRORS[status] ?? 'unexpected_failure'
}

export function edgeEntry(random: Random, world: World, isoTime: string): object {
  const project = world.pickProject(random)
  const region = random.pick(REGIONS)
  const host = `${project.ref}.supabase.co`
  const path = random.weighted(AREAS)(random)
  const search = random.pick(SEARCHES)
  const method = random.weighted(METHODS)
  const status = random.weighted(STATUS_CODES)
  const agent = random.weighted(USER_AGENTS)
  const ip = ipAddress(random)
  const ray = random.hex(16)
  const url = `https://${host}${path}${search}`
  const hasBody = method === 'POST' || method === 'PATCH'
  return {
    id: random.uuid(),
    timestamp: isoTime,
    event_message: `${method} | ${status} | ${ip} | ${ray} | ${url} | ${agent}`,
    project: project.ref,
    identifier: project.ref,
    metadata: [
      {
        logflare_worker: [{ worker_id: random.hex(6).toUpperCase() }],
        request: [
          {
            cf: [
              {
                asOrganization: random.pick(['ACME Germany', 'Example Telecom', 'Cloud Hosting Inc', 'Mobile Net']),
                asn: random.int(1000, 65000),
                botManagement: [
                  {
                    corporateProxy: false,
                    ja3Hash: random.hex(32),
                    score: random.int(1, 99),
                    staticResource: path.startsWith('/storage'),
                    verifiedBot: random.isTrue(0.01),
                  },
                ],
                city: region.city,
                clientAcceptEncoding: 'gzip, deflate, br',
                clientTrustScore: random.int(1, 99),
                colo: region.colo,
                continent: region.continent,
                country: region.country,
                edgeRequestKeepAliveStatus: random.int(0, 1),
                httpProtocol: random.weighted([
                  ['HTTP/2', 6],
                  ['HTTP/3', 3],
                  ['HTTP/1.1', 1],
                ]),
                isEUCountry: region.country === 'DE' ? '1' : null,
                latitude: region.latitude,
                longitude: region.longitude,
                postalCode: region.postal,
                region: region.region,
                regionCode: region.code,
                timezone: region.timezone,
                tlsCipher: 'AEAD-AES128-GCM-SHA256',
                tlsClientAuth: [{ certPresented: '0', certRevoked: '0', certVerified: 'NONE' }],
                tlsVersion: 'TLSv1.3',
              },
            ],
            headers: [
              {
                accept: path.startsWith('/storage') ? 'image/*' : 'application/json',
                cf_connecting_ip: ip,
                cf_ipcountry: region.country,
                cf_ray: ray,
                content_length: hasBody ? String(Math.round(seededRandom(seedOf(ray, 0)).skewed(400, 1))) : null,
                host,
                referer: random.isTrue(0.6) ? `https://app-${project.ref.slice(0, 5)}.example.com/` : null,
                user_agent: agent,
                x_forwarded_proto: 'https',
                x_real_ip: ip,
              },
            ],
            host,
            method,
            path,
            protocol: 'https:',
            search,
            url,
          },
        ],
        response: [
          {
            headers: [
              {
                cf_cache_status: path.startsWith('/storage') ? random.pick(['HIT', 'MISS']) : 'DYNAMIC',
                cf_ray: `${ray}-${region.colo}`,
                content_length: String(Math.round(random.skewed(1800, 1.4))),
                content_type: path.startsWith('/storage') ? 'image/png' : 'application/json',
                date: new Date(isoTime).toUTCString(),
                sb_gateway_mode: 'direct',
                sb_gateway_version: '1',
                x_sb_error_code: authError(path, status),
              },
            ],
            origin_time: Math.round(random.skewed(status >= 500 ? 900 : 45, 0.9)),
            status_code: status,
          },
        ],
      },
    ],
  }
}
