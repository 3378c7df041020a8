/** The forms of the date and time family, by their topics. */
import type { Forms } from '../forms.js'
import { CAST_FORMAT_FORMS } from './cast-format.js'
import { ARITHMETIC_FORMS } from './date-arithmetic.js'
import { CONSTRUCT_FORMS } from './date-construct.js'
import { FORMAT_FORMS } from './date-format.js'
import { TRUNC_FORMS } from './date-trunc.js'
import { INTERVAL_FORMS } from './intervals.js'

export const DATE_FORMS: Forms = {
  ...CONSTRUCT_FORMS,
  ...TRUNC_FORMS,
  ...ARITHMETIC_FORMS,
  ...FORMAT_FORMS,
  ...INTERVAL_FORMS,
  ...CAST_FORMAT_FORMS,
}
