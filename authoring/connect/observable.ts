/** A data loader of Observable Framework: a shell script that writes Arrow. */
import { addressOf, requestFormat } from './address.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const OBSERVABLE: ConnectTool = { name: 'observable', title: 'Observable', language: 'shell', write }

function write(call: ConnectCall): string {
  const { query, headers } = requestFormat(call, 'arrow')
  const extraHeaders = headers.map(([name, value]) => ` -H '${name}: ${value}'`).join('')
  const file = call.endpoint.name.replace(/[^A-Za-z0-9_-]+/g, '-')
  return [
    '#!/bin/sh',
    `# src/data/${file}.arrow.sh; a page reads it: FileAttachment('data/${file}.arrow').arrow()`,
    `curl --fail --silent --show-error -H "X-API-KEY: $SLUICE_TOKEN"${extraHeaders} '${addressOf(call, query)}'`,
    '',
  ].join('\n')
}
