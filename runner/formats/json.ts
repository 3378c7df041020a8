/** JSON: the stored result itself, which all other formats are written from. */
import type { Format } from './format.js'

export const json = {
  name: 'json',
  mediaTypes: ['application/json'],
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  download: { title: 'JSON', about: 'as programs get it', place: 7 },
  write: (_columns, body) => body,
} as const satisfies Format
