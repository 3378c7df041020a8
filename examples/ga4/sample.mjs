#!/usr/bin/env node
// Writes sample events of a shop as Google Analytics 4 exports them to BigQuery: one NDJSON file for each day.
// The same flags write the same bytes: node sample.mjs --seed 1 --until 2026-01-31 --days 28 --visitors 40 --data data
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const DATASET = 'analytics_123456789'
const HOST = 'www.example-shop.com'
const DAY_MS = 86_400_000

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10) },
    days: { type: 'string', default: '28' },
    visitors: { type: 'string', default: '40' },
    data: { type: 'string', default: 'data' },
  },
})

const DEVICES = [
  [{ category: 'mobile', operating_system: 'iOS', browser: 'Safari', version: '18.2', brand: 'Apple', model: 'iPhone' }, 38],
  [{ category: 'mobile', operating_system: 'Android', browser: 'Chrome', version: '143.0', brand: 'Samsung', model: 'SM-S921B' }, 24],
  [{ category: 'desktop', operating_system: 'Windows', browser: 'Chrome', version: '143.0', brand: null, model: null }, 22],
  [{ category: 'desktop', operating_system: 'Macintosh', browser: 'Safari', version: '18.2', brand: 'Apple', model: null }, 12],
  [{ category: 'tablet', operating_system: 'iOS', browser: 'Safari', version: '18.1', brand: 'Apple', model: 'iPad' }, 4],
]
const PLACES = [
  [{ city: 'Berlin', country: 'Germany', continent: 'Europe', region: 'Berlin', sub: 'Western Europe', language: 'de-de' }, 5],
  [{ city: 'London', country: 'United Kingdom', continent: 'Europe', region: 'England', sub: 'Northern Europe', language: 'en-gb' }, 4],
  [{ city: 'New York', country: 'United States', continent: 'Americas', region: 'New York', sub: 'Northern America', language: 'en-us' }, 6],
  [{ city: 'São Paulo', country: 'Brazil', continent: 'Americas', region: 'State of Sao Paulo', sub: 'South America', language: 'pt-br' }, 2],
]
const SOURCES = [
  [{ source: 'google', medium: 'organic', campaign: '(organic)', group: 'Organic Search', referrer: 'https://www.google.com/' }, 42],
  [{ source: '(direct)', medium: '(none)', campaign: '(direct)', group: 'Direct', referrer: null }, 26],
  [{ source: 'google', medium: 'cpc', campaign: 'winter_sale', group: 'Paid Search', referrer: 'https://www.google.com/' }, 14],
  [{ source: 'newsletter', medium: 'email', campaign: 'january', group: 'Email', referrer: null }, 10],
  [{ source: 'blog.example.org', medium: 'referral', campaign: '(referral)', group: 'Referral', referrer: 'https://blog.example.org/' }, 8],
]
const PRODUCTS = [
  { id: 'SKU-1', name: 'Kettle', category: 'Kitchen', price: 39.9 },
  { id: 'SKU-2', name: 'Teapot', category: 'Kitchen', price: 24.5 },
  { id: 'SKU-3', name: 'Desk lamp', category: 'Lighting', price: 59 },
  { id: 'SKU-4', name: 'Floor lamp', category: 'Lighting', price: 129 },
  { id: 'SKU-5', name: 'Rug', category: 'Textiles', price: 89.95 },
]

/** Mulberry32: 32 bits of state, random enough for sample data, and the same on every machine. */
function seededRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (low, high) => low + Math.floor(next() * (high - low + 1))
  return {
    int,
    isTrue: probability => next() < probability,
    pick: from => from[int(0, from.length - 1)],
    weighted(pairs) {
      let left = next() * pairs.reduce((sum, [, weight]) => sum + weight, 0)
      return pairs.find(([, weight]) => (left -= weight) < 0)?.[0] ?? pairs.at(-1)[0]
    },
  }
}

