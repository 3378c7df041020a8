/** The projects, functions, users and clients that all sample streams share. */
import { type Random, seededRandom, seedOf } from './random.js'

export interface Project {
  /** Twenty lower-case letters. */
  readonly ref: string
  readonly functions: readonly { readonly id: string; readonly name: string; readonly medianMs: number }[]
}

export interface World {
  readonly projects: readonly Project[]
  /** A few projects make most of the traffic. */
  pickProject(random: Random): Project
}

export const REGIONS = [
  {
    colo: 'TXL',
    city: 'Berlin',
    country: 'DE',
    continent: 'EU',
    timezone: 'Europe/Berlin',
    region: 'Land Berlin',
    code: 'BE',
    latitude: '52.51960',
    longitude: '13.40690',
    postal: '10117',
  },
  {
    colo: 'LHR',
    city: 'London',
    country: 'GB',
    continent: 'EU',
    timezone: 'Europe/London',
    region: 'England',
    code: 'ENG',
    latitude: '51.50853',
    longitude: '-0.12574',
    postal: 'EC1A',
  },
  {
    colo: 'SIN',
    city: 'Singapore',
    country: 'SG',
    continent: 'AS',
    timezone: 'Asia/Singapore',
    region: 'Central',
    code: '01',
    latitude: '1.28967',
    longitude: '103.85007',
    postal: '018989',
  },
  {
    colo: 'IAD',
    city: 'Ashburn',
    country: 'US',
    continent: 'NA',
    timezone: 'America/New_York',
    region: 'Virginia',
    code: 'VA',
    latitude: '39.04372',
    longitude: '-77.48749',
    postal: '20147',
  },
  {
    colo: 'GRU',
    city: 'São Paulo',
    country: 'BR',
    continent: 'SA',
    timezone: 'America/Sao_Paulo',
    region: 'São Paulo',
    code: 'SP',
    latitude: '-23.54750',
    longitude: '-46.63611',
    postal: '01310',
  },
] as const

export const USER_AGENTS: readonly (readonly [string, number])[] = [
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36',
    6,
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    6,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1',
    5,
  ],
  ['node', 3],
  ['okhttp/4.12.0', 2],
  ['python-requests/2.31.0', 1],
  ['', 1],
]

const FUNCTION_NAMES = [
  'hello-world',
  'send-email',
  'stripe-webhook',
  'resize-image',
  'connect-heartbeat',
  'daily-report',
  'search-index',
]

export function makeWorld(seed: number): World {
  const random = seededRandom(seedOf('world', seed))
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const projects = Array.from(
    { length: 24 },
    (_, i): Project => ({
      ref: Array.from({ length: 20 }, () => letters[random.int(0, 25)]).join(''),
      // The busiest project has all of them, so that they can be told apart there.
      functions: FUNCTION_NAMES.slice(i % FUNCTION_NAMES.length).map(name => ({
        id: random.uuid(),
        name,
        medianMs: random.int(4, 400),
      })),
    }),
  )
  // Zipf's law: the second project has half the traffic of the first, the third a third.
  const weights = projects.map((project, i): readonly [Project, number] => [project, 1 / (i + 1)])
  return { projects, pickProject: from => from.weighted(weights) }
}

export const STATUS_CODES: readonly (readonly [number, number])[] = [
  [200, 780],
  [201, 60],
  [204, 30],
  [206, 5],
  [304, 35],
  [400, 20],
  [401, 28],
  [403, 8],
  [404, 22],
  [409, 4],
  [429, 3],
  [500, 7],
  [502, 2],
  [503, 1],
  [504, 2],
]

export const ipAddress = (random: Random): string =>
  `${random.int(2, 223)}.${random.int(0, 255)}.${random.int(0, 255)}.${random.int(1, 254)}`
