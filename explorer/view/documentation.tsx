/** What the endpoint takes and gives, as text. */
import type { Endpoint } from '../api/contract.js'
import { cachePolicyInWords } from './cache-policy.js'

export function Documentation({ of }: { of: Endpoint }) {
  return (
    <div class="documentation">
      <section>
        <h2>Columns</h2>
        <div class="scroll">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Unit</th>
                <th scope="col">NULL</th>
                <th scope="col">About</th>
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </div>
      </section>
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
    </div>
  )
}