const cents = amount => Math.round(amount * 100) / 100
const param = (key, value) => ({
  key,
  value: typeof value === 'number' ? { int_value: value } : { string_value: value },
})

/** All events of one session in their order, each with its time. */
function sessionEvents(random, user, startMs, number) {
  const source = number === 1 ? user.source : random.weighted(SOURCES)
  const sessionId = Math.floor(startMs / 1000)
  const events = []
  let atMicros = startMs * 1000 + random.int(0, 999)
  let page = { path: '/', title: 'Example shop' }
  let referrer = source.referrer
  let isEngaged = false
  const log = (name, params = [], more = {}) => {
    events.push({
      atMicros,
      name,
      source,
      params: [
        param('ga_session_id', sessionId),
        param('ga_session_number', number),
        param('page_location', `https://${HOST}${page.path}`),
        param('page_title', page.title),
        ...(referrer === null ? [] : [param('page_referrer', referrer)]),
        param('session_engaged', isEngaged ? '1' : '0'),
        ...params,
      ],
      ...more,
    })
    atMicros += random.int(50_000, 900_000)
  }
  const spend = seconds => {
    atMicros += seconds * 1_000_000
    if (seconds >= 10) isEngaged = true
    log('user_engagement', [param('engagement_time_msec', seconds * 1000 - random.int(0, 900))])
  }
  const open = (path, title) => {
    const isEntrance = events.every(({ name }) => name !== 'page_view')
    if (!isEntrance) referrer = `https://${HOST}${page.path}`
    page = { path, title }
    log('page_view', isEntrance ? [param('entrances', 1)] : [])
  }

  if (number === 1) log('first_visit')
  log('session_start')
  open('/', 'Example shop')
  if (random.isTrue(0.3)) return events
  spend(random.int(4, 30))
  if (random.isTrue(0.2)) {
    open('/about?ref=footer', 'About us')
    log('scroll', [param('percent_scrolled', 90)])
    spend(random.int(5, 90))
  }
  const products = Array.from({ length: random.int(0, 3) }, () => random.pick(PRODUCTS))
  const cart = []
  for (const product of products) {
    const item = { item_id: product.id, item_name: product.name, item_category: product.category, price: product.price }
    open(`/products/${product.id.toLowerCase()}${random.isTrue(0.3) ? '?utm_source=share' : ''}`, product.name)
    log('view_item', [param('currency', 'EUR')], { items: [{ ...item, quantity: 1 }] })
    spend(random.int(6, 120))
    if (!random.isTrue(0.35)) continue
    cart.push({ ...item, quantity: random.int(1, 3) })
    log('add_to_cart', [param('currency', 'EUR')], { items: cart.slice(-1) })
  }
  if (cart.length === 0 || random.isTrue(0.4)) return events
  open('/checkout', 'Checkout')
  log('begin_checkout', [param('currency', 'EUR')], { items: cart })
  spend(random.int(20, 200))
  if (random.isTrue(0.35)) return events
  open('/checkout/thanks', 'Thank you')
  const items = cart.map(item => ({ ...item, item_revenue: cents(item.price * item.quantity) }))
  const revenue = cents(items.reduce((sum, item) => sum + item.item_revenue, 0))
  const transaction = `T-${sessionId}`
  log('purchase', [param('transaction_id', transaction), param('currency', 'EUR')], {
    items,
    ecommerce: {
      total_item_quantity: items.reduce((sum, item) => sum + item.quantity, 0),
      purchase_revenue: revenue,
      unique_items: items.length,
      transaction_id: transaction,
    },
  })
  return events
}

