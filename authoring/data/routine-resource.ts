/** The members of BigQuery's REST resource `Routine` with which the file of a function is compared. */
import { recordOf } from '../../runner/model/is-record.js'

/** BigQuery REST v2, `Routine`. */
export type RoutineResource = ReturnType<typeof routineResource>

export function routineResource(value: unknown) {
  const raw = recordOf(value)
  const columns = list(recordOf(raw['returnTableType'])['columns'])
  const returned = raw['returnType'] === undefined ? null : standardType(raw['returnType'])
  return {
    /** SCALAR_FUNCTION, TABLE_VALUED_FUNCTION, AGGREGATE_FUNCTION, PROCEDURE. */
    kind: text(raw['routineType']) || 'SCALAR_FUNCTION',
    /** SQL, JAVASCRIPT, PYTHON. */
    language: text(raw['language']) || 'SQL',
    /** The type of an argument is null for ANY TYPE. */
    arguments: list(raw['arguments']).map(argument => ({
      name: text(recordOf(argument)['name']),
      type: recordOf(argument)['argumentKind'] === 'ANY_TYPE' ? null : standardType(recordOf(argument)['dataType']),
    })),
    /** The type of the result, `TABLE<a INT64>` for a table function; null where it is not declared. */
    returns: columns.length > 0 ? `TABLE<${columns.map(namedType).join(', ')}>` : returned,
    /** Without the parentheses or quotes of its CREATE statement. */
    body: text(raw['definitionBody']),
    /** The addresses of a JavaScript function's libraries. */
    libraries: list(raw['importedLibraries']).map(text),
  }
}

/** The SQL name of a `StandardSqlDataType`. */
function standardType(value: unknown): string {
  const { typeKind, arrayElementType, structType, rangeElementType } = recordOf(value)
  if (typeKind === 'ARRAY') return `ARRAY<${standardType(arrayElementType)}>`
  if (typeKind === 'RANGE') return `RANGE<${standardType(rangeElementType)}>`
  if (typeKind !== 'STRUCT') return text(typeKind)
  return `STRUCT<${list(recordOf(structType)['fields']).map(namedType).join(', ')}>`
}

function namedType(value: unknown): string {
  const { name, type } = recordOf(value)
  return `${text(name)} ${standardType(type)}`.trim()
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
