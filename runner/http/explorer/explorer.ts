/** `GET /explorer/`: the page for people. It needs no token, since it has no data: it fetches all data with the reader's token. */
import type { Express, Request, RequestHandler, Response } from 'express'
import { RunnerError } from '../../model/errors.js'
import { pathOf } from '../request-context.js'
import { send } from '../send.js'
import type { ExplorerFile, readExplorerFiles } from './explorer-files.js'

/** Scripts and styles of this server alone, no text that becomes HTML, nothing inside a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const PAGE = 'index.html'

export interface ExplorerDeps {
  /** Whether there is a page at all. */
  readonly hasExplorer: boolean
  /** Where callers reach this server, perhaps below a path; null for the root of any origin. */
  readonly publicUrl: string | null
}

/** Adds the page, and the addresses that lead a browser to it. `allow` answers other methods. */
export function addExplorer(app: Express, { hasExplorer, publicUrl }: ExplorerDeps, allow: RequestHandler): void {
  if (!hasExplorer) return
  const home = `${publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')}/explorer/`
  app.get(['/', '/docs'], redirectBrowser(home))
  app.route('/explorer{/:name}').all(allow, sendFile(home))
}

/** Browsers ask for HTML by name; a program that accepts anything gets the same answer as without the page. */
function redirectBrowser(home: string): RequestHandler {
  return (req, res, next) => {
    res.vary('Accept')
    if (req.accepts('json', 'html') === 'html') redirect(res, home)
    else next()
  }
}

function sendFile(home: string): RequestHandler {
  let files: ReturnType<typeof readExplorerFiles> | null = null
  return async (req, res) => {
    if (pathOf(req.url) === '/explorer') return redirect(res, home)
    files ??= import('./explorer-files.js').then(loaded => loaded.readExplorerFiles())
    const name = String(req.params['name'] ?? PAGE)
    const file = (await files).get(name)
    if (file === undefined) throw new RunnerError('NOT_FOUND', { detail: 'There is nothing at this address.' })
    sendWithHeaders(req, res, file, name === PAGE)
  }
}

function redirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-cache')
  res.setHeader('Location', location)
  res.setHeader('Content-Length', 0)
  res.status(302).end()
}

/** All files except the page have a hash of their content in their names. */
function sendWithHeaders(req: Request, res: Response, file: ExplorerFile, isPage: boolean): void {
  res.vary('Accept-Encoding')
  res.setHeader('ETag', file.etag)
  res.setHeader('Cache-Control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable')
  if (req.fresh) {
    res.status(304).end()
    return
  }
  // Asked one at a time: among codings of equal quality, Express would take the first in the header.
  const coding = (['br', 'gzip'] as const).find(name => req.acceptsEncodings(name) === name)
  if (coding !== undefined) res.setHeader('Content-Encoding', coding)
  res.setHeader('Content-Security-Policy', POLICY)
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  send(req, res, 200, file.type, file[coding ?? 'plain'])
}
