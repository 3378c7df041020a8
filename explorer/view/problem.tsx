/** What went wrong, and what to do. */
import type { Problem } from '../api/contract.js'

export function Alert({ problem, children }: { problem: Problem; children?: preact.ComponentChildren }) {
  const { title, detail, requestId, code, status, retryAfter } = problem
  const isCode = /^[A-Z_]+$/.test(code) && status > 0 && code !== 'UNKNOWN'
  return (
    <div role="alert" class="alert">
      <strong>{title}</strong>
      {detail && detail !== title && <p>{detail}</p>}
      {retryAfter !== undefined && <p>Ask again in {retryAfter} s.</p>}
      {children}
      <p class="small">
        {isCode && (
          <a href={problemPage(code)} target="_blank" rel="noreferrer">
            {code}
          </a>
        )}
        {status > 0 && ` HTTP ${status}`}
        {requestId && ` · request ${requestId}`}
      </p>
    </div>
  )
}

/** Where the server explains a code. */
export const problemPage = (code: string): string => `../problems/${code.toLowerCase().replaceAll('_', '-')}`
