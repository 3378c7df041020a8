"""Writes files by the programs of other makers into a folder, and prints a line of JSON for each table: what was written.

    python other_makers.py FOLDER SEED

A table is a file FOLDER/t<number>.<ending>, or a folder FOLDER/t<number>. `columns` are the keys in its files, `rows` its values in the
encoding of cells.ts, `flags` those that `tables infer` needs, and `refused` a part of the message where it may be refused, or must be
since there are no rows.
"""
import csv
import datetime as dt
import gzip
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from base64 import b64encode
from decimal import Decimal

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet

FOLDER, SEED = sys.argv[1], sys.argv[2]
chance = random.Random(SEED)
UTC = dt.timezone.utc
SOFFICE, JQ = shutil.which('soffice'), shutil.which('jq')


def cell(value):
    """A value in the encoding of cells.ts."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        return {'number': repr(value)}
    if isinstance(value, (int, Decimal)):
        return {'number': str(value)}
    if isinstance(value, dt.datetime):
        return {'time': value.isoformat(sep='T')}
    if isinstance(value, dt.date):
        return {'date': value.isoformat()}
    if isinstance(value, dt.time):
        return {'timeOfDay': value.isoformat()}
    if isinstance(value, bytes):
        return {'bytes': b64encode(value).decode()}
    if isinstance(value, dict):
        return {'record': {key: cell(item) for key, item in value.items()}}
    return [cell(item) for item in value]


number = itertools.count()
table = ''


def place(ending=''):
    """The path of a new table: of its file with this ending, or of its folder."""
    global table
    table = f't{next(number)}'
    return os.path.join(FOLDER, f'{table}.{ending}' if ending else table)


def wrote(maker, what, columns, rows, flags={}, refused=None):
    """Tells what the last table holds."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(FOLDER, table)) for name in names]
    files = [file for file in files if not os.path.basename(file).startswith(('_', '.'))]
    files = sorted(files) or [os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.split('.')[0] == table]
    line = {'table': table, 'maker': maker, 'what': what, 'files': files, 'flags': flags, 'columns': columns, 'refused': refused}
    print(json.dumps({**line, 'rows': [[cell(value) for value in row] for row in rows]}))


NAMES = ['Köln', 'Zoë "Zed" O’Neill', 'a, b; c', 'line\nbreak', ' padded ', "it's", '日本', 'plain', 'tab\there', '100%', '-', '=1+1']
PLAIN = ['Koeln', 'Müller', 'Ångström', 'Peña', 'Straße 5', 'x', 'y z', 'São Paulo']


def orders(rows=8, plain=False):
    """Rows of the types that most tables have. Each column has a value that is not NULL in every row but `note` and `score`."""
    texts = PLAIN if plain else NAMES
    return {
        'id': [i * 7 + 1 for i in range(rows)],
        'zip': [f'{chance.randrange(10000):05d}' for _ in range(rows - 1)] + ['00123'],
        'name': [chance.choice(texts) for _ in range(rows)],
        'price': [round(chance.uniform(-1000, 1000), 3) or 0.5 for _ in range(rows)],
        'paid': [chance.random() < 0.5 for _ in range(rows)],
        'day': [dt.date(2020, 1, 1) + dt.timedelta(days=chance.randrange(3000)) for _ in range(rows)],
        'at': [dt.datetime(2021, 3, 4, 5, 6, 7) + dt.timedelta(seconds=chance.randrange(10**8)) for _ in range(rows)],
        'note': [chance.choice([None, 'ok', 'late']) for _ in range(rows - 1)] + ['last'],
        'score': [chance.choice([None, 1.5, -0.25]) for _ in range(rows - 2)] + [0.125, None],
    }


def rows_of(data):
    return list(zip(*data.values()))


def quoted_rows(data, quoting):
    """The rows as CSV tells them: a missing text in quotes is an empty text, and a missing number stays one."""
    quoted = ['note'] if quoting in (csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC) else []
    return [tuple('' if value is None and key in quoted else value for key, value in zip(data, row)) for row in rows_of(data)]


def frame(data):
    return pandas.DataFrame({**data, 'day': [str(day) for day in data['day']], 'at': pandas.to_datetime(data['at'])})


