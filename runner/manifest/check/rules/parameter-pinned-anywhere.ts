/** A `pinned_as` without an anchor also matches the text of another value that only mentions the pin. */
import { pinnedAsMistake, textOfSeveral } from '../../pinned-as/pinned-as.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterPinnedAnywhere: Rule<ManifestFacts> = {
  id: 'parameter/pinned-anywhere',
  severity: 'warning',
  check: ({ manifest, source }, report) => {
    for (const [name, { format, pinned_as: pinnedAs }] of Object.entries(manifest.parameters ?? {})) {
      if (pinnedAs === undefined || format === undefined || pinnedAsMistake(pinnedAs) !== null) continue
      const text = textOfSeveral(pinnedAs)
      if (text === null) continue
      report(
        source.valueAt(['parameters', name, 'pinned_as']),
        `the pinned_as of parameter "${name}" finds a value at several places of a text such as ${JSON.stringify(text)}, so a pin reaches every text that mentions it; begin with ^ and what always stands before {pin}`,
      )
    }
  },
}
