/**
 * The catalogue states whether a function can fail. These tests compare that with the SQL generated for the function;
 * failing-branches.test.ts lets each that can fail do so.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { allFunctions } from '../../../googlesql/functions/all.js'
import type { FunctionEntry } from '../../../googlesql/functions/catalogue.js'
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { typeName } from '../../../googlesql/types/types.js'
import { SCALAR_FUNCTIONS } from '../../../googlesql-duckdb/runtime/scalar-functions/all.js'
import {
  type ScalarFunction,
  ScalarFunctionError,
  type ScalarFunctionType,
} from '../../../googlesql-duckdb/runtime/scalar-functions/scalar-function.js'
import { FAILING_AGGREGATES, FAILING_BY_PARAMETER, FAILING_CALLS } from '../../engines/duckdb/failing-calls.js'
import { callsOf, MACRO_BODIES, sqlOf } from '../catalogue-calls.js'

/** Functions that never fail although they call a failing macro or function: that one fails for other arguments only. */
const NEVER_RAISED: readonly { readonly functions: RegExp; readonly raisers: RegExp; readonly why: string }[] = [
  {
    functions: /^JSON_/,
    raisers: /^bq_json_/,
    why: 'its path is a literal, which resolution has read, and a JSON is JSON',
  },
  { functions: /^LAX_|^TO_JSON_STRING$/, raisers: /^bq_json_/, why: 'a JSON is JSON' },
  { functions: /^STRPOS$|^INSTR$/, raisers: /^bq_(?:bytes_)?instr$/, why: 'position and occurrence are 1' },
  { functions: /^SUBSTR$/, raisers: /^bq_bytes_substr$/, why: 'no length is given' },
  {
    functions: /^TRUNC$/,
    raisers: /^bq_(?:numeric_round|trunc_double)$/,
    why: 'what is cut off makes no number larger',
  },
  {
    functions: /^SAFE_/,
    raisers: /^bq_(?:(?:multiply|divide)_decimals|bignumeric_(?:subtract|negate|multiply|divide|overflow))$/,
    why: 'it stands in TRY',
  },
  { functions: /^SAFE_|^IEEE_DIVIDE$/, raisers: /^bq_float_steps$/, why: 'its step gives NULL or an infinity' },
  {
    functions: /^(?:ARRAY_)?AVG$/,
    raisers: /^bq_(?:made_large|error|numeric_average)$/,
    why: 'an average is no larger than its values',
  },
  { functions: /^FORMAT_TIME$/, raisers: /^bq_format_time$/, why: 'the time zone is UTC' },
]

const mayCall = (name: string, raiser: string): boolean =>
  NEVER_RAISED.some(({ functions, raisers }) => functions.test(name) && raisers.test(raiser))

/** JavaScript functions that give a value or NULL for all arguments. */
const TOTAL_SCALAR_FUNCTIONS: ReadonlySet<string> = new Set([
  'bq_bignumeric_average',
  'bq_bignumeric_correlation',
  'bq_bignumeric_covariance',
  'bq_bignumeric_json_string',
  'bq_bignumeric_text',
  'bq_bignumeric_to_float',
  'bq_bignumeric_trunc',
  'bq_bignumeric_variance',
  'bq_bit_count_bytes',
  'bq_bytes_lower',
  'bq_bytes_not',
  'bq_bytes_upper',
  'bq_farm_fingerprint',
  'bq_from_latin1',
  'bq_initcap',
  'bq_initcap_default',
  'bq_json_quote',
  'bq_json_quote_ascii_lines',
  'bq_latin1',
  'bq_lower_text',
  'bq_net_host',
  'bq_net_public_suffix',
  'bq_net_reg_domain',
  'bq_net_safe_ip_from_string',
  'bq_normalize',
  'bq_normalize_fold',
  'bq_numeric_correlation',
  'bq_numeric_covariance',
  'bq_numeric_variance',
  'bq_reverse_text',
  'bq_safe_bytes_to_string',
  'bq_sha512',
  'bq_soundex',
  'bq_to_base32',
  'bq_to_code_points',
  'bq_unicode',
  'bq_upper_text',
])

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '{"a":[1,null]}', '1', 'UTC', '%', '$', 'NFC'),
)
const integer = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -3n, max: 70n }))
const decimal = fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }).map(String)
const bignumeric = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
const digits = bignumeric.map(String)
const VALUES: Readonly<Record<ScalarFunctionType, fc.Arbitrary<unknown>>> = {
  BIGINT: integer,
  HUGEINT: integer,
  BIGNUM: bignumeric,
  DOUBLE: fc.double(),
  BOOLEAN: fc.boolean(),
  VARCHAR: text,
  BLOB: fc.uint8Array(),
  'VARCHAR[]': fc.array(fc.option(text)),
  'VARCHAR[][]': fc.array(fc.array(fc.option(text))),
  'BIGINT[]': fc.array(fc.option(integer)),
  'DOUBLE[]': fc.array(fc.option(fc.double())),
}