/** A row of the export. */
function exported(user, { atMicros, name, source, params, items = [], ecommerce = null }, index) {
  const { device, place } = user
  return {
    event_date: new Date(atMicros / 1000).toISOString().slice(0, 10).replaceAll('-', ''),
    event_timestamp: atMicros,
    event_name: name,
    event_params: params,
    event_bundle_sequence_id: index + 1,
    user_id: user.login,
    user_pseudo_id: user.id,
    privacy_info: { analytics_storage: 'Yes', ads_storage: 'Yes', uses_transient_token: 'No' },
    user_properties:
      user.login === null
        ? []
        : [{ key: 'plan', value: { string_value: user.plan, set_timestamp_micros: user.firstMs * 1000 } }],
    user_first_touch_timestamp: user.firstMs * 1000,
    device: {
      category: device.category,
      mobile_brand_name: device.brand,
      mobile_model_name: device.model,
      operating_system: device.operating_system,
      language: place.language,
      is_limited_ad_tracking: 'No',
      web_info: { browser: device.browser, browser_version: device.version, hostname: HOST },
    },
    geo: {
      city: place.city,
      country: place.country,
      continent: place.continent,
      region: place.region,
      sub_continent: place.sub,
    },
    traffic_source: { name: user.source.campaign, medium: user.source.medium, source: user.source.source },
    stream_id: '1234567890',
    platform: 'WEB',
    ecommerce,
    items,
    collected_traffic_source:
      name === 'session_start' && source.medium !== '(none)'
        ? { manual_campaign_name: source.campaign, manual_source: source.source, manual_medium: source.medium }
        : null,
    is_active_user: true,
    batch_event_index: index + 1,
    session_traffic_source_last_click: {
      cross_channel_campaign: {
        campaign_name: source.campaign,
        source: source.source,
        medium: source.medium,
        default_channel_group: source.group,
      },
    },
  }
}

const random = seededRandom(Number(flags.seed))
const days = Number(flags.days)
const firstMs = Date.parse(`${flags.until}T00:00:00Z`) - (days - 1) * DAY_MS
if (!Number.isInteger(days) || days < 1 || Number.isNaN(firstMs)) {
  process.stderr.write('sample.mjs: --until takes a date such as 2026-01-31, and --days a number from 1\n')
  process.exit(2)
}

const shards = new Map(
  Array.from({ length: days }, (_, day) => [
    new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''),
    [],
  ]),
)
for (let day = 0; day < days; day += 1) {
  const weekday = new Date(firstMs + day * DAY_MS).getUTCDay()
  const newcomers = Math.round(Number(flags.visitors) * (weekday % 6 === 0 ? 0.6 : 1) * (0.8 + random.int(0, 40) / 100))
  for (let visitor = 0; visitor < newcomers; visitor += 1) {
    const isKnown = random.isTrue(0.25)
    const user = {
      id: `${random.int(100_000_000, 999_999_999)}.${random.int(1_600_000_000, 1_700_000_000)}`,
      login: isKnown ? `u-${random.int(1000, 9999)}` : null,
      plan: random.pick(['free', 'plus']),
      device: random.weighted(DEVICES),
      place: random.weighted(PLACES),
      source: random.weighted(SOURCES),
      firstMs: 0,
    }
    // A visitor comes back with a probability that falls with the days since the first visit.
    for (let later = 0, number = 1; day + later < days; later += 1) {
      if (later > 0 && !random.isTrue((isKnown ? 0.6 : 0.25) / (1 + later))) continue
      // No session runs past midnight, so each is in one shard.
      const startMs = firstMs + (day + later) * DAY_MS + random.int(6 * 3_600_000, 22 * 3_600_000)
      if (number === 1) user.firstMs = startMs
      const events = sessionEvents(random, user, startMs, number)
      for (const [index, event] of events.entries()) {
        const row = exported(user, event, index)
        shards.get(row.event_date).push(row)
      }
      number += 1
    }
  }
}

const folder = join(flags.data, DATASET)
mkdirSync(folder, { recursive: true })
let count = 0
for (const [day, rows] of shards) {
  rows.sort((a, b) => a.event_timestamp - b.event_timestamp)
  writeFileSync(join(folder, `events_${day}.ndjson`), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  count += rows.length
}
process.stdout.write(`wrote ${count} events into ${shards.size} shards of ${folder}\n`)
