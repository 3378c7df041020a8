/** A `pinned_as` must compile for RE2, and with a value in the place of {pin} must match no other value. */
import { pinnedAsMistake } from '../../pinned-as.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterPinnedAs: Rule<ManifestFacts> = {
  id: 'parameter/pinned-as',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [name, { format, pinned_as: pinnedAs }] of Object.entries(manifest.parameters ?? {})) {
      if (pinnedAs === undefined || format === undefined) continue
      const tell = (mistake: string): void =>
        report(source.valueAt(['parameters', name, 'pinned_as']), `the pinned_as of parameter "${name}" ${mistake}`)
      const mistake = pinnedAsMistake(pinnedAs)
      if (mistake !== null) tell(mistake)
      const lookup = Object.entries(manifest.lookups ?? {}).find(([, { by }]) => by === name)
      if (lookup)
        tell(`would pick the row of lookup table "${lookup[0]}", which has rows for values, not for expressions`)
    }
  },
}
