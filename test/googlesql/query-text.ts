/** Random texts that cover the whole grammar of queries; they need not have a meaning. */
import fc from 'fast-check'

type Text = fc.Arbitrary<string>

/** A template tag: the texts of `parts` between the pieces of the template. */
function t(strings: TemplateStringsArray, ...parts: readonly Text[]): Text {
  return fc.tuple(...parts).map(texts => strings.map((piece, i) => piece + (texts[i] ?? '')).join(''))
}

const word = (...words: readonly string[]): Text => fc.constantFrom(...words)
const maybe = (text: Text): Text => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text })
const list = (item: Text, most = 3): Text =>
  fc.array(item, { minLength: 1, maxLength: most }).map(items => items.join(', '))

const name = word('a', 'B', 'c_1', '`a b`', '`select`', '`é\\`x`', 'offset', 'pivot', 'date', 'temp', 'value')
const path = word('t', 'd.t', '`p-1.d.t`', 'my-project-1.d.t', 't.from', 'a.b.c')
const type = fc.letrec<{ type: string }>(tie => ({
  type: fc.oneof(
    { depthSize: 'small' },
    word('INT64', 'STRING(10)', 'numeric(10, 2)', 'INTERVAL', 'TIMESTAMP', 'JSON'),
    t`ARRAY<${tie('type')}>`,
    t`STRUCT<a ${tie('type')}, ${tie('type')}>`,
    word('STRUCT<>', 'STRUCT<`a b` DATE>'),
  ),
})).type

const literal = word(
  ...['NULL', 'TRUE', 'false', '0', '9223372036854775807', '0xFF', '1.', '.5', '1e10', '2.5E-3'],
  ...[
    `'it''`.slice(0, 4),
    `"a'b"`,
    `r'\\d+'`,
    `'''x\ny'''`,
    `'a' "b"`,
    `'\\n\\t\\\\\\'\\u00e9\\x41'`,
    `b'\\xff\\x00a'`,
  ],
  ...[`DATE '2026-01-31'`, `JSON '{"a": [1]}'`, `NUMERIC '1.5'`, `timestamp "x"`, '@p', '@P_2', '@select', '@`q r`'],
)
const part = word('DAY', 'week', 'WEEK(MONDAY)', 'ISOYEAR', 'MINUTE')
const plainPart = word('DAY', 'month', 'HOUR')
const direction = t`${maybe(word(' ASC', ' DESC'))}${maybe(word(' NULLS FIRST', ' NULLS LAST'))}`
const suffix = t`${word(' ASC', ' DESC')}${maybe(word(' NULLS FIRST', ' NULLS LAST'))}`
const count = word('1', '@n', 'CAST(@n AS INT64)', 'CAST(2 AS INT64)')
const alias = maybe(t`${word(' AS ', ' as ')}${name}`)
const label = maybe(word(" AS 'x'", ' AS 1', ' 2'))
const names = t`(${list(name)})`

