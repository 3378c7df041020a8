/** Sends bodies that are whole. */
import type { ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { inTurn } from '../model/in-turns.js'
import { exchangeOf } from './request-context.js'

/** Answers with this body; without it to HEAD. @throws RunnerError OVERLOADED before anything is sent. */
export function send(req: Request, res: Response, status: number, contentType: string, body: Buffer): void {
  const isHead = req.method === 'HEAD'
  if (!isHead) exchangeOf(res).hold(body)
  res.setHeader('Content-Type', contentType)
  res.setHeader('Content-Length', body.byteLength)
  res.status(status)
  if (isHead) res.end()
  else endWith(res, body)
}

/** The most bytes that a socket is given at once: a write returns only after the system has taken as many as it can. */
export const MAX_AT_ONCE = 524_288

/** Ends the response with this body. The pieces of a large one are sent in several turns of the event loop. */
export function endWith(res: ServerResponse, body: Buffer): void {
  let offset = 0
  const sendNext = (): void => {
    if (res.destroyed) return
    const piece = body.subarray(offset, offset + MAX_AT_ONCE)
    offset += piece.byteLength
    if (offset === body.byteLength) res.end(piece)
    else res.write(piece, () => setImmediate(inTurn, sendNext))
  }
  inTurn(sendNext)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers 200 with this document. @throws as `send` does. */
export function sendJson(req: Request, res: Response, document: unknown): void {
  send(req, res, 200, JSON_TYPE, Buffer.from(JSON.stringify(document)))
}
