/** Sends bodies that are whole. */
import type { Request, Response } from 'express'
import { exchangeOf } from './request-context.js'

/** Answers with this body; without it to HEAD. @throws RunnerError OVERLOADED before anything is sent. */
export function send(req: Request, res: Response, status: number, contentType: string, body: Buffer): void {
  const isHead = req.method === 'HEAD'
  if (!isHead) exchangeOf(res).hold(body)
  res.setHeader('Content-Type', contentType)
  res.setHeader('Content-Length', body.byteLength)
  res.status(status)
  if (isHead) res.end()
  else res.end(body)
}

/** Answers 200 with this document. @throws as `send` does. */
export function sendJson(req: Request, res: Response, document: unknown): void {
  send(req, res, 200, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(document)))
}
