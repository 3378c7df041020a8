/** A real caching proxy before the server: however it is configured, it never serves one token's result to another token. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../free-port.js'
import { rawRequest } from '../http/raw-request.js'
import { type Serving, serving, TOKEN } from '../http/serving.js'
import { isRequired } from '../installed/installed.js'
import { until } from '../until.js'

const NGINX = ['nginx', '/usr/sbin/nginx'].find(path => spawnSync(path, ['-v']).status === 0)
const PATH = '/api/endpoints/query/tests.echo'

/** A configuration of nginx; `server` is the text inside `http { … }`. */
function configuration(folder: string, server: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
    daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join('\n')}
      proxy_cache_path ${folder}/cache keys_zone=results:1m;
      ${server}
    }`
}

/** A server block for nginx; `keeps` is its caching configuration. */
const caching =
  (upstream: string, keeps: string) =>
  (port: number): string =>
    `
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${upstream};
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          add_header X-Proxy $upstream_cache_status always;
          ${keeps}
        }
      }`

interface Proxy {
  readonly url: string
  end(): Promise<void>
}

async function startProxy(server: (port: number) => string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  mkdirSync(join(folder, 'cache'))
  writeFileSync(file, configuration(folder, server(port)))
  const child: ChildProcess = spawn(NGINX!, ['-e', join(folder, 'error.log'), '-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/healthz`)) !== null, 'nginx answers')
  return {
    url,
    async end() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/** A configuration that follows HTTP, and one of an operator who caches results although they are private. */
const OBEDIENT = 'proxy_cache results; proxy_cache_revalidate on;'
const DETERMINED = `proxy_cache results;
  proxy_cache_revalidate on;
  proxy_ignore_headers Cache-Control Expires;
  proxy_cache_valid 200 1s;
  proxy_cache_valid any 0;`

const WHY = NGINX ? '' : ' (pending: there is no nginx here; apt-get install nginx)'

describe(`behind nginx${WHY}`, function () {
  this.timeout(600_000)
  let s: Serving
  let alpha = ''
  let beta = ''

  before(async function () {
    if (!NGINX) {
      if (isRequired) throw new Error('nginx is needed, but not installed')
      this.skip()
    }
    s = await serving()
    alpha = await s.token({ allow: ['*'], pin: { project: 'alpha' } })
    beta = await s.token({ allow: ['*'], pin: { project: 'beta' } })
  })
  after(() => s?.close())

  const ask = async (proxy: Proxy, token: string | null, headers: Record<string, string> = {}) => {
    const answer = await rawRequest(proxy.url + PATH, 'GET', {
      ...(token !== null && { 'X-API-KEY': token }),
      ...headers,
    })
    const project = answer.status === 200 ? JSON.parse(answer.body.toString()).result[0].project : null
    return { status: answer.status, project, proxy: answer.headers['x-proxy'], headers: answer.headers }
  }

  for (const [name, keeps, kept] of [
    ['that obeys', OBEDIENT, 'MISS'],
    ['that is made to keep private results', DETERMINED, 'HIT'],
  ] as const) {
    it(`a proxy ${name} gives each token its own result`, async () => {
      const proxy = await startProxy(caching(s.url, keeps))
      try {
        for (let round = 0; round < 3; round += 1) {
          for (const [token, project] of [
            [alpha, 'alpha'],
            [beta, 'beta'],
          ] as const) {
            expect(await ask(proxy, token)).to.include({ status: 200, project, proxy: round === 0 ? 'MISS' : kept })
            expect(await ask(proxy, null, { Authorization: `Bearer ${token}` })).to.include({ status: 200, project })
          }
          for (const token of [null, 'nonsense', `${alpha}x`]) {
            expect(await ask(proxy, token)).to.include({ status: 401, project: null })
          }
        }
      } finally {
        await proxy.end()
      }
    })
  }

  it('a proxy that keeps results revalidates them by 304', async () => {
    const proxy = await startProxy(caching(s.url, DETERMINED))
    try {
      await ask(proxy, alpha)
      const before = s.engine.queries.length
      await new Promise(resolve => setTimeout(resolve, 2_100))
      expect(await ask(proxy, alpha)).to.include({ status: 200, project: 'alpha', proxy: 'REVALIDATED' })
      expect(await s.done()).to.include({ status: 304, cache: 'hit' })
      expect(s.engine.queries).to.have.length(before)
    } finally {
      await proxy.end()
    }
  })

  it('a caller revalidates through a proxy, whether it keeps results or not', async () => {
    for (const keeps of ['', DETERMINED]) {
      const proxy = await startProxy(caching(s.url, keeps))
      try {
        const { headers } = await ask(proxy, alpha)
        const tag = { 'If-None-Match': String(headers.etag) }
        const again = await ask(proxy, alpha, tag)
        expect([again.status, again.headers.etag]).to.deep.equal([304, headers.etag])
        expect(await ask(proxy, beta, tag)).to.include({ status: 200, project: 'beta' })
      } finally {
        await proxy.end()
      }
    }
  })

  it('replicas that are restarted one after the other lose no call, as docs/deployment.md has nginx do it', async () => {
    const ports = [await freePort(), await freePort()]
    const start = (port: number): Promise<Serving> => serving({ port })
    const replicas = await Promise.all(ports.map(start))
    const written = /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/deployment.md', 'utf8'))![1]!
    const upstreams = ports.reduce(
      (text, port, i) => text.replace(`10.0.0.${i + 1}:8080`, `127.0.0.1:${port}`),
      written,
    )
    const proxy = await startProxy(port => upstreams.replace('server {', `server {\nlisten 127.0.0.1:${port};`))
    const counts = new Map<number, number>()
    let isOver = false
    const call = async (): Promise<void> => {
      while (!isOver) {
        const response = await fetch(`${proxy.url}${PATH}?project=x`, { headers: { 'X-API-KEY': TOKEN } })
        await response.arrayBuffer()
        counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
      }
    }
    const callers = Promise.all(Array.from({ length: 8 }, call))
    try {
      for (let round = 0; round < 3; round += 1) {
        for (const [i, port] of ports.entries()) {
          await new Promise(resolve => setTimeout(resolve, 200))
          await replicas[i]!.close()
          replicas[i] = await start(port)
        }
      }
    } finally {
      isOver = true
      await callers
      await proxy.end()
      for (const replica of replicas) await replica.close()
    }
    expect([...counts.keys()]).to.deep.equal([200])
    expect(counts.get(200)).to.be.greaterThan(50)
  })
})
