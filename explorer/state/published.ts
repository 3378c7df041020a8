/** What the OpenAPI document says beyond the description of an endpoint: its errors and its reviewed example. */
import { ask } from '../api/ask.js'

export interface Published {
  readonly example: unknown
  /** By HTTP status. */
  readonly errors: readonly { readonly status: string; readonly about: string; readonly codes: readonly string[] }[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components: { readonly schemas?: Readonly<Record<string, unknown>> }
}

interface Operation {
  readonly responses: Readonly<Record<string, Answer>>
}

interface Answer {
  readonly description: string
  readonly content?: Readonly<
    Record<string, { readonly schema?: { readonly $ref?: string }; readonly example?: unknown }>
  >
}

/** The endpoints have changed. */
export function forgetPublished(): void {
  document = null
}

let document: { readonly token: string; readonly fetched: Promise<OpenApi> } | null = null

/** Fetched once for each token, when it is first needed. @throws Refused. */
export async function publishedOf(name: string, token: string): Promise<Published> {
  if (document?.token !== token) {
    const fetched = ask('openapi.json', { token }).then(response => response.json() as Promise<OpenApi>)
    document = { token, fetched }
    fetched.catch(() => {
      document = null
    })
  }
  const { paths, components } = await document.fetched
  const responses = paths[`/api/endpoints/query/${name}`]?.get?.responses ?? {}
  return {
    example: responses['200']?.content?.['application/json']?.example,
    errors: Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description, content }]) => {
        const ref = content?.['application/problem+json']?.schema?.$ref ?? ''
        return { status, about: description, codes: codesOf(components.schemas?.[ref.split('/').at(-1) ?? '']) }
      }),
  }
}

/** The values of `code`, wherever the schema has them. */
function codesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { code } = schema as { readonly code?: { readonly enum?: readonly string[]; readonly const?: string } }
  if (code?.enum) return code.enum
  if (code?.const !== undefined) return [code.const]
  return Object.values(schema).flatMap(codesOf)
}
