/** Small JSON documents that are no results. */
import type { Request, Response } from 'express'

/** Answers 200 with this document; to HEAD without it. */
export function sendJson(req: Request, res: Response, document: unknown): void {
  const body = Buffer.from(JSON.stringify(document))
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.status(200)
  if (req.method === 'HEAD') res.end()
  else res.end(body)
}