/** The arguments that the SQL can pass to the functions that do not accept all values. */
const OWN_VALUES: Readonly<Record<string, readonly fc.Arbitrary<unknown>[]>> = {
  bq_bignumeric_average: [fc.bigInt(), fc.bigInt({ min: 1n, max: 2n ** 63n })],
  bq_bignumeric_correlation: [fc.array(fc.tuple(digits, digits))],
  bq_bignumeric_covariance: [fc.array(fc.tuple(digits, digits)), fc.constantFrom(0n, 1n)],
  bq_bignumeric_variance: [fc.array(fc.option(digits)), fc.constantFrom(0n, 1n)],
  bq_normalize: [text, fc.constantFrom('NFC', 'NFKC', 'NFD', 'NFKD')],
  bq_normalize_fold: [text, fc.constantFrom('NFC', 'NFKC')],
  bq_numeric_correlation: [fc.array(fc.tuple(decimal, decimal))],
  bq_numeric_covariance: [fc.array(fc.tuple(decimal, decimal)), fc.constantFrom(0n, 1n)],
  bq_numeric_variance: [fc.array(fc.option(decimal)), fc.constantFrom(0n, 1n)],
}

describe('what can fail', () => {
  describe('by the catalogue', () => {
    it('has a failing call in this test, and other functions have none', () => {
      const known = [FAILING_CALLS, FAILING_AGGREGATES, FAILING_BY_PARAMETER].flatMap(Object.keys)
      const fallible = allFunctions().filter(entry => entry.canFail !== false)
      expect(known.sort()).to.deep.equal(fallible.map(entry => entry.name).sort())
    })

    it('is every function whose SQL raises errors', () => {
      const raising = allFunctions()
        .flatMap(entry => callsOf(entry))
        .filter(({ entry, args }) => !canFail(entry, args))
        .flatMap(({ entry, args, type }) => {
          const found = raisersIn(sqlOf(entry, args, type)).filter(raiser => !mayCall(entry.name, raiser))
          return found.map(name => `${entry.name}(${args.map(shown).join(', ')}) calls ${name}`)
        })
      expect(raising).to.deep.equal([])
    })
  })

  describe('in JavaScript', () => {
    const values = ({ name, parameters }: ScalarFunction): fc.Arbitrary<unknown>[] =>
      parameters.map((type, i) => OWN_VALUES[name]?.[i] ?? VALUES[type])
    for (const native of SCALAR_FUNCTIONS.filter(({ name }) => TOTAL_SCALAR_FUNCTIONS.has(name))) {
      it(`is not ${native.name}`, () => {
        fc.assert(
          fc.property(fc.tuple(...values(native)), args => {
            expect(() => native.compute(...(args as never[]))).not.to.throw(ScalarFunctionError)
          }),
          { numRuns: 200 },
        )
      })
    }
  })
})

function canFail({ canFail }: FunctionEntry, args: readonly (Expr | null)[]): boolean {
  return typeof canFail === 'boolean' ? canFail : canFail(args)
}

const shown = (expr: Expr | null): string => (expr ? typeName(expr.type) : '-')

const RAISING = new Map(
  SCALAR_FUNCTIONS.filter(({ name }) => !TOTAL_SCALAR_FUNCTIONS.has(name)).map(native => [native.name, native]),
)

/** The functions in the SQL, and in the macros that it calls, that raise errors themselves. */
function raisersIn(sql: string, seen = new Set<string>()): readonly string[] {
  const outsideTry = sql.replaceAll("''", '').replace(/'[^']*'/g, "''")
  return [...new Set([...outsideTry.matchAll(/\bbq_\w+/g)].map(([name]) => name))].flatMap(name => {
    if (seen.has(name)) return []
    seen.add(name)
    return RAISING.has(name) ? [name] : raisersIn(MACRO_BODIES.get(name) ?? '', seen)
  })
}