def of_pandas_csv():
    variants = [
        ('', {}),
        (', tabs', {'sep': '\t'}),
        (', semicolons', {'sep': ';'}),
        (', bars', {'sep': '|'}),
        (', semicolons and decimal commas', {'sep': ';', 'decimal': ','}),
        (', all quoted', {'quoting': csv.QUOTE_ALL}),
        (', texts quoted', {'quoting': csv.QUOTE_NONNUMERIC}),
        (', CRLF', {'lineterminator': '\r\n'}),
        (', a byte order mark', {'encoding': 'utf-8-sig'}),
        (', UTF-16', {'encoding': 'utf-16'}),
        (', gzip', {'compression': 'gzip'}),
        (', tabs, UTF-16, CRLF', {'sep': '\t', 'encoding': 'utf-16', 'lineterminator': '\r\n'}),
        (', floats of 4 digits', {'float_format': '%.4f'}),
    ]
    for (what, options), index in itertools.product(variants, [False, True]):
        data = orders()
        ending = 'csv.gz' if 'compression' in options else 'tsv' if what == ', tabs' else 'csv'
        frame(data).to_csv(place(ending), index=index, **options)
        columns, rows = list(data), quoted_rows(data, options.get('quoting'))
        if index:
            columns, rows = ['column_1', *columns], [(i, *row) for i, row in enumerate(rows)]
        wrote('pandas', f'to_csv{what}{", with the index" if index else ""}', columns, rows)
    data = orders(plain=True)
    frame(data).to_csv(place('csv'), index=False, encoding='cp1252', sep=';', decimal=',')
    wrote('pandas', 'to_csv, Windows-1252, semicolons and decimal commas', list(data), rows_of(data))
    data = orders(plain=True)
    frame(data).to_csv(place('csv'), index=False, encoding='cp1252')
    wrote('pandas', 'to_csv, Windows-1252', list(data), rows_of(data))
    for ending in ['csv.bz2', 'csv.xz', 'csv.zip']:
        frame(data).to_csv(place(ending), index=False)
        wrote('pandas', f'to_csv into .{ending}', list(data), rows_of(data), refused=f'{table}.{ending}')
    for word in ['NA', 'NULL', '\\N', '-']:
        data = orders(plain=True)
        frame(data).to_csv(place('csv'), index=False, na_rep=word)
        wrote('pandas', f'to_csv, {word} for NULL', list(data), rows_of(data), {'null': [word]})
    data = orders()
    frame(data).to_csv(place('csv'), index=False, header=False)
    wrote('pandas', 'to_csv without a header', [f'column_{i + 1}' for i in range(len(data))], rows_of(data))
    data = orders()
    frame(data).set_index(['id', 'zip']).to_csv(place('csv'))
    wrote('pandas', 'to_csv, an index of two columns', list(data), rows_of(data))
    data = {**orders(), 'at': [dt.datetime(2024, 1, 1, i, tzinfo=dt.timezone(dt.timedelta(hours=i - 3))) for i in range(8)]}
    written = pandas.DataFrame({**data, 'day': data['day'], 'at': [str(at) for at in data['at']]})
    written.to_csv(place('csv'), index=False)
    wrote('pandas', 'to_csv, times of several zones', list(data), rows_of(data))
    grouped = pandas.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 5]}).groupby('k').agg(['min', 'max'])
    grouped.columns = ['_'.join(name) for name in grouped.columns]
    grouped.to_csv(place('csv'))
    wrote('pandas', 'to_csv of groups', ['k', 'v_min', 'v_max'], [('a', 1, 5), ('b', 2, 2)])
    pandas.DataFrame([[1, 2, 3]], columns=['a', 'b', 'a']).to_csv(place('csv'), index=False)
    wrote('pandas', 'to_csv, a name twice', ['a', 'b', 'a_1'], [(1, 2, 3)])
    pandas.DataFrame([[1, 2.5]], columns=['Body Mass (g)', '2024']).to_csv(place('csv'), index=False)
    wrote('pandas', 'to_csv, names that are no names of columns', ['Body Mass (g)', '2024'], [(1, 2.5)])
    wide = {'big': [2**62, -(2**63)], 'over': [2**63, 2**64 - 1], 'tiny': [5e-324, 1.7976931348623157e308]}
    pandas.DataFrame(wide).to_csv(place('csv'), index=False)
    wrote('pandas', 'to_csv, numbers at their limits', list(wide), rows_of(wide))