const { expression, script } = fc.letrec<Record<'expression' | 'window' | 'query' | 'from' | 'script', string>>(tie => {
  const e = tie('expression')
  const q = tie('query')
  const es = list(e)
  const order = t`ORDER BY ${list(t`${e}${direction}`, 2)}`
  const frame = t`${word('ROWS', 'RANGE')} ${fc.oneof(
    word('UNBOUNDED PRECEDING', 'CURRENT ROW', '1 PRECEDING'),
    t`BETWEEN ${word('UNBOUNDED PRECEDING', '1 PRECEDING', '@n FOLLOWING')} AND ${word('CURRENT ROW', '2 FOLLOWING', 'UNBOUNDED FOLLOWING')}`,
  )}`
  const window = fc.oneof(name, t`(${maybe(name)} ${maybe(t`PARTITION BY ${es}`)} ${maybe(order)} ${maybe(frame)})`)
  const windows = maybe(t` WINDOW ${list(t`${name} AS ${window}`, 2)}`)
  const lambda = t`${word('x -> ', '(x, y) -> ', '() -> ')}${e}`
  const argument = fc.oneof({ weight: 6, arbitrary: e }, lambda, t`k => ${e}`, t`${e} AS k`)
  const clausesOfCall = t`${maybe(word(' IGNORE NULLS', ' RESPECT NULLS'))}${maybe(t` HAVING MAX ${e}`)}${maybe(t` ${order}`)}${maybe(t` LIMIT ${count}`)}`
  const call = fc.oneof(
    t`${word('f', 'SAFE.f', 'net.host', 'IF', '`my f`', 'SUM', 'left')}(${list(argument)})`,
    t`f(${word('', 'DISTINCT ')}${es}${clausesOfCall})${maybe(t` OVER ${window}`)}`,
    word('COUNT(*)', 'f()', 'CURRENT_DATE', 'current_timestamp()'),
  )
  const operator = fc.oneof(
    t`${e} ${word('OR', 'AND', '=', '!=', '<>', '<', '>=', '|', '^', '&', '<<', '>>', '+', '-', '*', '/', '||')} ${e}`,
    t`(${e}) ${word('OR', 'AND', '=', '<', '|', '&', '>>', '+', '-', '*', '||')} (${e})`,
    t`${word('NOT ', '- ', '+', '~')}(${e})`,
    t`(${e}) IS ${word('', 'NOT ')}${word('NULL', 'TRUE', 'FALSE', 'UNKNOWN')}`,
    t`(${e}) IS ${word('', 'NOT ')}DISTINCT FROM (${e})`,
    t`(${e}) ${word('', 'NOT ')}BETWEEN (${e}) AND (${e})`,
    t`(${e}) ${word('', 'NOT ')}IN (${es})`,
    t`(${e}) ${word('', 'NOT ')}IN UNNEST(${e})`,
    t`(${e}) ${word('', 'NOT ')}IN (${q})`,
    t`(${e}) ${word('', 'NOT ')}LIKE (${e})`,
    t`(${e}) ${word('', 'NOT ')}LIKE ${word('ANY', 'SOME', 'ALL')} ${fc.oneof(t`(${es})`, t`UNNEST(${e})`, t`(${q})`)}`,
  )
  const constructed = fc.oneof(
    t`(${e}, ${es})`,
    t`STRUCT(${list(t`${e}${alias}`)})`,
    t`STRUCT<a INT64, ${type}>(${es})`,
    t`${word('', 'ARRAY')}[${fc.oneof(es, fc.constant(''))}]`,
    t`ARRAY<${type}>[${es}]`,
    t`${word('', 'ARRAY', 'EXISTS')}(${q})`,
    t`WITH(a AS ${e}, b AS ${e}, ${e})`,
  )
  const worded = fc.oneof(
    t`CASE ${maybe(e)} WHEN ${e} THEN ${e} ${maybe(t`ELSE ${e}`)} END`,
    t`${word('CAST', 'SAFE_CAST')}(${e} AS ${type}${maybe(t` FORMAT ${e}${maybe(t` AT TIME ZONE ${e}`)}`)})`,
    t`EXTRACT(${part} FROM ${e}${maybe(t` AT TIME ZONE ${e}`)})`,
    t`INTERVAL ${e} ${plainPart}${maybe(t` TO ${plainPart}`)}`,
  )
  const applied = fc.oneof(
    t`${name}.${name}`,
    t`(${e}).${word('a', 'from', '`x y`')}`,
    t`(${e})[${fc.oneof(e, t`${word('OFFSET', 'ORDINAL', 'safe_offset', 'SAFE_ORDINAL')}(${e})`)}]`,
  )

  // ---- FROM
  const f = tie('from')
  const pivot = t`PIVOT(${list(t`${call}${alias}`, 2)} FOR ${name} IN (${list(t`${e}${alias}`, 2)}))${alias}`
  const unpivotNulls = word('', 'INCLUDE NULLS ', 'EXCLUDE NULLS ')
  const unpivoted = fc.oneof(name, names, t`${name}.${name}`)
  const unpivot = t`UNPIVOT ${unpivotNulls}(${fc.oneof(name, names)} FOR ${name} IN (${list(t`${unpivoted}${label}`, 2)}))${alias}`
  const offset = maybe(t` WITH OFFSET${alias}`)
  const item = fc.oneof(
    { depthSize: 'small' },
    t`${path}${alias}${offset}`,
    t`${path} ${name}`,
    t`UNNEST(${e})${alias}${offset}`,
    t`(${q})${alias}`,
    t`(${f} JOIN ${f})`,
    t`${path}${alias} ${fc.oneof(pivot, unpivot)}`,
  )
  const condition = fc.oneof(t`ON ${e}`, t`USING ${names}`)
  const kind = word('JOIN', 'INNER JOIN', 'LEFT JOIN', 'RIGHT OUTER JOIN', 'FULL JOIN')
  const from = fc.oneof(
    { depthSize: 'small' },
    item,
    t`${f}, ${item}`,
    t`${f} CROSS JOIN ${item}`,
    t`${item} ${kind} ${item} ${condition}`,
    t`${item} ${kind} ${item} ${kind} ${item} ${condition} ${condition}`,
  )

  // ---- queries
  const star = t`${fc.oneof(fc.constant('*'), t`${name}.*`, t`(${e}).*`)}${maybe(t` EXCEPT ${names}`)}${maybe(t` REPLACE (${e} AS ${name})`)}`
  const items = t`${list(fc.oneof({ weight: 4, arbitrary: t`${e}${alias}` }, star))}${word('', ',')}`
  const set = fc.oneof(e, t`(${es})`)
  const rollup = t`${word('ROLLUP', 'CUBE')}(${list(set, 2)})`
  const grouping = fc.oneof(
    { weight: 3, arbitrary: e },
    rollup,
    fc.constant('()'),
    t`GROUPING SETS (${list(fc.oneof(set, rollup, fc.constant('()')), 2)})`,
  )
  const groupBy = fc.oneof(fc.constant(' GROUP BY ALL'), t` GROUP BY ${list(grouping, 2)}`)
  const selectHead = t`SELECT ${word('', 'DISTINCT ', 'ALL ')}${word('', '', 'AS STRUCT ', 'AS VALUE ')}${items}`
  const select = t`${selectHead}${maybe(t` FROM ${from}`)}${maybe(t` WHERE ${e}`)}${maybe(groupBy)}${maybe(t` HAVING ${e}`)}${maybe(t` QUALIFY ${e}`)}${windows}`
  const match = word('', ' BY NAME', ' BY NAME ON (a)', ' CORRESPONDING', ' CORRESPONDING BY (a, b)')
  const setOperator = fc.oneof(
    t`${word('UNION', 'INTERSECT', 'EXCEPT')} ${word('ALL', 'DISTINCT')}${fc.oneof(match, word(' STRICT CORRESPONDING'))}`,
    t`${word('FULL', 'LEFT OUTER', 'INNER')} UNION ALL${word(' BY NAME', ' CORRESPONDING BY (a)')}`,
  )
  const body = fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: select },
    t`(${q})`,
    fc
      .tuple(
        setOperator,
        fc.array(fc.oneof({ weight: 2, arbitrary: select }, t`(${q})`), { minLength: 2, maxLength: 3 }),
      )
      .map(([operator, inputs]) => inputs.map(input => `${input} `).join(`${operator} `)),
  )
  const ctes = t`WITH ${word('', 'RECURSIVE ')}${list(t`${name} AS (${q})`, 2)}`
  const tail = t`${maybe(t` ${order}`)}${maybe(t` LIMIT ${count}${maybe(t` OFFSET ${count}`)}`)}`

  // ---- pipes
  const aggregate = t`AGGREGATE ${list(t`${e}${alias}${maybe(suffix)}`, 2)}${maybe(t` GROUP ${word('', 'AND ORDER ')}BY ${list(fc.oneof(t`${e}${alias}${maybe(suffix)}`, rollup), 2)}`)}`
  const operatorOfPipe = fc.oneof(
    t`${selectHead}${windows}`,
    t`${word('EXTEND', 'WINDOW')} ${items}${windows}`,
    t`SET ${list(t`${name} = ${e}`, 2)}${word('', ',')}`,
    t`DROP ${list(name)}`,
    t`RENAME ${list(t`${name} ${word('', 'AS ')}${name}`, 2)}`,
    t`AS ${name}`,
    t`WHERE ${e}`,
    aggregate,
    t`AGGREGATE GROUP BY ${es}`,
    fc.constant('DISTINCT'),
    order,
    t`LIMIT ${count}${maybe(t` OFFSET ${count}`)}`,
    t`${word('', 'LEFT ', 'FULL OUTER ', 'INNER ')}JOIN ${item} ${condition}`,
    t`CROSS JOIN ${item}`,
    t`${setOperator} ${list(t`(${q})`, 2)}`,
    ctes,
    pivot,
    unpivot,
  )
  const pipes = fc.array(t` |> ${operatorOfPipe}`, { maxLength: 3 }).map(texts => texts.join(''))

  const parameter = t`${name} ${fc.oneof(type, fc.constant('ANY TYPE'))}`
  const head = word(
    'CREATE TEMP FUNCTION',
    'create or replace temporary function',
    'CREATE TEMP FUNCTION IF NOT EXISTS',
  )
  const definition = t`${head} ${name}(${fc.oneof(fc.constant(''), list(parameter))})${maybe(t` RETURNS ${type}`)} AS (${e}); `
  const declaration = fc.oneof(
    t`DECLARE ${list(name)} ${type}${maybe(t` DEFAULT ${e}`)}; `,
    t`declare ${name} DEFAULT ${e}; `,
  )
  const assignment = t`SET ${fc.oneof(name, t`(${list(name)})`)} = ${e}; `
  return {
    expression: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      { weight: 3, arbitrary: fc.oneof(literal, name) },
      { weight: 2, arbitrary: operator },
      call,
      constructed,
      worded,
      applied,
    ),
    window,
    from,
    query: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      word('SELECT 1', 'SELECT * FROM t', 'FROM t', '(SELECT 1) AS t |> DISTINCT'),
      t`${maybe(t`${ctes} `)}${body}${tail}${maybe(pipes)}`,
      t`${maybe(t`${ctes} `)}FROM ${from}${pipes}`,
    ),
    script: t`${maybe(declaration)}${maybe(definition)}${maybe(assignment)}${maybe(definition)}${q}${word('', ';', ' -- done')}`,
  }
})

export const anyExpression: Text = expression
export const anyScript: Text = script
