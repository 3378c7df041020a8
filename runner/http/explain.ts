/** `GET /problems/<code>`: what a code means, for people as HTML and for programs as JSON. */

import type { RequestHandler } from 'express'
import { RunnerError } from '../model/errors.js'
import { explainProblem, findErrorCode, nearestErrorCode } from '../model/explain-problem.js'
import { proposing } from '../model/suggest.js'
import { send, sendJson } from './send.js'

/** Explains the code that `:name` names, in either spelling. @throws RunnerError NOT_FOUND, which proposes the nearest code. */
export const explain: RequestHandler = async (req, res) => {
  const name = String(req.params['name'])
  const code = findErrorCode(name)
  const isForBrowser = req.accepts('json', 'html') === 'html'
  res.vary('Accept')
  if (isForBrowser) {
    const { PAGE_POLICY, problemPage, unknownProblemPage } = await import('./problem-page.js')
    res.setHeader('Content-Security-Policy', PAGE_POLICY)
    res.setHeader('Referrer-Policy', 'no-referrer')
    const html = code === undefined ? unknownProblemPage(nearestErrorCode(name)) : problemPage(code)
    return send(req, res, code === undefined ? 404 : 200, 'text/html; charset=utf-8', Buffer.from(html))
  }
  if (code === undefined) {
    const { hint } = proposing(nearestErrorCode(name), '.')
    throw new RunnerError('NOT_FOUND', { detail: `There is no problem of this name${hint}` })
  }
  sendJson(req, res, explainProblem(code))
}