def of_pandas_json():
    for lines, indent, compression in [(True, None, None), (False, None, None), (False, 2, None), (True, None, 'gzip'), (False, 4, 'gzip')]:
        for ascii_only, units in itertools.product([True, False], ['ms', 'us']):
            data = orders()
            ending = ('ndjson' if lines and ascii_only else 'json') + ('.gz' if compression else '')
            frame(data).to_json(
                place(ending), orient='records', lines=lines, indent=indent, compression=compression, force_ascii=ascii_only,
                date_format='iso', date_unit=units, double_precision=15,
            )
            wrote('pandas', f'to_json records, {"lines" if lines else f"array, indent {indent}"}, {units}{", " + compression if compression else ""}{"" if ascii_only else ", UTF-8"}', list(data), rows_of(data))
    data = {'id': [1, 2], 'of': [{'a': 1, 'b': None}, {'a': 2, 'b': 'x'}], 'tags': [['a', 'b'], []]}
    pandas.DataFrame(data).to_json(place('jsonl'), orient='records', lines=True)
    wrote('pandas', 'to_json, objects and lists', list(data), rows_of(data))
    data = orders()
    frame(data).to_json(place('json'), orient='table', index=False, date_format='iso', double_precision=15)
    wrote('pandas', 'to_json table', list(data), rows_of(data), {'rows': 'data'})


def of_pandas_parquet():
    for codec, index in itertools.product(['snappy', 'gzip', 'zstd', 'brotli', 'lz4', None], [False, True]):
        data = orders()
        written = frame(data)
        written.index.name = 'row'
        written.to_parquet(place('parquet'), compression=codec, index=index)
        columns, rows = list(data), rows_of(data)
        if index:
            columns, rows = [*columns, 'row'], [(*row, i) for i, row in enumerate(rows)]
        wrote('pandas', f'to_parquet, {codec}{", with the index" if index else ""}', columns, rows)
    data = {'kind': ['a', 'b', 'a'], 'maybe': [1, None, 3]}
    pandas.DataFrame({'kind': pandas.Categorical(data['kind']), 'maybe': pandas.array(data['maybe'], dtype='Int64')}).to_parquet(place('parq'))
    wrote('pandas', 'to_parquet, categories and Int64', list(data), rows_of(data))


def of_polars():
    for what, options in [('', {}), (', semicolons', {'separator': ';'}), (', decimal commas', {'separator': ';', 'decimal_comma': True}), (', all quoted', {'quote_style': 'always'}), (', texts quoted', {'quote_style': 'non_numeric'}), (', a byte order mark', {'include_bom': True}), (', CRLF', {'line_terminator': '\r\n'}), (', without a header', {'include_header': False}), (', microseconds', {'datetime_format': '%Y-%m-%dT%H:%M:%S%.6f'})]:
        data = orders()
        polars.DataFrame(data).write_csv(place('csv'), **options)
        columns = [f'column_{i + 1}' for i in range(len(data))] if 'include_header' in options else list(data)
        wrote('polars', f'write_csv{what}', columns, quoted_rows(data, csv.QUOTE_ALL if options.get('quote_style') == 'always' else None))
    data = orders()
    data.update(of=[{'a': i, 'Ä b': None} for i in range(8)], tags=[['x'] * (i % 3) for i in range(8)])
    polars.DataFrame(data).write_ndjson(place('ndjson'))
    wrote('polars', 'write_ndjson', list(data), rows_of(data))
    polars.DataFrame(data).write_json(place('json'))
    wrote('polars', 'write_json', list(data), rows_of(data))
    for codec in ['snappy', 'gzip', 'zstd', 'brotli', 'lz4', 'uncompressed']:
        polars.DataFrame(data).write_parquet(place('parquet'), compression=codec)
        wrote('polars', f'write_parquet, {codec}', list(data), rows_of(data))
    typed = {
        'small': (polars.Int8, [1, -128, None]),
        'unsigned': (polars.UInt32, [0, 2**32 - 1, None]),
        'wide': (polars.UInt64, [0, 2**64 - 1, None]),
        'amount': (polars.Decimal(20, 4), [Decimal('1.5000'), Decimal('-1234567890123456.7891'), None]),
        'at': (polars.Datetime('us', 'UTC'), [dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(1900, 5, 6, 7, 8, 9, 123456, UTC), None]),
        'raw': (polars.Binary, [b'', b'\x00\xff', None]),
        'hour': (polars.Time, [dt.time(1, 2, 3), dt.time(23, 59, 59, 999999), None]),
        'kind': (polars.Categorical, ['a', 'b', None]),
    }
    for key, (kind, values) in typed.items():
        polars.DataFrame({key: polars.Series(values, dtype=kind)}).write_parquet(place('parquet'))
        wrote('polars', f'write_parquet, {kind}', [key], [(value,) for value in values])
    folder = place()
    polars.DataFrame({'v': [2, 1, 3], 'key': ['a', 'b', 'b'], 'n': [5, 7, 7]}).write_parquet(folder, partition_by=['key', 'n'])
    wrote('polars', 'write_parquet, partition_by, whose files have the columns of the folders too', ['v'], [], refused=f'{table}/key=a')


