/** Node's request and response classes as one Express app would have them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'

/** Options of `createServer`. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/** What is needed of an Express app. Express's own type would be needed by every program that compiles against this package. */
export interface MessagePrototypes {
  request: object
  response: object
}

/**
 * Classes whose prototypes become the app's `request` and `response`. Express gives each message that reaches it these two
 * prototypes; on messages of other classes V8 then has two shapes to tell apart wherever node:http touches a message, and
 * every hit becomes a sixth slower once there have been a few thousand misses.
 */
export function messageClassesOf(app: MessagePrototypes): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  copyMembers(AppRequest.prototype, express.request, app.request)
  copyMembers(AppResponse.prototype, express.response, app.response)
  app.request = AppRequest.prototype
  app.response = AppResponse.prototype
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

function copyMembers(prototype: object, ...sources: readonly object[]): void {
  for (const source of sources) Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source))
}
