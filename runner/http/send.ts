/** Sends small JSON documents other than results. */
import type { Request, Response } from 'express'

/** Answers 200 with this document; without a body to HEAD. */
export function sendJson(req: Request, res: Response, document: unknown): void {
  const body = Buffer.from(JSON.stringify(document))
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.status(200)
  if (req.method === 'HEAD') res.end()
  else res.end(body)
}
