/** Rules about parameters, and about the arguments that the SQL reads. */

import { CURSOR, PAGE_SIZE } from '../../../model/page.js'
import { splitType } from '../../../model/param.js'
import { re2Problem } from '../../../model/re2.js'
import { didYouMean } from '../../../model/suggest.js'
import { compileSchema } from '../../argument-schema.js'
import { constraintMistakes } from '../../constraints.js'
import { pinnedAsMistake } from '../../pinned-as.js'
import type { NodePath } from '../../source.js'
import { tenantParameter } from '../../tenant.js'
import { eachParameter, lookupsOf, type ManifestFacts, parametersOf, type Rule, type TemplateFacts } from '../rule.js'

/** The members of TypeScript's `Object` that a parameter's name can spell. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set(
  'constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf'.split(' '),
)

/** The names by which a call asks for a page. */
const PAGE_ARGUMENTS: readonly string[] = [PAGE_SIZE, CURSOR]

/** The types in which a tool can write the beginning or the end of its period. */
const ROLE_TYPES = ['timestamp', 'datetime', 'date', 'string', 'int64']

export const parameterRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'parameter/reserved-name',
    says: 'A parameter is named `now`, which is always bound to the time of the query.',
    check: eachParameter(([name], { source }, report) => {
      const message = `the name "${name}" is reserved: @now is always the time of the query`
      if (name.toLowerCase() === 'now') report(source.keyAt(['parameters', name]), message)
    }),
  },
  {
    id: 'parameter/hides-format',
    severity: 'warning',
    says: 'A parameter is named `format`, so an address cannot choose the format of the result; only `Accept` can.',
    check: ({ manifest, source }, report) => {
      const message =
        'the parameter "format" takes the name that chooses the format of the result, so only Accept chooses it; choose another name'
      if (Object.hasOwn(manifest.parameters ?? {}, 'format')) report(source.keyAt(['parameters', 'format']), message)
    },
  },
  {
    id: 'pages/parameter-name',
    says: 'A parameter of an endpoint with `pages` is named `page_size` or `cursor`, by which callers ask for a page.',
    check: eachParameter(([name], { manifest, source }, report) => {
      const message = `callers ask for a page by "${name}", so no parameter may have that name; choose another one, or remove settings.pages`
      if (manifest.settings?.pages && PAGE_ARGUMENTS.includes(name)) report(source.keyAt(['parameters', name]), message)
    }),
  },
  {
    id: 'parameter/object-member',
    severity: 'warning',
    says: 'A parameter is named as a member of every object of JavaScript, such as `constructor` or `toString`. Callers in TypeScript cannot leave it out.',
    check: eachParameter(([name], { source }, report) => {
      const why = `every object of JavaScript has a member "${name}", which typed clients take for the argument`
      if (OBJECT_MEMBERS.has(name)) report(source.keyAt(['parameters', name]), `${why}; choose another name`)
    }),
  },
  {
    id: 'parameter/duplicate-name',
    says: 'Two parameters differ only in case.',
    check: ({ manifest, source }, report) => {
      const names = new Map<string, string>()
      for (const [name] of parametersOf(manifest)) {
        const first = names.get(name.toLowerCase())
        names.set(name.toLowerCase(), first ?? name)
        if (first === undefined) continue
        const { line } = source.keyAt(['parameters', first])
        const message = `"${name}" and "${first}" (line ${line}) differ only in case; BigQuery treats them as one`
        report(source.keyAt(['parameters', name]), message)
      }
    },
  },
  {
    id: 'parameter/required-with-default',
    says: 'A required parameter has a default.',
    check: eachParameter(([name, { required, default: fallback }], { source }, report) => {
      const message = `parameter "${name}" is required, so its default is never used; delete one of the two`
      if (required && fallback !== undefined) report(source.keyAt(['parameters', name, 'default']), message)
    }),
  },
  {
    id: 'parameter/bad-constraint',
    says: 'A constraint, a default or an example contradicts the type or another constraint.',
    check: eachParameter(([name, parameter], { source }, report) => {
      const written = (path: NodePath) => source.writtenAt(['parameters', name, ...path])
      for (const { path, message } of constraintMistakes(parameter, written)) {
        report(source.valueAt(['parameters', name, ...path]), `parameter "${name}": ${message}`)
      }
    }),
  },
  {
    id: 'parameter/unsafe-pattern',
    says: 'A pattern is not one of RE2, or its program is too large.',
    check: eachParameter(([name, { pattern }], { source }, report) => {
      const problem = pattern === undefined ? null : re2Problem(pattern)
      if (problem === null) return
      report(source.valueAt(['parameters', name, 'pattern']), `the pattern of parameter "${name}" ${problem}`)
    }),
  },
  {
    id: 'parameter/schema',
    says: '`schema` is not a JSON Schema, or has a keyword that could take long on a caller’s value.',
    check: eachParameter(([name, { schema }], { source }, report) => {
      const problem = schema && compileSchema(schema)
      if (typeof problem === 'string')
        report(source.valueAt(['parameters', name, 'schema']), `the schema of parameter "${name}" ${problem}`)
    }),
  },
  {
    id: 'parameter/pinned-as',
    says: '`pinned_as` has what it may not have, or does not say where a value begins and ends.',
    check: eachParameter(([name, { format, pinned_as: pinnedAs }], { manifest, source }, report) => {
      if (pinnedAs === undefined || format === undefined) return
      const [table] = lookupsOf(manifest).find(([, { by }]) => by === name) ?? []
      const mistakes = [
        pinnedAsMistake(pinnedAs),
        table && `would pick the row of lookup table "${table}", which has rows for values, not for expressions`,
      ]
      for (const mistake of mistakes.filter(Boolean)) {
        report(source.valueAt(['parameters', name, 'pinned_as']), `the pinned_as of parameter "${name}" ${mistake}`)
      }
    }),
  },
  {
    id: 'parameter/no-pinned-as',
    severity: 'warning',
    says: 'A parameter of `format: re2` has no `pinned_as`, so no token that pins it may call the endpoint.',
    check: eachParameter(([name, { type, format, pinned_as: pinnedAs }], { manifest, source }, report) => {
      if (format === undefined || pinnedAs !== undefined || splitType(type).scalar !== 'string') return
      // Where another parameter is the tenant, tokens pin that parameter.
      if ((tenantParameter(manifest) ?? name) !== name) return
      const message = `a token that pins parameter "${name}" may not call this endpoint, since its pin would be a regular expression; add pinned_as`
      report(source.valueAt(['parameters', name, 'format']), message)
    }),
  },
  {
    id: 'parameter/role',
    says: 'A role does not fit the type of its parameter, or two parameters have it.',
    check: ({ manifest, source }, report) => {
      const first = new Map<string, string>()
      for (const [name, { role, type }] of parametersOf(manifest)) {
        if (role === undefined) continue
        const place = source.valueAt(['parameters', name, 'role'])
        const types = ROLE_TYPES.join(', ')
        const other = first.get(role)
        if (!ROLE_TYPES.includes(type)) {
          report(place, `parameter "${name}" has a role, so its type must be one of ${types}; found ${type}`)
        } else if (other !== undefined) {
          report(place, `parameter "${other}" has the role ${role} already; a period has one ${role}`)
        } else first.set(role, name)
      }
    },
  },
]

