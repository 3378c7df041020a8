/** The parameters and columns of the endpoint, as text. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Endpoint, Parameter } from '../api/contract.js'
import { type Published, publishedOf } from '../state/published.js'
import { token } from '../state/session.js'
import { cachePolicyInWords } from './cache-policy.js'
import { problemPage } from './problem.js'
import { Scroll } from './scroll.js'
import { Code } from './use-it-from.js'

export function Documentation({ of }: { of: Endpoint }) {
  const published = useSignal<Published | null>(null)
  useEffect(() => {
    // Without it, what the description has is still shown.
    publishedOf(of.name, token.value ?? '').then(
      text => {
        published.value = text
      },
      () => undefined,
    )
  }, [of])
  return (
    <div class="documentation">
      {of.parameters.length > 0 && <Parameters all={of.parameters} />}
      <Listing title="Columns" heads={['Name', 'Type', 'Unit', 'NULL', 'About']}>
        {of.columns.map(({ name, type, unit, required, description }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{type}</code>
            </td>
            <td>{unit}</td>
            <td>{required ? 'never' : 'possible'}</td>
            <td>{description}</td>
          </tr>
        ))}
      </Listing>
      <section>
        <h2>Cache and limits</h2>
        <ul>
          {cachePolicyInWords(of.settings).map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
          {of.tenant !== undefined && (
            <li>
              Results are for one tenant each: <code>{of.tenant}</code> says which.
            </li>
          )}
        </ul>
      </section>
      {published.value !== null && published.value.errors.length > 0 && <Errors all={published.value.errors} />}
      {published.value?.example !== undefined && (
        <section>
          <h2>Example of a result</h2>
          <Code text={JSON.stringify(published.value.example, null, 2)} />
        </section>
      )}
    </div>
  )
}

/** A table with a row for each thing that the endpoint declares. */
function Listing({ title, heads, children }: { title: string; heads: readonly string[]; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      <Scroll>
        <table class="plain">
          <thead>
            <tr>
              {heads.map(head => (
                <th scope="col" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </Scroll>
    </section>
  )
}

function Parameters({ all }: { all: readonly Parameter[] }) {
  return (
    <Listing title="Parameters" heads={['Name', 'Type', 'Values', 'About']}>
      {all.map(parameter => (
        <tr key={parameter.name}>
          <th scope="row">{parameter.name}</th>
          <td>
            <code>{parameter.type}</code>
            {parameter.required && ', required'}
          </td>
          <td>{valuesInWords(parameter)}</td>
          <td>{parameter.description}</td>
        </tr>
      ))}
    </Listing>
  )
}

function valuesInWords(parameter: Parameter): string {
  const { examples = [], pattern, minimum, maximum, max_length: maxLength, format } = parameter
  const { max_element_length: maxElementLength } = parameter
  const parts = [
    parameter.enum && `one of ${parameter.enum.join(', ')}`,
    parameter.default !== undefined && `${String(parameter.default)} if it is left out`,
    minimum !== undefined && `at least ${String(minimum)}`,
    maximum !== undefined && `at most ${String(maximum)}`,
    maxLength !== undefined && `at most ${maxLength} ${parameter.type.startsWith('array<') ? 'values' : 'characters'}`,
    maxElementLength !== undefined && `each at most ${maxElementLength} characters`,
    pattern !== undefined && `as ${pattern}`,
    format === 're2' && 'a regular expression (RE2)',
    !parameter.enum && examples.length > 0 && `such as ${examples.join(', ')}`,
  ]
  return parts.filter(part => typeof part === 'string').join('; ')
}

function Errors({ all }: { all: Published['errors'] }) {
  return (
    <Listing title="Errors" heads={['Status', 'Code', 'About']}>
      {all.map(({ status, about, codes }) => (
        <tr key={status}>
          <th scope="row">{status}</th>
          <td>
            {codes.map(code => (
              <a key={code} class="code-link" href={problemPage(code)} target="_blank" rel="noreferrer">
                {code}
              </a>
            ))}
          </td>
          <td>{about.replaceAll('`', '')}</td>
        </tr>
      ))}
    </Listing>
  )
}
