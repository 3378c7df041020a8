/** Mistakes that variants of a query share: each is reported once. Where not all variants have a mistake, it names one that has it. */
import type { Diagnostic } from '../../model/diagnostic.js'
import type { DistinctSql } from './rule.js'

export class VariantFailures {
  readonly #failures = new Map<string, { readonly diagnostic: Diagnostic; readonly label: string; share: number }>()

  /** @param key the same for one mistake in several texts */
  add({ share, variant: { label } }: DistinctSql, diagnostic: Diagnostic, key: string): void {
    const failure = this.#failures.get(key)
    if (failure) failure.share += share
    else this.#failures.set(key, { diagnostic, label, share })
  }

  /** @param variants the number of all variants that were looked at */
  diagnostics(variants: number): readonly Diagnostic[] {
    return [...this.#failures.values()].map(({ diagnostic, label, share }) =>
      share === variants ? diagnostic : { ...diagnostic, message: `${diagnostic.message} (when ${label})` },
    )
  }
}