export const argumentRules: readonly Rule<TemplateFacts>[] = [
  {
    id: 'parameter/undeclared',
    says: 'The SQL reads an argument that is not declared.',
    check: ({ manifest, texts }, report) => {
      const declared = new Set([...Object.keys(manifest.parameters ?? {}), 'now'])
      for (const { name, place } of texts.flatMap(text => text.argumentNames ?? [])) {
        if (declared.has(name)) continue
        const row = Object.values(manifest.lookups?.[name]?.rows ?? {})[0]
        const more = row
          ? { hint: `; it is a lookup table: write {{${name}.${Object.keys(row)[0]}}} for a field`, table: name }
          : didYouMean(name, declared, '; declare it under "parameters"')
        report(place(), `no parameter is named "${name}"`, more)
      }
    },
  },
  {
    id: 'parameter/unused',
    says: 'Nothing reads the parameter.',
    check: ({ manifest, source, expansion, texts }, report) => {
      // A text that cannot be tokenised may read any parameter.
      if (texts.some(({ argumentNames }) => argumentNames === null)) return
      const bound = texts.flatMap(({ argumentNames }) => argumentNames!.map(({ name }) => name))
      const usedNames = new Set([...expansion.used.given, ...lookupsOf(manifest).map(([, { by }]) => by), ...bound])
      for (const [name] of parametersOf(manifest)) {
        if (usedNames.has(name)) continue
        const isQuoted = [`'@${name}'`, `"@${name}"`].some(text => manifest.sql.includes(text))
        const how = `@${name}${isQuoted ? ', without quotes around it' : ''}`
        const message = `parameter "${name}" is never used; read it as ${how}, or delete it`
        report(source.keyAt(['parameters', name]), message, { unused: name })
      }
    },
  },
]