def of_arrow():
    typed = {
        'int8': (pyarrow.int8(), [1, None, -128]),
        'uint16': (pyarrow.uint16(), [0, 65535]),
        'uint64': (pyarrow.uint64(), [1, 2**64 - 1]),
        'half': (pyarrow.float16(), [1.5, -0.25]),
        'float': (pyarrow.float32(), [1.5, 0.10000000149011612, None]),
        'double': (pyarrow.float64(), [0.1, 1e300, None]),
        'decimal': (pyarrow.decimal128(38, 9), [Decimal('1.500000000'), Decimal('-12345678901234567890123456789.123456789')]),
        'decimal of 38 digits behind the point': (pyarrow.decimal128(38, 38), [Decimal('0.' + '1' * 38)]),
        'small decimal': (pyarrow.decimal128(9, 2), [Decimal('1.50'), None]),
        'date': (pyarrow.date32(), [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
        'date64': (pyarrow.date64(), [dt.date(2024, 2, 29)]),
        'time32': (pyarrow.time32('ms'), [dt.time(1, 2, 3, 4000)]),
        'time64': (pyarrow.time64('us'), [dt.time(1, 2, 3, 4), None]),
        'seconds': (pyarrow.timestamp('s', 'UTC'), [dt.datetime(2024, 1, 1, tzinfo=UTC)]),
        'micros of a zone': (pyarrow.timestamp('us', 'Europe/Berlin'), [dt.datetime(2024, 1, 1, 12, tzinfo=UTC)]),
        'local micros': (pyarrow.timestamp('us'), [dt.datetime(2024, 1, 1, 12, 0, 0, 1)]),
        'binary': (pyarrow.binary(), [b'\x00\x01', None]),
        'fixed binary': (pyarrow.binary(4), [b'abcd']),
        'large string': (pyarrow.large_string(), ['ä', None]),
        'bool': (pyarrow.bool_(), [True, None, False]),
        'dictionary': (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ['a', 'b', 'a']),
        'list': (pyarrow.list_(pyarrow.int32()), [[1, 2], [], None]),
        'list of structs': (pyarrow.list_(pyarrow.struct([('x', pyarrow.int32()), ('y', pyarrow.string())])), [[{'x': 1, 'y': 'a'}], []]),
        'struct': (pyarrow.struct([('a', pyarrow.int64()), ('b', pyarrow.struct([('c', pyarrow.date32())]))]), [{'a': 1, 'b': {'c': dt.date(2024, 1, 2)}}, {'a': None, 'b': None}]),
        'null': (pyarrow.null(), [None, None]),
    }
    for what, (kind, values) in typed.items():
        pyarrow.parquet.write_table(pyarrow.table({'v': pyarrow.array(values, type=kind)}), place('parquet'))
        wrote('pyarrow', f'Parquet, {what}', ['v'], [(value,) for value in values])
    maps = pyarrow.array([[('a', 1), ('b', None)], []], type=pyarrow.map_(pyarrow.string(), pyarrow.int64()))
    pyarrow.parquet.write_table(pyarrow.table({'v': maps}), place('parquet'))
    wrote('pyarrow', 'Parquet, map', ['v'], [([{'key': 'a', 'value': 1}, {'key': 'b', 'value': None}],), ([],)])
    refused = {
        'decimal of 60 digits': (pyarrow.decimal256(60, 2), [Decimal('1.50')]),
        'duration': (pyarrow.duration('us'), [dt.timedelta(hours=1)]),
        'list of lists': (pyarrow.list_(pyarrow.list_(pyarrow.int32())), [[[1]]]),
        'nanoseconds in a zone': (pyarrow.timestamp('ns', 'UTC'), [1500]),
        'TIME of nanoseconds': (pyarrow.time64('ns'), [1500]),
        'list with a null': (pyarrow.list_(pyarrow.int32()), [[1, None]]),
    }
    for what, (kind, values) in refused.items():
        pyarrow.parquet.write_table(pyarrow.table({'v': pyarrow.array(values, type=kind)}), place('parquet'))
        wrote('pyarrow', f'Parquet, {what}', ['v'], [], refused='null' if what == 'list with a null' else f'{table}.parquet')
    whole = pyarrow.array([1_704_067_200_000_001_000, None], type=pyarrow.timestamp('ns'))
    pyarrow.parquet.write_table(pyarrow.table({'v': whole}), place('parquet'))
    wrote('pyarrow', 'Parquet, nanoseconds that are whole microseconds', ['v'], [(dt.datetime(2024, 1, 1, 0, 0, 0, 1),), (None,)])
    times = [dt.datetime(2024, 1, 1, 12), dt.datetime(1901, 2, 3, 4, 5, 6, 7), None]
    pyarrow.parquet.write_table(pyarrow.table({'v': pyarrow.array(times, type=pyarrow.timestamp('us'))}), place('parquet'), use_deprecated_int96_timestamps=True)
    wrote('pyarrow', 'Parquet, INT96', ['v'], [(time,) for time in times])
    data = orders(60)
    for what, options in [('version 1.0', {'version': '1.0'}), ('pages of version 2', {'data_page_version': '2.0'}), ('row groups of 7', {'row_group_size': 7}), ('no dictionary', {'use_dictionary': False}), ('BYTE_STREAM_SPLIT', {'use_dictionary': False, 'column_encoding': {'price': 'BYTE_STREAM_SPLIT'}}), ('DELTA_BINARY_PACKED', {'use_dictionary': False, 'column_encoding': {'id': 'DELTA_BINARY_PACKED', 'name': 'DELTA_LENGTH_BYTE_ARRAY', 'zip': 'DELTA_BYTE_ARRAY'}}), ('checksums', {'write_page_checksum': True}), ('lz4', {'compression': 'lz4'}), ('brotli', {'compression': 'brotli'}), ('no statistics', {'write_statistics': False})]:
        pyarrow.parquet.write_table(pyarrow.table(data), place('parquet'), **options)
        wrote('pyarrow', f'Parquet, {what}', list(data), rows_of(data))
    for format_, keys in [('parquet', ['day']), ('parquet', ['text']), ('parquet', ['n', 'text']), ('csv', ['n'])]:
        data = {'v': [1, 2, 3], 'n': [1, 2, 2], 'text': ['ü', 'a b', 'a b'], 'day': [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 1, 2)]}
        columns = ['v', *keys]
        written = pyarrow.table({key: data[key] for key in columns})
        kinds = pyarrow.schema([written.schema.field(key) for key in keys])
        pyarrow.dataset.write_dataset(written, place(), format=format_, partitioning=pyarrow.dataset.partitioning(kinds, flavor='hive'))
        wrote('pyarrow', f'dataset of {format_} by {" and ".join(keys)}', columns, [tuple(data[key][i] for key in columns) for i in range(3)])
    for what, options in [('', {}), (', no quotes', {'quoting_style': 'none'}), (', all quoted', {'quoting_style': 'all_valid'}), (', tabs', {'delimiter': '\t'})]:
        data = orders(plain=True)
        pyarrow.csv.write_csv(pyarrow.table(data), place('csv'), pyarrow.csv.WriteOptions(**options))
        wrote('pyarrow', f'write_csv{what}', list(data), rows_of(data))


def of_duckdb():
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    data = orders()
    kinds = dict(id='BIGINT', zip='VARCHAR', name='VARCHAR', price='DOUBLE', paid='BOOLEAN', day='DATE', at='TIMESTAMP', note='VARCHAR', score='DOUBLE')
    declared = ', '.join(f'"{key}" {kind}' for key, kind in kinds.items())
    database.execute(f'CREATE TABLE t ({declared})')
    database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(data))})", rows_of(data))
    csvs = ['', 'DELIMITER \';\'', 'DELIMITER \'|\'', 'DELIMITER \'\t\'', 'FORCE_QUOTE *', 'HEADER false', 'COMPRESSION gzip', 'COMPRESSION zstd', "DATEFORMAT '%Y-%m-%d', TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ'"]
    for options in csvs:
        ending = 'csv.gz' if 'gzip' in options else 'csv.zst' if 'zstd' in options else 'csv'
        database.execute(f"COPY t TO '{place(ending)}' (FORMAT csv, {options or 'HEADER true'})")
        columns = [f'column_{i + 1}' for i in range(len(data))] if 'HEADER false' in options else list(data)
        wrote('DuckDB', f'COPY to CSV, {options or "as it is"}', columns, rows_of(data))
    for options in ['', 'ARRAY true', 'COMPRESSION gzip', 'COMPRESSION zstd', "TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ'"]:
        ending = 'json.gz' if 'gzip' in options else 'json.zst' if 'zstd' in options else 'json'
        database.execute(f"COPY t TO '{place(ending)}' (FORMAT json{', ' if options else ''}{options})")
        wrote('DuckDB', f'COPY to JSON, {options or "as it is"}', list(data), rows_of(data))
    for codec in ['snappy', 'gzip', 'zstd', 'brotli', 'lz4', 'lz4_raw', 'uncompressed']:
        database.execute(f"COPY t TO '{place('parquet')}' (FORMAT parquet, COMPRESSION {codec})")
        wrote('DuckDB', f'COPY to Parquet, {codec}', list(data), rows_of(data))
    for options in ['PARQUET_VERSION v2', 'ROW_GROUP_SIZE 2048']:
        database.execute(f"COPY t TO '{place('parquet')}' (FORMAT parquet, {options})")
        wrote('DuckDB', f'COPY to Parquet, {options}', list(data), rows_of(data))
    for format_, keys in itertools.product(['parquet', 'csv'], ['paid', 'n', 'n, k']):
        database.execute(f"COPY (SELECT * FROM (VALUES (1, 7, 'x y', true), (2, 8, 'z', false)) AS r(v, n, k, paid) ORDER BY v) TO '{place()}' (FORMAT {format_}, PARTITION_BY ({keys}))")
        columns = [key for key in ['v', 'n', 'k', 'paid'] if key not in keys.split(', ')] + keys.split(', ')
        rows = [dict(v=1, n=7, k='x y', paid='true'), dict(v=2, n=8, k='z', paid='false')]
        if keys == 'paid':
            rows.reverse()
        else:
            rows = [{**row, 'paid': row['paid'] == 'true'} for row in rows]
        wrote('DuckDB', f'COPY to {format_}, PARTITION_BY {keys}', columns, [tuple(row[key] for key in columns) for row in rows])
    nested = "SELECT 1 AS id, {'a': 1, 'b c': [1, 2]} AS r, [{'x': DATE '2024-01-02'}] AS l, 123.45::DECIMAL(10, 2) AS d, 170141183460469231731687303715884105727::HUGEINT % 10::HUGEINT AS h, TIMESTAMPTZ '2024-01-02 03:04:05+00' AS z"
    row = (1, {'a': 1, 'b c': [1, 2]}, [{'x': dt.date(2024, 1, 2)}], Decimal('123.45'), 7, dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC))
    for format_ in ['parquet', 'json']:
        database.execute(f"COPY ({nested}) TO '{place(format_)}' (FORMAT {format_})")
        wrote('DuckDB', f'COPY to {format_}, records and lists', ['id', 'r', 'l', 'd', 'h', 'z'], [row])


def of_python():
    class Bars(csv.excel):
        delimiter = '|'
        escapechar = None

    dialects = [('excel', csv.excel), ('excel-tab', csv.excel_tab), ('unix', csv.unix_dialect), ('bars', Bars)]
    for (what, dialect), quoting in itertools.product(dialects, ['ALL', 'MINIMAL', 'NONNUMERIC']):
        data = orders()
        with open(place('csv'), 'w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file, dialect, quoting=getattr(csv, f'QUOTE_{quoting}'))
            writer.writerow(data)
            writer.writerows(rows_of(data))
        wrote('Python csv', f'{what}, QUOTE_{quoting}', list(data), quoted_rows(data, getattr(csv, f'QUOTE_{quoting}')))
    with open(place('csv'), 'w', newline='', encoding='utf-8') as file:
        file.write('Sales of 2024\r\nAll in EUR\r\n\r\n')
        csv.writer(file, delimiter=';').writerows([['city', 'sum'], ['Köln', '1,5'], ['Bonn', '-2,25'], ['Ulm', '1234,5']])
    wrote('Python csv', 'title lines, semicolons, decimal commas', ['city', 'sum'], [('Köln', 1.5), ('Bonn', -2.25), ('Ulm', 1234.5)])
    with open(place('csv'), 'w', newline='', encoding='utf-8') as file:
        csv.writer(file, lineterminator='\r').writerows([['a', 'b'], [1, 'x'], [2, 'y']])
    wrote('Python csv', 'CR line ends', ['a', 'b'], [(1, 'x'), (2, 'y')])
    for indent, ascii_only, wrapped in itertools.product([None, 1, '\t'], [True, False], [False, True]):
        data = {**orders(), 'of': [{'@type': 'x', 'http.status_code': i, 'list': [{'k': i}]} for i in range(8)]}
        rows = [{key: value.isoformat() if isinstance(value, dt.date) else value for key, value in zip(data, row)} for row in rows_of(data)]
        with open(place('json'), 'w', encoding='utf-8') as file:
            json.dump({'version': 1, 'Records': rows, 'next': None} if wrapped else rows, file, indent=indent, ensure_ascii=ascii_only)
        wrote('Python json', f'{"a member of a document" if wrapped else "an array"}, indent {indent!r}{"" if ascii_only else ", UTF-8"}', list(data), rows_of(data), {'rows': 'Records'} if wrapped else {})
    for separators in [(',', ':'), (', ', ': ')]:
        data = orders()
        with open(place('jsonl'), 'w', encoding='utf-8') as file:
            for row in rows_of(data):
                file.write(json.dumps({key: str(value) if isinstance(value, dt.date) else value for key, value in zip(data, row)}, separators=separators) + '\n')
        wrote('Python json', f'a row a line, {separators}', list(data), rows_of(data))
    with open(place('json'), 'w', encoding='utf-8') as file:
        json.dump([{'@timestamp': '2026-01-31T12:00:00Z', 'http.status_code': 200, 'a/b': 'x'}], file)
    wrote('Python json', 'names that are no names of columns', ['@timestamp', 'http.status_code', 'a/b'], [(dt.datetime(2026, 1, 31, 12, tzinfo=UTC), 200, 'x')])
    with open(place('json'), 'w', encoding='utf-8') as file:
        json.dump([{'v': float('nan')}, {'v': 1.5}], file)
    wrote('Python json', 'NaN, which is not JSON', ['v'], [], refused='NaN')
    with open(place('json'), 'w', encoding='utf-8') as file:
        json.dump([1, 2, 3], file)
    wrote('Python json', 'an array of numbers', ['v'], [], refused=f'{table}.json')
    with open(place('json'), 'w', encoding='utf-16') as file:
        json.dump([{'v': 'ä'}], file, ensure_ascii=False)
    wrote('Python json', 'UTF-16', ['v'], [('ä',)])


def of_spark():
    """The layout of Spark: files of parts, a mark of success, and checksums of Hadoop beside each."""
    data = orders()
    rows = rows_of(data)
    for format_, keyed in itertools.product(['parquet', 'csv', 'json'], [False, True]):
        folder = place()
        for part in range(2):
            into = os.path.join(folder, f'day={"__HIVE_DEFAULT_PARTITION__" if part else "2024-01-01"}') if keyed else folder
            os.makedirs(into, exist_ok=True)
            name = os.path.join(into, f'part-0000{part}-8a2f-c000.' + {'parquet': 'snappy.parquet', 'csv': 'csv', 'json': 'json'}[format_])
            half = {key: values[part * 4:part * 4 + 4] for key, values in data.items() if key != 'day' or not keyed}
            written = pyarrow.table(half)
            if format_ == 'parquet':
                pyarrow.parquet.write_table(written, name, use_deprecated_int96_timestamps=True)
            elif format_ == 'csv':
                pandas.DataFrame(half).to_csv(name, index=False, date_format='%Y-%m-%dT%H:%M:%S.000Z')
            else:
                with open(name, 'w', encoding='utf-8') as file:
                    for row in rows_of(half):
                        held = {key: value for key, value in zip(half, row) if value is not None}
                        file.write(json.dumps({key: value.strftime('%Y-%m-%dT%H:%M:%S.000Z') if isinstance(value, dt.datetime) else str(value) if isinstance(value, dt.date) else value for key, value in held.items()}, ensure_ascii=False) + '\n')
            with open(os.path.join(into, f'.{os.path.basename(name)}.crc'), 'wb') as file:
                file.write(b'crc\0\0\0\2\0')
        for mark in ['_SUCCESS', '._SUCCESS.crc']:
            open(os.path.join(folder, mark), 'wb').close()
        columns = [key for key in data if key != 'day'] + ['day'] if keyed else list(data)
        keys = [dt.date(2024, 1, 1) if i < 4 else None for i in range(8)]
        at = {**data, **({'day': keys} if keyed else {})}
        wrote('Spark’s layout', f'{format_}{", day=" if keyed else ""}', columns, [tuple(at[key][i] for key in columns) for i in range(8)])
    folder = place('parquet')
    os.makedirs(folder)
    pyarrow.parquet.write_table(pyarrow.table({'v': [1, 2]}), os.path.join(folder, 'part-00000.snappy.parquet'))
    open(os.path.join(folder, '_SUCCESS'), 'wb').close()
    print(json.dumps({'table': table, 'maker': 'Spark’s layout', 'what': 'a folder that ends in .parquet', 'files': [os.path.join(folder, 'part-00000.snappy.parquet')], 'flags': {}, 'columns': ['v'], 'refused': None, 'rows': [[cell(1)], [cell(2)]]}))


def of_jq():
    rows = [{'id': 1, 'name': 'Köln "x"', 'v': 1.5, 'ok': True}, {'id': 2, 'name': 'b,c', 'v': None, 'ok': False}]
    text = json.dumps(rows)
    programs = [('-c .[]', ['-c', '.[]'], 'json'), ('.', ['.'], 'json'), ('-S --tab .', ['-S', '--tab', '.'], 'json'), ('.[] of many lines', ['.[]'], 'json'), ('@csv', ['-r', '(["id","name","v","ok"], (.[] | [.id, .name, .v, .ok])) | @csv'], 'csv'), ('@tsv', ['-r', '(["id","name","v","ok"], (.[] | [.id, .name, .v, .ok])) | @tsv'], 'tsv'), ('-a -c .[]', ['-a', '-c', '.[]'], 'ndjson'), ('wrapped', ['{rows: .}'], 'json')]
    for what, arguments, ending in programs:
        printed = subprocess.run([JQ, *arguments], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        with open(place(ending), 'wb') as file:
            file.write(printed)
        wrote('jq', what, list(rows[0]), [tuple(row.values()) for row in rows], {'rows': 'rows'} if what == 'wrapped' else {}, f'{table}.json' if 'many lines' in what else f'{table}.tsv' if what == '@tsv' else None)


# The last number of a filter: 44 comma, 59 semicolon, 9 tab; 34 quotes; 76 UTF-8, 1 Windows-1252, 65535 UTF-16.
FILTERS = [('44,34,76,1,,0,false,true,false', ''), ('59,34,76,1,,0,false,true,false', ', semicolons'), ('9,34,76,1,,0,false,true,false', ', tabs'), ('59,34,1,1,,0,false,true,false', ', semicolons, Windows-1252'), ('44,34,76,1,,0,true,true,false', ', texts quoted'), ('44,34,65535,1,,0,false,true,false', ', UTF-16')]


def of_libreoffice():
    """A spreadsheet, as a table of HTML opens in Calc, saved as CSV in every way that its dialog offers."""
    rows = [('Straße', 'sum', 'day', 'plz'), ('Köln, "Süd"', 1.5, dt.date(2024, 1, 31), '01234'), ('Bonn; West', -1234.25, dt.date(2023, 12, 1), '53111'), ('', 3.0, dt.date(2024, 2, 29), '00001')]
    sheet = os.path.join(FOLDER, '..', 'sheet.fods')
    with open(sheet, 'w', encoding='utf-8') as file:
        file.write(SHEET.format(rows=''.join(f'<table:table-row>{"".join(map(sheet_cell, row))}</table:table-row>' for row in rows)))
    profile = os.path.join(os.path.abspath(FOLDER), '..', 'office')
    for tokens, what in FILTERS:
        into = os.path.join(FOLDER, '..', 'saved')
        subprocess.run([SOFFICE, f'-env:UserInstallation=file://{profile}', '--headless', '--convert-to', f'csv:Text - txt - csv (StarCalc):{tokens}', '--outdir', into, sheet], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.move(os.path.join(into, 'sheet.csv'), place('csv'))
        wrote('LibreOffice', f'saved as CSV{what}', list(rows[0]), [(row[0] or ('' if 'quoted' in what else None), *row[1:]) for row in rows[1:]])


def sheet_cell(value):
    if isinstance(value, dt.date):
        return f'<table:table-cell table:style-name="day" office:value-type="date" office:date-value="{value}"/>'
    if isinstance(value, float):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    escaped = value.replace('&', '&amp;').replace('<', '&lt;')
    return f'<table:table-cell office:value-type="string"><text:p>{escaped}</text:p></table:table-cell>'


SHEET = '''<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles><number:date-style style:name="iso"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="day" style:family="table-cell" style:data-style-name="iso"/></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Sheet">{rows}</table:table></office:spreadsheet></office:body></office:document>
'''

os.makedirs(FOLDER, exist_ok=True)
for write in [of_pandas_csv, of_pandas_json, of_pandas_parquet, of_polars, of_arrow, of_duckdb, of_python, of_spark, of_jq, of_libreoffice]:
    write()
